import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { phrase } from '../../lib/phrase.ts';
import { DataError } from '../data-error.ts';
import type { Nodes, Transaction } from '../nodes.ts';
import type { Database, Query, Step } from '../transaction.ts';
import { type Connections, isConflict, isConnectionFailure, isRejection } from './connections.ts';
import { createHeartbeats } from './heartbeats.ts';
import type { HotAnswers } from './hot-answers.ts';
import { type NodeSession, openNodeSession, UnusableServer } from './node-session.ts';
import { joinNodes, leaveNodes } from './node-table.ts';
import { type Notice, readNotice, writeNotice } from './notices.ts';
import { createPauses } from './pauses.ts';
import { answerQuery, createSender, type Outcome, runStep } from './run-step.ts';
import type { Statements } from './statements.ts';
import { CHANNEL, SCHEMA, TAKE_TURN } from './table-layout.ts';

/** Makes all changes of this process. */
export interface Writer extends Pick<Nodes, 'joinDuty' | 'isOnDuty'> {
  readonly transact: Database['transact'];
  /** Returns how many changes wait, or are being made. */
  countChanges(): number;
  /** Waits for what was asked for, and leaves the database to other nodes. */
  close(): Promise<void>;
}

export interface WriterOptions {
  readonly connections: Connections;
  readonly statements: Statements;
  readonly hot: HotAnswers;
  readonly node: number;
  /** Open already, of a node that is listed. */
  readonly session: NodeSession;
  /** Called for what other nodes have changed. */
  readonly onNotice: (notice: Notice) => void;
  /** Called when others were not heard for a while, before changes go on. */
  readonly onGap: () => void;
  /** Called for nodes that are dead, every second until they are marked. */
  readonly onDead: (node: number) => void;
  /** Called for changes that cannot be made. */
  readonly onWriteFailed: () => void;
}

/** A change that waits, or is being made; `run` begins from the start each time. */
interface Operation {
  run(ask: (query: Query) => Promise<unknown>): Promise<Outcome<unknown>>;
  settle(outcome: Outcome<unknown>): void;
}

/** One try to commit a batch; by its id the database tells that it is the last one committed. */
interface Attempt {
  readonly id: string;
  readonly outcomes: Outcome<unknown>[];
  /** The changes of those that did not throw. */
  readonly changes: Query[];
  /** The changes may be committed from now on, whatever is heard of them. */
  isCommitting: boolean;
}

/** Changes that share a transaction. */
const MAX_BATCH = 50;
/** Changes that wait; more are refused. */
const MAX_WAITING = 10_000;
const MAX_TRIES = 10;
const MAX_PAUSE_MS = 500;
/** Longest pause, in heartbeats, where sessions are refused one after the other. */
const MAX_PAUSE_BEATS = 4;

const BEGIN = 'BEGIN ISOLATION LEVEL SERIALIZABLE';
const NOTE_BATCH = {
  name: 'docbuild_batch',
  text: `UPDATE ${SCHEMA}.nodes SET batch = $1, seen = now(), is_dead = false WHERE id = $2`,
};
const READ_BATCH = `SELECT batch FROM ${SCHEMA}.nodes WHERE id = $1`;
const NOTIFY = { name: 'docbuild_notify', text: `SELECT pg_notify('${CHANNEL}', $1)` };

/**
 * Creates the writer: steps run one after the other, in the order they were asked for, and those that wait share a
 * transaction; nodes take turns. One that conflicts with another session's is run again. Where the connection breaks, a new
 * one tells whether the transaction was committed, and if it was not, it is run again, too.
 */
