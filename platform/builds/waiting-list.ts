import type { Build } from '../../data/records/build.ts';

/** Builds that wait, in fair order. */
export interface WaitingList {
  readonly size: number;
  /** Adds a build, unless it waits already; `owner` is whoever the project's repository belongs to. */
  add(build: Build, owner: string): void;
  /** Replaces the record with the same id. */
  replace(build: Build): void;
  /** Removes a build; false if it is not queued. */
  remove(id: string): boolean;
  /** Returns the waiting builds of a project, or of one of its refs, oldest first. */
  list(project: string, ref?: string): readonly Build[];
  /** Returns whether a build that is the next one of its project is `isFree`. */
  has(isFree: (build: Build) => boolean): boolean;
  /** Takes the next build that is `isFree`: the oldest of its project. */
  takeNext(isFree: (build: Build) => boolean): { readonly build: Build; readonly owner: string } | undefined;
}

/**
 * Creates a list in which owners take turns, and the projects of each: the one served longest ago comes first, then the one
 * that has waited longest. So nobody gets more turns by having more projects.
 */
export function createWaitingList(): WaitingList {
  /** In the order of their turns, as are the projects of each. */
  const owners = new Map<string, Map<string, Build[]>>();
  const ownerOf = new Map<string, string>();
  const projectOf = new Map<string, string>();

  const buildsOf = (project: string): readonly Build[] => owners.get(ownerOf.get(project) ?? '')?.get(project) ?? [];
  const setBuilds = (project: string, builds: Build[]): void => {
    const owner = ownerOf.get(project)!;
    const projects = owners.get(owner) ?? new Map<string, Build[]>();
    if (builds.length > 0) projects.set(project, builds);
    else {
      projects.delete(project);
      ownerOf.delete(project);
    }
    if (projects.size > 0) owners.set(owner, projects);
    else owners.delete(owner);
  };
  const findNext = (isFree: (build: Build) => boolean): Build | undefined => {
    for (const projects of owners.values()) {
      for (const [build] of projects.values()) if (isFree(build!)) return build;
    }
    return undefined;
  };

  return {
    get size() {
      return projectOf.size;
    },
    add(build, owner) {
      if (projectOf.has(build.id)) return;
      projectOf.set(build.id, build.project);
      // The repository of a project may have moved while it waits.
      if (!ownerOf.has(build.project)) ownerOf.set(build.project, owner);
      setBuilds(build.project, [...buildsOf(build.project), build]);
    },
    replace(build) {
      const builds = buildsOf(build.project);
      if (builds.some(({ id }) => id === build.id)) {
        setBuilds(
          build.project,
          builds.map((one) => (one.id === build.id ? build : one)),
        );
      }
    },
    remove(id) {
      const project = projectOf.get(id);
      if (project === undefined) return false;
      projectOf.delete(id);
      setBuilds(
        project,
        buildsOf(project).filter((build) => build.id !== id),
      );
      return true;
    },
    list(project, ref) {
      const builds = buildsOf(project);
      return ref === undefined ? [...builds] : builds.filter((build) => build.ref === ref);
    },
    has: (isFree) => findNext(isFree) !== undefined,
    takeNext(isFree) {
      const build = findNext(isFree);
      if (!build) return undefined;
      const { project, id } = build;
      const owner = ownerOf.get(project)!;
      const projects = owners.get(owner)!;
      // Both go behind all others.
      const builds = projects.get(project)!;
      projects.delete(project);
      projects.set(project, builds);
      owners.delete(owner);
      owners.set(owner, projects);
      this.remove(id);
      return { build, owner };
    },
  };
}
