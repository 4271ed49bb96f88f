import { setImmediate } from 'node:timers/promises';
import type { Store } from '../../data/store.ts';
import type { SiteStorage } from '../sites/site-storage.ts';
import type { BuildQueue } from './queue/build-queue.ts';

const PAGE = 100;

/**
 * Checks every site that should exist and requests builds for those that are missing, or that were copied with the
 * folder and may mix two builds. Returns their projects.
 */
export async function republishDamagedSites(context: {
  readonly store: Pick<Store, 'projects'>;
  readonly queue: Pick<BuildQueue, 'request'>;
  readonly siteStorage: Pick<SiteStorage, 'isWhole'>;
  readonly signal: AbortSignal;
}): Promise<readonly string[]> {
  const { store, queue, siteStorage, signal } = context;
  const requested: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await store.projects.list({ ...(after !== undefined && { after }), limit: PAGE });
    for (const { name, versions } of page) {
      if (signal.aborted) return requested;
      if (versions.length === 0 || (await siteStorage.isWhole(name))) continue;
      await queue.request({ project: name, ref: '', commit: '', cause: 'start', kind: 'refresh' });
      requested.push(name);
      await setImmediate();
    }
    after = page.at(-1)?.name;
    if (page.length < PAGE) return requested;
    // Requests come first.
    await setImmediate();
  }
}
