import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type LowdbStoreOptions, openLowdbStore } from '../data/lowdb/open-lowdb-store.ts';
import type { Nodes } from '../data/nodes.ts';
import { startBuildIdsBehind } from '../data/records/build-id.ts';
import { startEntryIdsBehind } from '../data/records/entry-id.ts';
import type { Store } from '../data/store.ts';

/** Where records are kept: in the database of a URL, and without one ('') in the files of a folder. */
interface StoreOptions extends LowdbStoreOptions {
  readonly url: string;
}

/** A store; with what its nodes know of each other where several processes may use it. */
export interface OpenStore extends Store {
  readonly nodes?: Nodes;
}

/** Opens the store. Throws DataError, see `openLowdbStore` and `openPostgresStore`. */
export async function openStore(options: StoreOptions): Promise<OpenStore> {
  const store: OpenStore = await (options.url === '' ? openLowdbStore(options) : openDatabase(options));
  const newest = [(await store.builds.listOpen()).at(-1), (await store.builds.listEnded({ limit: 1 }))[0]];
  for (const build of newest) if (build) startBuildIdsBehind(build.id);
  const [entry] = await store.audit.list({ limit: 1 });
  if (entry) startEntryIdsBehind(entry.id);
  return store;
}

/** Opens the store in a database. */
async function openDatabase({ url, folder, ...listeners }: StoreOptions): Promise<OpenStore> {
  // Nodes of one machine share `base_dir`.
  mkdirSync(dirname(folder), { recursive: true });
  // Nobody who keeps JSON files waits for the driver to be loaded.
  const { openPostgresStore } = await import('../data/postgres/open-postgres-store.ts');
  return await openPostgresStore({ url, ...listeners });
}
