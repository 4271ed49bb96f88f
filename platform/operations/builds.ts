import { DataError } from '../../data/data-error.ts';
import { type Build, hasEnded } from '../../data/records/build.ts';
import type { Project } from '../../data/records/project.ts';
import { phrase } from '../../lib/phrase.ts';
import { isRefExcluded } from '../builds/excluded-refs.ts';
import { findOrigin, isByPerson } from '../builds/queue/build-queue.ts';
import { findRef } from '../projects/find-ref.ts';
import { getProject } from '../projects/get-project.ts';
import { operation } from './operation.ts';

type Identified = {
  readonly id: string;
};

/** Builds that are listed at once. */
const MAX_LISTED = 1_000;

/** Operations on builds. */
export const buildOperations = {
  /** Requests a build of one ref, by default `latest` (of all as long as there is no site), or of all. */
  build: operation(
    async (
      {
        name,
        ref,
        all = false,
      }: { readonly name: string; readonly ref?: string | undefined; readonly all?: boolean | undefined },
      { store, queue, sites, cause },
    ) => {
      const project = await getProject(store, name);
      const wanted = all ? '' : await findRef(project, ref, sites);
      checkIncluded(project, wanted, ref);
      return queue.request({ project: project.name, ref: wanted, commit: '', cause });
    },
    {
      title: phrase`request a build`,
      describe: ({ name, ref, all }) => ({ target: name, details: all ? 'all refs' : (ref ?? '') }),
      isFirst: true,
    },
  ),
  /**
   * Requests once more what a build was for that has ended; a version whose branch is gone is removed. Returns the build that
   * does it, which may be one that waits already.
   */
  retryBuild: operation(
    async ({ id }: Identified, { store, queue, cause }): Promise<Build> => {
      const build = await getBuild(store.builds.find(id), id);
      if (!hasEnded(build.status)) throw new DataError('invalid', phrase`Build "${id}" has not ended yet`);
      const { name, ...settings } = await getProject(store, build.project);
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
    { title: phrase`retry a build`, describe: ({ id }) => ({ target: id }), isFirst: true },
  ),
  /** Returns builds, newest first, up to `limit` (1,000 at most): of one project, or of all; with `isOpen`, those that wait or run. */
  listBuilds: operation(
    async (
      input: { readonly project?: string | undefined; readonly isOpen?: boolean; readonly limit?: number },
      { store },
    ): Promise<readonly Build[]> => {
      const { project, isOpen = false, limit = MAX_LISTED } = input;
      const name = project === undefined ? undefined : (await getProject(store, project)).name;
      const most = Math.min(limit, MAX_LISTED);
      if (name !== undefined && !isOpen) return store.builds.list({ project: name, limit: most });
      const open = (await store.builds.listOpen()).filter((build) => name === undefined || build.project === name);
      const ended = isOpen ? [] : await store.builds.listEnded({ limit: most });
      return [...open, ...ended].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, most);
    },
    'none',
  ),
  cancelBuild: operation(async ({ id }: Identified, { queue }) => getBuild(queue.cancel(id), id), {
    title: phrase`cancel a build`,
    describe: ({ id }) => ({ target: id }),
    isFirst: true,
  }),
  /** Returns a build once it has ended, or as it is when the server stops. */
  waitForBuild: operation(async ({ id }: Identified, { queue }) => getBuild(queue.waitFor(id), id), 'none'),
  readLog: operation(
    async ({ project, id }: Identified & { readonly project: string }, { store, logs }) => ({
      text: await logs.read((await getProject(store, project)).name, id),
    }),
    'none',
  ),
  /** Returns what a build found, and the versions of its project of which something could not be built. */
  readProblems: operation(async ({ project, id }: Identified & { readonly project: string }, { store, logs }) => {
    const { name, failing = [] } = await getProject(store, project);
    return { problems: await logs.readProblems(name, id), failing };
  }, 'none'),
};

async function getBuild(found: Promise<Build | undefined>, id: string): Promise<Build> {
  const build = await found;
  if (!build) throw new DataError('not-found', phrase`Build "${id.slice(0, 50)}" does not exist`);
  return build;
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
