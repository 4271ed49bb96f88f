import type { Build } from '../../../data/records/build.ts';
import type { Store } from '../../../data/store.ts';

/**
 * Returns the build that already answers a push of this commit to this ref, or undefined when one is needed. A commit
 * that comes back (a branch forced back, or deleted and pushed again) is not known: something else is published by then.
 */
export async function findKnownBuild(
  store: Pick<Store, 'projects' | 'builds'>,
  { project, ref, commit }: { readonly project: string; readonly ref: string; readonly commit: string },
): Promise<Build | undefined> {
  if (commit === '') return undefined;
  const known = await store.builds.findByCommit(project, ref, commit);
  if (known?.kind !== 'build') return undefined;
  const [newest] = await store.builds.list({ project, ref, limit: 1 });
  if (newest?.id !== known.id) return undefined;
  if (known.status === 'queued' || known.status === 'running') return known;
  if (known.status !== 'passing' && known.status !== 'failing') return undefined;
  const published = (await store.projects.find(project))?.versions.find((version) => version.ref === ref);
  // A build of all refs may have published another commit since.
  const isElsewhere = known.status === 'passing' && published !== undefined && published.oid !== commit;
  return isElsewhere ? undefined : known;
}
