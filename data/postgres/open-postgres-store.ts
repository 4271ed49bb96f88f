import type { NodeListener, Nodes } from '../nodes.ts';
import { COLLECTIONS, createStore, type Store } from '../store.ts';
import { createConnections, type Patience, retryConnecting, toDataError } from './connections.ts';
import { createHotAnswers } from './hot-answers.ts';
import { migrate } from './migrate.ts';
import { createNodeLogs } from './node-logs.ts';
import { drawNode, endNodeSession, holdMigrationLock, openNodeSession } from './node-session.ts';
import { createNodeStates } from './node-states.ts';
import { joinNodes, markDead } from './node-table.ts';
import type { Notice } from './notices.ts';
import { createReader } from './reader.ts';
import { createSharedAttempts, pruneAttempts } from './shared-attempts.ts';
import { createSharedMemory, pruneMemory } from './shared-memory.ts';
import { createStatements } from './statements.ts';
import { createJobs, createTurns, pruneJobs } from './turns.ts';
import { checkFinished } from './unfinished.ts';
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

const CLOCK = 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms';

/**
 * Opens the store in a PostgreSQL database as one of several nodes, and brings its tables up to this release. A server that
 * cannot be reached is waited for. Throws DataError `busy` where tables would change that other nodes use, or another process has the
 * database for itself, `unwritable`, and `invalid` for a database that cannot be used.
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
      await markDead(readers, lost, connections.patience);
    } catch (error) {
      connections.fail(error);
    } finally {
      dead.delete(lost);
    }
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
    const session = await retryConnecting(() => openNodeSession(connections, { node }), {
      name,
      waitMs: startMs,
      onWait: onWarning,
    });
    try {
      await holdMigrationLock(session.client, { name, waitMs: startMs }, async () => {
        await checkFinished(session.client, name);
        await migrate(session.client, { name, collections: COLLECTIONS, onWarning });
        await createJobs(connections, session.client);
        // Whoever changes tables next sees this node.
        await joinNodes(session.client, node, connections.self);
      });
      await hot.load(session.client, statements);
    } catch (error) {
      await session.close();
      throw toDataError(error, name);
    }
    const writer = createWriter({
      connections,
      statements,
      hot,
      node,
      session,
      onWriteFailed,
      onNotice,
      onGap,
      onDead: (lost) => void bury(lost),
    });
    const store = createStore({
      turns: createTurns(connections, onWarning),
      read: createReader({ connections, statements, hot }),
      transact: writer.transact,
      async close() {
        await writer.close();
        await connections.close();
      },
    });
    const nodes: Nodes = {
      id: node,
      ...createNodeStates(connections, node),
      logs: createNodeLogs(readers),
      attempts: createSharedAttempts(readers, connections.fail),
      memory: createSharedMemory(readers, connections.fail),
      measure: () => ({
        connections: {
          inUse: readers.totalCount - readers.idleCount,
          idle: readers.idleCount,
          waiting: readers.waitingCount,
        },
        changes: writer.countChanges(),
      }),
      observe: connections.observe,
      async readClock() {
        try {
          const { rows } = await readers.query<{ ms: string }>(CLOCK);
          return Number(rows[0]!.ms);
        } catch (error) {
          throw connections.fail(error);
        }
      },
      async prune() {
        await pruneAttempts(readers);
        await pruneMemory(readers);
        await pruneJobs(connections);
      },
      listen: (listener) => void listeners.push(listener),
      joinDuty: writer.joinDuty,
      isOnDuty: writer.isOnDuty,
    };
    return { ...store, nodes };
  } catch (error) {
    await connections.close();
    throw error;
  }
}
