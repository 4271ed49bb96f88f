import { DataError } from '../../data/data-error.ts';
import { type Build, type BuildCause, hasEnded } from '../../data/records/build.ts';
import type { FailingVersion, Project } from '../../data/records/project.ts';
import type { Records } from '../../data/store.ts';
import { phrase } from '../../lib/phrase.ts';
import type { BuildLogs, BuildProblem } from '../builds/build-logs.ts';
import { type BuildQueue, findOrigin, isByPerson } from '../builds/build-queue.ts';
import { isRefExcluded } from '../builds/excluded-refs.ts';
import { findRef } from '../projects/find-ref.ts';

/** What an operator can do with builds. */
export interface BuildOperations {
  /** Requests a build of one ref, by default `latest` (of all as long as there is no site), or of all. */
  build(input: { readonly name: string; readonly ref?: string; readonly all?: boolean }): Promise<Build>;
  /**
   * Requests once more what a build was for that has ended; a version whose branch is gone is removed. Returns the build that
   * does it, which may be one that waits already.
   */
  retryBuild(input: { readonly id: string }): Promise<Build>;
  /** Returns builds, newest first, up to `limit` (1,000 at most): of one project, or of all; with `isOpen`, those that wait or run. */
  listBuilds(input: {
    readonly project?: string;
    readonly isOpen?: boolean;
    readonly limit?: number;
  }): Promise<readonly Build[]>;
  cancelBuild(input: { readonly id: string }): Promise<Build>;
  /** Returns a build once it has ended, or as it is when the server stops. */
  waitForBuild(input: { readonly id: string }): Promise<Build>;
  readLog(input: { readonly project: string; readonly id: string }): Promise<{ readonly text: string }>;
  /** Returns what a build found, and the versions of its project of which something could not be built. */
  readProblems(input: { readonly project: string; readonly id: string }): Promise<{
    readonly problems: readonly BuildProblem[];
    readonly failing: readonly FailingVersion[];
  }>;
}

/** Builds that are listed at once. */
const MAX_LISTED = 1_000;

/** Creates the operations; what they request has the cause `cause`. */
export function createBuildOperations({
  store,
  queue,
  logs,
  sites,
  cause,
  getProject: get,
}: {
  readonly store: Pick<Records, 'builds'>;
  readonly queue: BuildQueue;
  readonly logs: Pick<BuildLogs, 'read' | 'readProblems'>;
  readonly sites: { read(project: string): Promise<{ readonly latestRef: string } | undefined> };
  readonly cause: BuildCause;
  readonly getProject: (name: string) => Promise<Project>;
}): BuildOperations {
  const getBuild = async (found: Promise<Build | undefined>, id: string): Promise<Build> => {
    const build = await found;
    if (!build) throw new DataError('not-found', phrase`Build "${id.slice(0, 50)}" does not exist`);
    return build;
  };
  return {
    async build({ name, ref, all = false }) {
      const project = await get(name);
      const wanted = all ? '' : await findRef(project, ref, sites);
      checkIncluded(project, wanted, ref);
      return queue.request({ project: project.name, ref: wanted, commit: '', cause });
    },
    async retryBuild({ id }) {
      const build = await getBuild(store.builds.find(id), id);
      if (!hasEnded(build.status)) throw new DataError('invalid', phrase`Build "${id}" has not ended yet`);
      const { name, ...settings } = await get(build.project);
      const { ref, kind } = build;
      if (kind === 'remove') {
        const removal = await queue.removeVersion(name, ref);
        if (removal) return removal;
        throw new DataError('invalid', phrase`Version "${ref}" is not published any more; there is nothing to do`);
      }
      checkIncluded(settings, ref, ref);
      // A branch that nobody has asked for by name is published only if its name is that of a version: a retry does not change that.
      const origin = await findOrigin(build, store.builds);
      const by = ref === '' || isByPerson(origin) ? cause : origin.cause;
      return queue.request({ project: name, ref, commit: '', cause: by, kind });
    },
    async listBuilds({ project, isOpen = false, limit = MAX_LISTED }) {
      const name = project === undefined ? undefined : (await get(project)).name;
      const most = Math.min(limit, MAX_LISTED);
      if (name !== undefined && !isOpen) return store.builds.list({ project: name, limit: most });
      const open = (await store.builds.listOpen()).filter((build) => name === undefined || build.project === name);
      const ended = isOpen ? [] : await store.builds.listEnded({ limit: most });
      return [...open, ...ended].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, most);
    },
    cancelBuild: ({ id }) => getBuild(queue.cancel(id), id),
    waitForBuild: ({ id }) => getBuild(queue.waitFor(id), id),
    readLog: async ({ project, id }) => ({ text: await logs.read((await get(project)).name, id) }),
    async readProblems({ project, id }) {
      const { name, failing = [] } = await get(project);
      return { problems: await logs.readProblems(name, id), failing };
    },
  };
}

/** Throws DataError `invalid` for a ref that is not to be built; `named` is what was asked for, if anything. */
function checkIncluded(project: Pick<Project, 'meta'>, ref: string, named: string | undefined): void {
  if (ref === '' || !isRefExcluded(project, ref)) return;
  throw new DataError(
    'invalid',
    ref === named
      ? phrase`Ref "${ref}" is excluded by the project's meta field "excluded_branch"`
      : phrase`Ref "${ref}", the project's "latest", is excluded by its meta field "excluded_branch"; change one of them`,
  );
}
