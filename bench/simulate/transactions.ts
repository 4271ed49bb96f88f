import { CHANGE_MS, FURTHER_CHANGE_MS } from './measured.ts';

/** Changes that share a transaction, see `MAX_BATCH` of `data/postgres/writer.ts`. */
const MAX_BATCH = 50;

/** Stores a change of a node; `happen` is called when it is stored. */
export type StoreChange = (node: number, ms: number, happen: (ms: number) => void) => void;

/**
 * Creates the model of `data/postgres/writer.ts`: one transaction at a time, nodes in the order in which they came, and what waits at a
 * node shares its transaction.
 */
export function createTransactions(options: {
  readonly at: (ms: number, happen: (ms: number) => void) => void;
  /** Called with the time that a transaction takes. */
  readonly onRun: (fromMs: number, toMs: number) => void;
}): StoreChange {
  const { at, onRun } = options;
  /** What waits at each node, in the order in which nodes have asked for the lock. */
  const waiting = new Map<number, ((ms: number) => void)[]>();
  let isRunning = false;

  const run = (ms: number): void => {
    const [next] = waiting;
    isRunning = next !== undefined;
    if (!next) return;
    const [node, changes] = next;
    waiting.delete(node);
    const batch = changes.splice(0, MAX_BATCH);
    if (changes.length > 0) waiting.set(node, changes);
    const end = ms + CHANGE_MS + (batch.length - 1) * FURTHER_CHANGE_MS;
    onRun(ms, end);
    at(end, (now) => {
      for (const happen of batch) happen(now);
      run(now);
    });
  };
  return (node, ms, happen) => {
    const changes = waiting.get(node);
    if (changes) changes.push(happen);
    else waiting.set(node, [happen]);
    if (!isRunning) run(ms);
  };
}
