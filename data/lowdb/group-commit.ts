import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Changes, Tables } from '../tables/tables.ts';
import type { Database, Step } from '../transaction.ts';

/** Brings changes to disk; returns the error of each step's changes that did not get there. */
export type WriteBatch = (batch: readonly Changes[]) => Promise<ReadonlyMap<Changes, unknown>>;

/** Runs steps in memory at once and lets them share writes. */
export interface GroupCommit {
  readonly transact: Database['transact'];
  /** Waits until nothing is left to write. */
  idle(): Promise<void>;
}

interface Operation {
  readonly changes: Changes;
  /** Changes the tables (again). */
  run(): void;
  settle(): void;
  reject(error: unknown): void;
}

const NO_CHANGES: Changes = { list: [], undo() {}, redo() {} };

/**
 * Creates a group commit: steps that change something while a write is in progress share the next one. A step whose write
 * fails is undone together with all that was done on top of it; what was waiting is run again without it.
 */
export function createGroupCommit(tables: Tables, write: WriteBatch): GroupCommit {
  let waiting: Operation[] = [];
  let running: Promise<void> | undefined;

  const drain = async (): Promise<void> => {
    for (;;) {
      // Callers that were just answered get to make their next change.
      await nextTurn();
      if (waiting.length === 0) break;
      const batch = waiting;
      waiting = [];
      const failed = await write(batch.map(({ changes }) => changes));
      if (failed.size === 0) for (const operation of batch) operation.settle();
      else recover(batch, failed);
    }
    running = undefined;
  };

  const recover = (batch: readonly Operation[], failed: ReadonlyMap<Changes, unknown>): void => {
    const again: Operation[] = [];
    for (const { changes } of [...batch, ...waiting].toReversed()) changes.undo();
    for (const operation of batch) {
      const { changes } = operation;
      if (failed.has(changes)) operation.reject(failed.get(changes));
      else if (changes.list.length === 0) again.push(operation);
      else {
        changes.redo();
        operation.settle();
      }
    }
    waiting = [...again, ...waiting];
    for (const operation of waiting) operation.run();
  };

  return {
    transact: <T>(step: () => Step<T>) =>
      new Promise<T>((resolve, reject) => {
        let changes = NO_CHANGES;
        let settle = (): void => {};
        const operation: Operation = {
          get changes() {
            return changes;
          },
          run() {
            changes = NO_CHANGES;
            try {
              const done = tables.transact(step());
              changes = done.changes;
              settle = () => resolve(done.value);
            } catch (error) {
              settle = () => reject(error);
            }
          },
          settle: () => settle(),
          reject,
        };
        operation.run();
        // A step without changes may still rest on some that are not on disk yet.
        if (!running && changes.list.length === 0) return settle();
        waiting.push(operation);
        running ??= drain();
      }),
    async idle() {
      while (running) await running;
    },
  };
}
