import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { phrase } from '../../lib/phrase.ts';
import { DataError } from '../data-error.ts';
import type { Transaction } from '../nodes.ts';
import type { Query } from '../transaction.ts';
import { type Connections, isConflict, isConnectionFailure } from './connections.ts';
import type { HotAnswers } from './hot-answers.ts';
import type { KeptSession } from './kept-session.ts';
import type { NodeSession } from './node-session.ts';
import { writeNotice } from './notices.ts';
import { answerQuery, createSender, type Outcome } from './run-step.ts';
import type { Statements } from './statements.ts';
import { CHANNEL, SCHEMA, TAKE_TURN } from './table-layout.ts';

/** A change that is made in a batch; `run` begins from the start each time. */
export interface Operation {
  run(ask: (query: Query) => Promise<unknown>): Promise<Outcome<unknown>>;
}

/** Makes changes in one transaction; returns how each of them ended. Rejects where none is made, or nobody knows whether they are. */
export type CommitBatch = (batch: readonly Operation[]) => Promise<readonly Outcome<unknown>[]>;

/** One try to commit a batch; by its id the database tells that it is the last one committed. */
interface Attempt {
  readonly id: string;
  readonly outcomes: Outcome<unknown>[];
  /** The changes of those that did not throw. */
  readonly changes: Query[];
  /** The changes may be committed from now on, whatever is heard of them. */
  isCommitting: boolean;
}

const MAX_TRIES = 10;
const MAX_PAUSE_MS = 500;

const BEGIN = 'BEGIN ISOLATION LEVEL SERIALIZABLE';
const NOTE_BATCH = {
  name: 'docbuild_batch',
  text: `UPDATE ${SCHEMA}.nodes SET batch = $1, seen = now(), is_dead = false WHERE id = $2`,
};
const READ_BATCH = `SELECT batch FROM ${SCHEMA}.nodes WHERE id = $1`;
const NOTIFY = { name: 'docbuild_notify', text: `SELECT pg_notify('${CHANNEL}', $1)` };

/**
 * Creates what commits the batches of a node, one after the other. One that conflicts with another session's is run again. Where the
 * connection breaks, a new one tells whether the transaction was committed, and if it was not, it is run again, too.
 */
export function createCommitBatch(context: {
  readonly connections: Connections;
  readonly statements: Statements;
  /** Told of what is committed. */
  readonly hot: HotAnswers;
  readonly node: number;
  readonly session: Pick<KeptSession, 'get' | 'lose'>;
}): CommitBatch {
  const { connections, statements, hot, node, session } = context;

  /** Runs the steps of a batch in a transaction and commits it. Rejects with the first failure. */
  const runBatch = async ({ client }: NodeSession, batch: readonly Operation[], attempt: Attempt): Promise<void> => {
    const sender = createSender(client);
    const isAlone = batch.length === 1;
    sender.send(BEGIN);
    sender.send(TAKE_TURN);
    for (const operation of batch) {
      const changes: Query[] = [];
      const outcome = await operation.run((query) => {
        if (query.kind === 'put' || query.kind === 'remove' || query.kind === 'turn') {
          if (changes.push(query) === 1 && !isAlone) sender.send('SAVEPOINT step');
        }
        return answerQuery(query, statements, sender);
      });
      attempt.outcomes.push(outcome);
      if (changes.length === 0) continue;
      if ('error' in outcome) sender.send(isAlone ? 'ROLLBACK AND CHAIN' : 'ROLLBACK TO SAVEPOINT step');
      else attempt.changes.push(...changes);
      if (!isAlone) sender.send('RELEASE SAVEPOINT step');
    }
    if (attempt.changes.length > 0) {
      sender.send({ ...NOTE_BATCH, values: [attempt.id, node] });
      const notice = writeNotice(node, attempt.changes);
      if (notice !== undefined) sender.send({ ...NOTIFY, values: [notice] });
      attempt.isCommitting = true;
    }
    sender.send('COMMIT');
    await sender.done();
  };

  /** Returns whether a batch was committed whose connection broke: it is the last one, since this session came after it. */
  const isCommitted = async (id: string): Promise<boolean> => {
    try {
      return await connections.insist(async () => {
        const current = await session.get();
        try {
          const { rows } = await current.client.query<{ batch: string }>(READ_BATCH, [node]);
          return rows[0]?.batch === id;
        } catch (error) {
          session.lose(current);
          throw error;
        }
      });
    } catch (cause) {
      hot.forget();
      connections.fail(cause);
      const wording = phrase`The connection to the database was lost; whether the last change was made is not known`;
      throw new DataError('unwritable', wording, { cause });
    }
  };

  return async (batch) => {
    for (let tries = 1; ; tries++) {
      const current = await session.get();
      const startMs = performance.now();
      const note = (outcome: Transaction['outcome']): void =>
        connections.note({ kind: 'change', outcome, ms: performance.now() - startMs });
      const attempt: Attempt = { id: randomUUID(), outcomes: [], changes: [], isCommitting: false };
      const conclude = (): readonly Outcome<unknown>[] => {
        hot.apply(attempt.changes);
        return attempt.outcomes;
      };
      try {
        await runBatch(current, batch, attempt);
        note('answered');
        return conclude();
      } catch (error) {
        note('failed');
        if (isConnectionFailure(error)) {
          session.lose(current);
          if (attempt.isCommitting && (await isCommitted(attempt.id))) return conclude();
        } else {
          await current.client.query('ROLLBACK').catch(() => session.lose(current));
          if (!isConflict(error)) throw error;
          await sleep(Math.random() * Math.min(MAX_PAUSE_MS, 2 ** tries));
        }
        if (tries === MAX_TRIES) throw isConflict(error) ? createConflict(error) : error;
      }
    }
  };
}

function createConflict(cause: unknown): DataError {
  return new DataError('busy', phrase`Too many changes of the same at once; try again in a moment`, { cause });
}
