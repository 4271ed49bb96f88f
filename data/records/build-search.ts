import { type Index, joinKey } from '../collection.ts';
import { type Step, tx } from '../transaction.ts';
import { type Build, type BuildStatus, builds, hasEnded } from './build-collection.ts';
import { projects } from './project.ts';

/** Which builds are searched for; what is absent does not matter. */
export interface BuildSearch {
  /** Name of a project, or a part of one where none has this name. */
  readonly project?: string;
  /** Name of a branch or tag, or a part of one where no build has this name. */
  readonly ref?: string;
  readonly status?: BuildStatus;
}

/** What a search has found. */
export interface FoundBuilds {
  /** Newest first. */
  readonly builds: readonly Build[];
  /** The search goes on with those before this one (an id), as `before`; undefined where nothing is left. */
  readonly next: string | undefined;
}

/** Builds that a search looks at, and how many at once. */
const MAX_SEARCHED = 5_000;
const SEARCHED_AT_ONCE = 500;

/** Searches builds that have ended, see `BuildStore`. */
export function* searchEnded(
  search: BuildSearch,
  { before, limit }: { readonly before?: string; readonly limit: number },
): Step<FoundBuilds> {
  const { index, group, matches } = yield* prepareSearch(search);
  const found: Build[] = [];
  let next = before;
  for (let searched = 0; searched < MAX_SEARCHED; ) {
    const size = Math.min(SEARCHED_AT_ONCE, MAX_SEARCHED - searched);
    const some = yield* tx.list(index, group, { before: next, limit: size, isDescending: true });
    for (const build of some) {
      if (hasEnded(build.status) && matches(build)) {
        if (found.length === limit) return { builds: found, next };
        found.push(build);
      }
      next = build.id;
    }
    searched += some.length;
    if (some.length < size) return { builds: found, next: undefined };
  }
  return { builds: found, next };
}

/** Chooses the narrowest index for a search, and says which of its builds are searched for. */
export function* prepareSearch({ project, ref, status }: BuildSearch): Step<{
  readonly index: Index<Build>;
  readonly group: string;
  readonly matches: (build: Build) => boolean;
}> {
  const { byProject, byRef, byRefName, byStatus, ended } = builds.indexes;
  const isProject = project !== undefined && (yield* tx.get(projects, project)) !== undefined;
  const isRef = ref !== undefined && (yield* tx.last(byRefName, ref)) !== undefined;
  const matches = (build: Build): boolean =>
    (project === undefined || (isProject ? build.project === project : build.project.includes(project))) &&
    (ref === undefined || (isRef ? build.ref === ref : build.ref.includes(ref))) &&
    (status === undefined || build.status === status);
  if (isProject && isRef) return { index: byRef, group: joinKey(project, ref), matches };
  if (isProject) return { index: byProject, group: project, matches };
  if (isRef) return { index: byRefName, group: ref, matches };
  if (status !== undefined) return { index: byStatus, group: status, matches };
  return { index: ended, group: '', matches };
}
