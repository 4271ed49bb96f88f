import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Action, type Commit, createEdits, type Edits, undoEdits } from '../tables/edits.ts';

/** Brings edits to disk; gives the error of each list of edits that did not get there. */
export type WriteBatch = (batch: readonly Edits[]) => Promise<ReadonlyMap<Edits, unknown>>;

/** Makes changes in memory at once and lets them share writes. */
export interface GroupCommit {
  readonly commit: Commit;
  /** Waits until nothing is left to write. */
  idle(): Promise<void>;
}

interface Operation {
  readonly edits: Edits;
  /** Changes the tables (again). */
  run(): void;
  settle(): void;
  reject(error: unknown): void;
}

/**
 * Creates a group commit: changes made while a write is under way go into the next one together. A change that fails is
 * taken back with all that was made on top of it; what was waiting is made again without it.
 */
export function createGroupCommit(write: WriteBatch): GroupCommit {
  let waiting: Operation[] = [];
  let running: Promise<void> | undefined;

  const drain = async (): Promise<void> => {
    for (;;) {
      // Callers that were just answered get to make their next change.
      await nextTurn();
      if (waiting.length === 0) break;
      const batch = waiting;
      waiting = [];
      const failed = await write(batch.map(({ edits }) => edits));
      if (failed.size === 0) for (const operation of batch) operation.settle();
      else recover(batch, failed);
    }
    running = undefined;
  };

  const recover = (batch: readonly Operation[], failed: ReadonlyMap<Edits, unknown>): void => {
    const again: Operation[] = [];
    const all = [...batch, ...waiting];
    for (const { edits } of all.toReversed()) undoEdits(edits);
    for (const operation of batch) {
      const { edits } = operation;
      if (failed.has(edits)) operation.reject(failed.get(edits));
      else if (edits.list.length === 0) again.push(operation);
      else {
        for (const edit of edits.list) edit.redo();
        operation.settle();
      }
    }
    waiting = [...again, ...waiting];
    for (const operation of waiting) operation.run();
  };

  return {
    commit: (action) =>
      new Promise((resolve, reject) => {
        const operation = createOperation(action, resolve, reject);
        operation.run();
        // What changes nothing may still rest on changes that are not on disk yet.
        if (!running && operation.edits.list.length === 0) return operation.settle();
        waiting.push(operation);
        running ??= drain();
      }),
    async idle() {
      while (running) await running;
    },
  };
}

function createOperation<T>(
  action: Action<T>,
  resolve: (value: T) => void,
  reject: (error: unknown) => void,
): Operation {
  let edits = createEdits();
  let settle = (): void => {};
  return {
    get edits() {
      return edits;
    },
    run() {
      edits = createEdits();
      try {
        const value = action(edits);
        settle = () => resolve(value);
      } catch (error) {
        undoEdits(edits);
        edits = createEdits();
        settle = () => reject(error);
      }
    },
    settle: () => settle(),
    reject,
  };
}
