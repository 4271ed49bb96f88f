import { type Build, hasEnded } from '../../data/records/build.ts';
import type { Store } from '../../data/store.ts';

/** Projects that are asked for; operators of more look at their own pages. */
const MAX_PROJECTS = 1_000;

/** Gives the newest ended builds over all projects, newest first; ids sort by time. */
export async function listNewestBuilds(
  store: Pick<Store, 'projects' | 'builds'>,
  limit: number,
): Promise<readonly Build[]> {
  const projects = await store.projects.list({ limit: MAX_PROJECTS });
  const lists = await Promise.all(projects.map(({ name }) => store.builds.list({ project: name, limit })));
  return lists
    .flat()
    .filter(({ status }) => hasEnded(status))
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, limit);
}
