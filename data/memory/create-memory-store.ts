import { DataError } from '../data-error.ts';
import { COLLECTIONS, createStore, type Store } from '../store.ts';
import { createTables } from '../tables/tables.ts';

/** Creates a store that forgets everything with its process; for tests. */
export function createMemoryStore(): Store {
  const tables = createTables(COLLECTIONS);
  let isClosed = false;
  const check = (): void => {
    if (isClosed) throw new DataError('unwritable', 'The store is closed');
  };
  return createStore({
    async read(step) {
      check();
      return tables.read(step);
    },
    async transact(step) {
      check();
      return tables.transact(step()).value;
    },
    async close() {
      isClosed = true;
    },
  });
}
