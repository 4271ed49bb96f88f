import { setImmediate as pause } from 'node:timers/promises';
import { type Project, projects } from '../../data/records/project.ts';
import { COLLECTIONS, createStore, type Store } from '../../data/store.ts';
import { type Changes, createTables } from '../../data/tables/tables.ts';
import { type Query, type Step, tx } from '../../data/transaction.ts';
import { createKeyedQueue } from '../../lib/keyed-queue.ts';

/** A store in memory that waits before each query, as one does that asks a database server. */
export function createSlowStore(known: readonly Project[] = []): Store {
  const tables = createTables(COLLECTIONS);
  for (const project of known) tables.transact(tx.put(projects, projects.parse(project)));
  const queue = createKeyedQueue();

  /** Steps run one after the other, as if each were alone. */
  const run = <T>(step: () => Step<T>): Promise<T> =>
    queue.run('', async () => {
      const changes: Changes[] = [];
      try {
        const running = step();
        let next = running.next();
        while (!next.done) {
          await pause();
          const done = tables.transact(ask(next.value));
          changes.push(done.changes);
          next = running.next(done.value);
        }
        return next.value;
      } catch (error) {
        for (const one of changes.toReversed()) one.undo();
        throw error;
      }
    });
  return createStore({
    turns: tables.turns,
    read: (step) => run(() => step),
    transact: run,
    close: () => queue.idle(),
  });
}

function* ask(query: Query): Step<unknown> {
  return yield query;
}
