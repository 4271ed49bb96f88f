import { DataError } from '../data-error.ts';
import type { Store } from '../store.ts';
import { createStore } from '../tables/create-store.ts';
import { createEdits, undoEdits } from '../tables/edits.ts';
import { createTables } from '../tables/tables.ts';

/** Creates a store that forgets everything with its process; for tests. */
export function createMemoryStore(): Store {
  let isClosed = false;
  const check = (): void => {
    if (isClosed) throw new DataError('unwritable', 'The store is closed');
  };
  return createStore(createTables(), {
    check,
    async commit(action) {
      check();
      const edits = createEdits();
      try {
        return action(edits);
      } catch (error) {
        undoEdits(edits);
        throw error;
      }
    },
    async close() {
      isClosed = true;
    },
  });
}
