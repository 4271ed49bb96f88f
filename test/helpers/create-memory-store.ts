import { COLLECTIONS, createStore, type Store } from '../../data/store.ts';
import { createTables } from '../../data/tables/tables.ts';

/** Creates a store that forgets everything with its process; for tests. */
export function createMemoryStore(): Store {
  const tables = createTables(COLLECTIONS);
  return createStore({
    turns: tables.turns,
    read: async (step) => tables.read(step),
    transact: async (step) => tables.transact(step()).value,
    close: async () => {},
  });
}
