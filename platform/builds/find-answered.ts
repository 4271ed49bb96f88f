import { type Build, hasEnded } from '../../data/records/build.ts';
import type { QueueStore } from './build-queue.ts';

/**
 * Returns the build that already answers a push of a commit: the newest of its ref, if it is of this commit and its
 * result is still published. A commit that returns, by a forced push or after a deletion, was built but is not
 * published; one that failed would fail again, unless the repository could not be reached.
 */
export async function findAnswered(
  store: QueueStore,
  { project, ref, commit }: { readonly project: string; readonly ref: string; readonly commit: string },
): Promise<Build | undefined> {
  const [newest] = commit === '' ? [] : await store.builds.list({ project, ref, limit: 1 });
  if (newest?.kind !== 'build' || newest.commit !== commit) return undefined;
  if (!hasEnded(newest.status) || (newest.status === 'failing' && newest.isUnreached !== true)) return newest;
  if (newest.status !== 'passing') return undefined;
  const published = (await store.projects.find(project))?.versions.find((version) => version.ref === ref);
  if (published) return published.oid === commit ? newest : undefined;
  // It passed without documentation to publish, unless a later build of all refs found the ref deleted.
  const [ofAll] = await store.builds.list({ project, ref: '', limit: 1 });
  return ofAll === undefined || ofAll.id < newest.id ? newest : undefined;
}
