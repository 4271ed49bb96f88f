import type { ExecutionContext } from 'ava';
import { openLowdbStore } from '../../data/lowdb/open-lowdb-store.ts';
import type { Store } from '../../data/store.ts';

/** Opens the store of a folder and closes it at the end of the test; a warning fails the test unless it is collected. */
export async function openStore(t: ExecutionContext, folder: string, warnings?: string[]): Promise<Store> {
  const store = await openLowdbStore({
    folder,
    onWarning: (message) => (warnings ? void warnings.push(message) : t.fail(message)),
  });
  t.teardown(() => store.close());
  return store;
}