export function createWriter(options: WriterOptions): Writer {
  const { connections, statements, hot, node, onWriteFailed } = options;
  const { fail } = connections;
  let session: NodeSession | undefined = options.session;
  let { identity } = options.session;
  let opening: Promise<NodeSession> | undefined;
  const { heartbeatMs } = connections.patience;
  const pauses = createPauses({ firstMs: heartbeatMs, maxMs: MAX_PAUSE_BEATS * heartbeatMs });
  /** Why the last session was refused. */
  let refusal: unknown;
  const waiting: Operation[] = [];
  /** Changes that are being made. */
  let made = 0;
  let running: Promise<void> | undefined;

  const lose = (lost: NodeSession): void => {
    lost.destroy();
    if (session === lost) session = undefined;
  };
  /** Returns the open session, or opens one within the time that an outage may take. */
  const getSession = async (): Promise<NodeSession> => {
    if (session) return session;
    if (!opening && pauses.isPausing()) throw refusal;
    opening ??= connections
      .insist(reopen)
      .catch((error: unknown) => {
        // Nobody waits for a server that others have waited for in vain.
        const failure = fail(error);
        if (isRejection(error)) {
          pauses.fail();
          refusal = error;
        }
        for (const operation of waiting.splice(0)) operation.settle({ error: failure });
        throw error;
      })
      .finally(() => {
        opening = undefined;
      });
    return await opening;
  };
  const reopen = async (): Promise<NodeSession> => {
    let opened: NodeSession | undefined;
    try {
      opened = await openNodeSession(connections, { node, lost: identity });
      ({ identity } = opened);
      await joinNodes(opened.client, node, connections.self);
      hear(opened);
      hot.forget();
      await hot.load(opened.client, statements);
      session = opened;
      pauses.succeed();
      options.onGap();
      return opened;
    } catch (error) {
      opened?.destroy();
      if (error instanceof DataError || error instanceof UnusableServer) hot.forget();
      throw error;
    }
  };
  const hear = ({ client }: NodeSession): void => {
    client.on('notification', ({ payload }) => {
      const notice = readNotice(payload);
      if (notice.node !== node) options.onNotice(notice);
    });
  };
  hear(options.session);

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
        const current = await getSession();
        try {
          const { rows } = await current.client.query<{ batch: string }>(READ_BATCH, [node]);
          return rows[0]?.batch === id;
        } catch (error) {
          lose(current);
          throw error;
        }
      });
    } catch (cause) {
      hot.forget();
      fail(cause);
      const wording = phrase`The connection to the database was lost; whether the last change was made is not known`;
      throw new DataError('unwritable', wording, { cause });
    }
  };

  /** Runs a batch until it is committed or can only fail; returns the outcomes of its steps. */
  const commit = async (batch: readonly Operation[]): Promise<readonly Outcome<unknown>[]> => {
    for (let tries = 1; ; tries++) {
      const current = await getSession();
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
          lose(current);
          if (attempt.isCommitting && (await isCommitted(attempt.id))) return conclude();
        } else {
          await current.client.query('ROLLBACK').catch(() => lose(current));
          if (!isConflict(error)) throw error;
          await sleep(Math.random() * Math.min(MAX_PAUSE_MS, 2 ** tries));
        }
        if (tries === MAX_TRIES) throw isConflict(error) ? createConflict(error) : error;
      }
    }
  };

  const settle = async (batch: readonly Operation[]): Promise<void> => {
    try {
      const outcomes = await commit(batch);
      for (const [i, operation] of batch.entries()) operation.settle(outcomes[i]!);
    } catch (error) {
      if (batch.length > 1 && !(error instanceof DataError) && !isConnectionFailure(error)) {
        // One of them cannot be stored: the others do not fail with it.
        for (const operation of batch) await settle([operation]);
        return;
      }
      onWriteFailed();
      const failure = fail(error);
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
    lose,
    onDead: options.onDead,
    findSession: () => (opening ? undefined : getSession()),
    isBusy: () => running !== undefined,
  });

  return {
    transact: <T>(step: () => Step<T>) =>
      new Promise<T>((resolve, reject) => {
        if (waiting.length >= MAX_WAITING) {
          return reject(new DataError('busy', phrase`Too many requests wait for the database; try again in a moment`));
        }
        waiting.push({
          run: (ask) => runStep(step(), ask, fail),
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
      await opening?.catch(() => {});
      if (!session) return;
      await leaveNodes(session.client, node).catch(() => {});
      await session.close();
    },
  };
}

function createConflict(cause: unknown): DataError {
  return new DataError('busy', phrase`Too many changes of the same at once; try again in a moment`, { cause });
}
