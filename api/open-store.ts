import { holdFolder } from '../data/hold-folder.ts';
import { type LowdbStoreOptions, openLowdbStore } from '../data/lowdb/open-lowdb-store.ts';
import { startBuildIdsBehind } from '../data/records/build-id.ts';
import type { Store } from '../data/store.ts';

/** Where records are kept: in the database of a URL, and without one ('') in the files of a folder. */
interface StoreOptions extends LowdbStoreOptions {
  readonly url: string;
}

/** Opens the store. Throws DataError, see `openLowdbStore` and `openPostgresStore`. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const store = await (options.url === '' ? openLowdbStore(options) : openDatabase(options));
  const newest = [(await store.builds.listOpen()).at(-1), (await store.builds.listEnded({ limit: 1 }))[0]];
  for (const build of newest) if (build) startBuildIdsBehind(build.id);
  return store;
}

/** Opens the store in a database. All else is below `base_dir`, which no other process may use either. */
async function openDatabase({ url, folder, ...listeners }: StoreOptions): Promise<Store> {
  const lock = await holdFolder(folder, listeners.onWarning);
  try {
    // Nobody who keeps JSON files waits for the driver to be loaded.
    const { openPostgresStore } = await import('../data/postgres/open-postgres-store.ts');
    const store = await openPostgresStore({ url, ...listeners });
    return {
      ...store,
      async close() {
        await store.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}
