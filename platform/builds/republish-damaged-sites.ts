import { setImmediate } from 'node:timers/promises';
import { isWholeSite } from '../../builder/index.ts';
import type { Store } from '../../data/store.ts';
import type { BuildQueue } from './build-queue.ts';
import { siteFolder } from './run-build.ts';

const PAGE = 100;

/**
 * Looks at every site that ought to be there, and has those published again that are missing, or came in a copy of the
 * folder and may be half of one build and half of another. Returns their projects.
 */
export async function republishDamagedSites(context: {
  readonly store: Pick<Store, 'projects'>;
  readonly queue: Pick<BuildQueue, 'request'>;
  readonly sitesFolder: string;
  readonly signal: AbortSignal;
}): Promise<readonly string[]> {
  const { store, queue, sitesFolder, signal } = context;
  const mended: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await store.projects.list({ ...(after !== undefined && { after }), limit: PAGE });
    for (const { name, versions } of page) {
      if (signal.aborted) return mended;
      if (versions.length === 0 || isWholeSite(siteFolder(sitesFolder, name))) continue;
      await queue.request({ project: name, ref: '', commit: '', cause: 'start', kind: 'refresh' });
      mended.push(name);
      await setImmediate();
    }
    after = page.at(-1)?.name;
    if (page.length < PAGE) return mended;
    // Requests come first.
    await setImmediate();
  }
}
