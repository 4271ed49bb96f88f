import { setImmediate as nextTurn } from 'node:timers/promises';
import { phrase } from '../../lib/phrase.ts';
import { DataError } from '../data-error.ts';
import type { Nodes } from '../nodes.ts';
import type { Database, Step } from '../transaction.ts';
import { createCommitBatch, type Operation } from './commit-batch.ts';
import { isConnectionFailure } from './connections.ts';
import { createHeartbeats } from './heartbeats.ts';
import { createKeptSession, type KeptSessionOptions } from './kept-session.ts';
import { type Outcome, runStep } from './run-step.ts';

/** Makes all changes of this process. */
export interface Writer extends Pick<Nodes, 'joinDuty' | 'isOnDuty'> {
  readonly transact: Database['transact'];
  /** Returns how many changes wait, or are being made. */
  countChanges(): number;
  /** Waits for what was asked for, and leaves the database to other nodes. */
  close(): Promise<void>;
}

export interface WriterOptions extends Omit<KeptSessionOptions, 'onOutage'> {
  /** Called for nodes that are dead, every second until they are marked. */
  readonly onDead: (node: number) => void;
  /** Called for changes that cannot be made. */
  readonly onWriteFailed: () => void;
}

/** A change that waits, or is being made, and whoever has asked for it. */
interface WaitingOperation extends Operation {
  settle(outcome: Outcome<unknown>): void;
}

/** Changes that share a transaction. */
const MAX_BATCH = 50;
/** Changes that wait; more are refused. */
const MAX_WAITING = 10_000;

/**
 * Creates the writer: steps run one after the other, in the order they were asked for, and those that wait share a
 * transaction; nodes take turns. What is not stored for a reason that may pass is run again, see `createCommitBatch`.
 */
export function createWriter(options: WriterOptions): Writer {
  const { connections, statements, hot, node, onNotice, onGap, onWriteFailed } = options;
  const waiting: WaitingOperation[] = [];
  /** Changes that are being made. */
  let made = 0;
  let running: Promise<void> | undefined;
  const session = createKeptSession({
    connections,
    statements,
    hot,
    node,
    session: options.session,
    onNotice,
    onGap,
    onOutage(failure) {
      // Nobody waits for a server that others have waited for in vain.
      for (const operation of waiting.splice(0)) operation.settle({ error: failure });
    },
  });
  const commitBatch = createCommitBatch({ connections, statements, hot, node, session });

  const settle = async (batch: readonly WaitingOperation[]): Promise<void> => {
    try {
      const outcomes = await commitBatch(batch);
      for (const [i, operation] of batch.entries()) operation.settle(outcomes[i]!);
    } catch (error) {
      if (batch.length > 1 && !(error instanceof DataError) && !isConnectionFailure(error)) {
        // One of them cannot be stored: the others do not fail with it.
        for (const operation of batch) await settle([operation]);
        return;
      }
      onWriteFailed();
      const failure = connections.fail(error);
      for (const operation of batch) operation.settle({ error: failure });
    }
  };

  const drain = async (): Promise<void> => {
    for (;;) {
      // Callers that were just answered get to make their next change.
      await nextTurn();
      if (waiting.length === 0) break;
      const batch = waiting.splice(0, MAX_BATCH);
      made = batch.length;
      await settle(batch);
      made = 0;
      await heartbeats.sendIfDue();
    }
    running = undefined;
  };

  const heartbeats = createHeartbeats({
    connections,
    node,
    lose: session.lose,
    onDead: options.onDead,
    findSession: session.find,
    isBusy: () => running !== undefined,
  });

  return {
    transact: <T>(step: () => Step<T>) =>
      new Promise<T>((resolve, reject) => {
        if (waiting.length >= MAX_WAITING) {
          return reject(new DataError('busy', phrase`Too many requests wait for the database; try again in a moment`));
        }
        waiting.push({
          run: (ask) => runStep(step(), ask, connections.fail),
          settle: (outcome) => ('error' in outcome ? reject(outcome.error) : resolve(outcome.value as T)),
        });
        running ??= drain();
      }),
    countChanges: () => waiting.length + made,
    joinDuty: heartbeats.joinDuty,
    isOnDuty: heartbeats.isOnDuty,
    async close() {
      heartbeats.stop();
      while (running) await running;
      await session.close();
    },
  };
}
