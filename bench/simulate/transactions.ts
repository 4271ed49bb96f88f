import { CHANGE_MS, FURTHER_CHANGE_MS } from './measured.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** Changes that share a transaction, see `MAX_BATCH` of `data/postgres/writer.ts`. */
const MAX_BATCH = 50;

/** Stores a change of a node; `happen` is called when it is stored. */
export type StoreChange = (node: number, happen: () => void) => void;

/**
 * Creates the model of `data/postgres/writer.ts`: one transaction at a time, nodes in the order in which they came, and what waits at a
 * node shares its transaction.
 */
export function createTransactions(options: {
  readonly clock: VirtualClock;
  /** Called with the time that a transaction takes. */
  readonly onRun: (fromMs: number, toMs: number) => void;
}): StoreChange {
  const { clock, onRun } = options;
  /** Transactions that wait at each node, in the order in which nodes have asked for the lock. */
  const waiting = new Map<number, (() => void)[]>();
  let isRunning = false;

  const run = (): void => {
    const [next] = waiting;
    isRunning = next !== undefined;
    if (!next) return;
    const [node, changes] = next;
    waiting.delete(node);
    const batch = changes.splice(0, MAX_BATCH);
    if (changes.length > 0) waiting.set(node, changes);
    const from = clock.nowMs();
    const end = from + CHANGE_MS + (batch.length - 1) * FURTHER_CHANGE_MS;
    onRun(from, end);
    clock.at(end, () => {
      for (const happen of batch) happen();
      run();
    });
  };
  return (node, happen) => {
    const changes = waiting.get(node);
    if (changes) changes.push(happen);
    else waiting.set(node, [happen]);
    if (!isRunning) run();
  };
}
