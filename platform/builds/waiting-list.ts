import type { Build } from '../../data/records/build.ts';

/** Builds that wait, in fair order. */
export interface WaitingList {
  readonly size: number;
  /** Adds a build, unless it waits already. */
  add(build: Build): void;
  /** Replaces the record with the same id. */
  replace(build: Build): void;
  /** Removes a build; false if it is not queued. */
  remove(id: string): boolean;
  /** Returns the waiting builds of a project, or of one of its refs, oldest first. */
  list(project: string, ref?: string): readonly Build[];
  /** Takes the oldest build of the next project among those that are `isFree`. */
  takeNext(isFree: (project: string) => boolean): Build | undefined;
}

/**
 * Creates a list in which projects take turns: the one served longest ago comes first, then the one that has waited
 * longest.
 */
export function createWaitingList(): WaitingList {
  /** In the order of their turns. */
  const projects = new Map<string, Build[]>();
  const projectOf = new Map<string, string>();
  return {
    get size() {
      return projectOf.size;
    },
    add(build) {
      if (projectOf.has(build.id)) return;
      const builds = projects.get(build.project) ?? [];
      builds.push(build);
      projects.set(build.project, builds);
      projectOf.set(build.id, build.project);
    },
    replace(build) {
      const builds = projects.get(build.project) ?? [];
      const at = builds.findIndex(({ id }) => id === build.id);
      if (at >= 0) builds[at] = build;
    },
    remove(id) {
      const project = projectOf.get(id);
      if (project === undefined) return false;
      projectOf.delete(id);
      const left = projects.get(project)!.filter((build) => build.id !== id);
      if (left.length > 0) projects.set(project, left);
      else projects.delete(project);
      return true;
    },
    list(project, ref) {
      const builds = projects.get(project) ?? [];
      return ref === undefined ? [...builds] : builds.filter((build) => build.ref === ref);
    },
    takeNext(isFree) {
      for (const [project, builds] of projects) {
        if (!isFree(project)) continue;
        const [build, ...left] = builds;
        // Moves it behind all others.
        projects.delete(project);
        if (left.length > 0) projects.set(project, left);
        projectOf.delete(build!.id);
        return build;
      }
      return undefined;
    },
  };
}
