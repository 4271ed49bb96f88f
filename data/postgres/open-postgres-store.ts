import type pg from 'pg';
import type { NodeListener, Nodes } from '../nodes.ts';
import { COLLECTIONS, createStore, type Store } from '../store.ts';
import { createConnections, insistOn, type Patience, toDataError } from './connections.ts';
import { createHotAnswers } from './hot-answers.ts';
import { migrate } from './migrate.ts';
import { createNodeLogs } from './node-logs.ts';
import { drawNode, endNodeSession, holdMigrationLock, openNodeSession } from './node-session.ts';
import { joinNodes, markDead } from './node-table.ts';
import type { Notice } from './notices.ts';
import { createReader } from './reader.ts';
import { createSharedAttempts, pruneAttempts } from './shared-attempts.ts';
import { createSharedMemory, pruneMemory } from './shared-memory.ts';
import { createStatements } from './statements.ts';
import { TAKE_TURN } from './table-layout.ts';
import { migrateJobs, releaseTurns, startTurnServer } from './turn-server.ts';
import { claimQuickTurn, countWaitingTurns, findWaitingTurns } from './turns.ts';
import { checkFinished } from './unfinished.ts';
import { declareLayout, indexNoted } from './unindexed.ts';
import { createWriter } from './writer.ts';

/** Where the database is, and listeners for trouble. */
export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`; what it leaves out is read from `PG*`. */
  readonly url: string;
  readonly onWarning: (message: string) => void;
  /** Called for changes that cannot be made. */
  readonly onWriteFailed?: (() => void) | undefined;
  /** How long things may take; default: `PATIENCE`. */
  readonly patience?: Patience;
}

/** A store that several processes use together. */
export interface SharedStore extends Store {
  readonly nodes: Nodes;
}

/**
 * Opens the store in a PostgreSQL database as one of several nodes, and brings its tables up to this release. A server that
 * cannot be reached is waited for. Throws DataError `busy` where a release has the database that shares it with nobody,
 * `unwritable`, and `invalid` for a database that cannot be used.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<SharedStore> {
  const { url, onWarning, onWriteFailed = () => {}, patience } = options;
  const connections = createConnections(url, { patience, onWarning });
  const { name, readers } = connections;
  const { startMs } = connections.patience;
  const statements = createStatements(COLLECTIONS);
  const hot = createHotAnswers();
  const node = drawNode();
  const listeners: NodeListener[] = [];
  /** Nodes that are being buried. */
  const dead = new Set<number>();

  const bury = async (lost: number): Promise<void> => {
    if (dead.has(lost)) return;
    dead.add(lost);
    try {
      await endNodeSession(readers, lost);
      for (const listener of listeners) await listener.onDead(lost);
      await releaseTurns(readers, lost);
      await markDead(readers, lost, connections.patience);
    } catch (error) {
      connections.fail(error);
    } finally {
      dead.delete(lost);
    }
  };
  let isIndexing = false;
  /** Computes the indexes of what nodes of an older release have written. */
  const indexRecords = async (): Promise<void> => {
    const client = await readers.connect();
    const run = async <R extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<R[]> =>
      (await client.query<R>(text, [...values])).rows;
    try {
      for (let isMore = true; isMore; ) {
        await run('BEGIN');
        await declareLayout(client, COLLECTIONS, true);
        await run(TAKE_TURN);
        isMore = await indexNoted(run, COLLECTIONS);
        await run('COMMIT');
      }
      client.release();
    } catch (error) {
      client.release(true);
      connections.fail(error);
    }
  };
  const onNoted = (): void => {
    if (isIndexing) return;
    isIndexing = true;
    indexRecords()
      .catch(connections.fail)
      .finally(() => {
        isIndexing = false;
      });
  };
  const loadBlocks = async (): Promise<void> => {
    const client = await readers.connect();
    try {
      await hot.load(client, statements);
      client.release();
    } catch (error) {
      client.release(true);
      connections.fail(error);
    }
  };
  const onGap = (): void => {
    for (const listener of listeners) listener.onGap();
  };
  const onNotice = ({ projects, hasBlocks, builds, isAll }: Notice): void => {
    if (isAll) hot.forget();
    else hot.forgetChanged({ projects, hasBlocks });
    if (isAll || hasBlocks) loadBlocks().catch(connections.fail);
    if (isAll) onGap();
    for (const build of builds) for (const listener of listeners) listener.onBuild(build);
  };

  try {
    const session = await insistOn(() => openNodeSession(connections, { node }), {
      ...{ name, waitMs: startMs, onWait: onWarning },
    });
    try {
      await holdMigrationLock(session.client, { name, waitMs: startMs }, async () => {
        await checkFinished(session.client, name);
        await migrate(session.client, { name, collections: COLLECTIONS, onWarning });
        await migrateJobs(connections, session.client);
      });
      await joinNodes(session.client, node, connections.self);
      await hot.load(session.client, statements);
    } catch (error) {
      await session.close();
      throw toDataError(error, name);
    }
    const writer = createWriter({
      ...{ connections, statements, hot, node, session, onWriteFailed, onNotice, onGap },
      onDead: (lost) => void bury(lost),
      onNoted,
    });
    const store = createStore({
      read: createReader({ connections, statements, hot }),
      transact: writer.transact,
      async close() {
        await writer.close();
        await connections.close();
      },
    });
    const nodes: Nodes = {
      id: node,
      logs: createNodeLogs(readers),
      attempts: createSharedAttempts(readers, connections.fail),
      memory: createSharedMemory(readers, connections.fail),
      async prune() {
        await pruneAttempts(readers);
        await pruneMemory(readers);
      },
      listen: (listener) => void listeners.push(listener),
      serveTurns: (turns) => startTurnServer({ connections, node, onWarning }, turns),
      countWaiting: () => countWaitingTurns(readers),
      findWaiting: (waitedMs) => findWaitingTurns(readers, waitedMs),
      claimQuick: (waitedMs) => claimQuickTurn(readers, waitedMs),
      joinDuty: writer.joinDuty,
      isOnDuty: writer.isOnDuty,
    };
    return { ...store, nodes };
  } catch (error) {
    await connections.close();
    throw error;
  }
}
