import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { DataError } from '../data-error.ts';
import type { Connection, Connections } from './connections.ts';
import { CHANNEL } from './table-layout.ts';

/**
 * The session in which a node makes all its changes, and hears of those of others. It holds the node's own lock, so that a
 * node has one such session, and others can end it.
 */
export interface NodeSession extends Connection {
  readonly identity: SessionIdentity;
  /** When it was opened, by `performance.now()`. */
  readonly openedAt: number;
  /** Frees the lock and ends the connection. */
  close(): Promise<void>;
}

/** Tells a session from others of the server, also from a later one with the same process id. */
interface SessionIdentity {
  readonly pid: number;
  readonly start: string;
}

/** The server has been used, and cannot be at the moment, as while another one takes its place; it may have other records, too. */
export class UnusableServer extends Error {}

/** First key of the advisory locks of processes: "docb". The second one is the number of a node, or one of those below. */
export const LOCKS = 0x646f_6362;
/** First key of the locks under which attempts are counted. */
export const ATTEMPT_LOCKS = LOCKS + 1;
/** Second key of the lock for bringing tables up to date. */
const MIGRATION_LOCK = 1;
/** Numbers of nodes are above the keys of other locks, and fit into 31 bits. */
const LEAST_NODE = 2 ** 20;
const LEAST_VERSION = 14;
/** A session that does nothing within a transaction is ended after this time, ms: others wait for it to make their changes. */
const IDLE_MS = 5_000;
/** How long the end of a session may take. */
const END_MS = 5_000;
/** How long the server may still have the session of a process that was killed, ms. */
const ENDING_MS = 2_000;
const RETRY_MS = 20;

/** Returns a number for a node, by chance. */
export function drawNode(): number {
  return randomInt(LEAST_NODE, 2 ** 31);
}

/**
 * Opens the session of a node. `lost` is the one that it takes the place of, which is ended where the server still has it.
 * Throws DataError `invalid` for a database that cannot be used, or UnusableServer where there was a session before; rejects
 * with what the connection reports.
 */
export async function openNodeSession(
  connections: Connections,
  { node, lost }: { readonly node: number; readonly lost?: SessionIdentity },
): Promise<NodeSession> {
  const connection = await connections.connect();
  const { client, destroy } = connection;
  try {
    const identity = await checkServer(client, (why) =>
      lost ? new UnusableServer(why) : new DataError('invalid', `Cannot use ${connections.name}: ${why}`),
    );
    await client.query(`SET idle_in_transaction_session_timeout = ${IDLE_MS}`);
    await takeLock(client, { name: connections.name, key: node, lost, waitMs: 0 });
    await client.query(`LISTEN ${CHANNEL}`);
    return {
      client,
      destroy,
      identity,
      openedAt: performance.now(),
      async close() {
        await unlockAll(client);
        destroy();
      },
    };
  } catch (error) {
    destroy();
    throw error;
  }
}

/** Runs work while no other process brings the tables up to date. Throws DataError `busy` after some time. */
export async function holdMigrationLock<T>(
  client: pg.Client,
  { name, waitMs }: { readonly name: string; readonly waitMs: number },
  run: () => Promise<T>,
): Promise<T> {
  await takeLock(client, { name, key: MIGRATION_LOCK, waitMs });
  try {
    return await run();
  } finally {
    await unlock(client, MIGRATION_LOCK);
  }
}

/**
 * Makes sure that no other process uses the database, and that none begins to until the session ends; waits a moment for one that
 * is ending. Throws DataError `busy`.
 */
export async function checkAlone(
  client: pg.Client,
  { name, node }: { readonly name: string; readonly node: number },
): Promise<void> {
  await takeLock(client, { name, key: MIGRATION_LOCK, waitMs: ENDING_MS });
  for (const start = performance.now(); ; await sleep(RETRY_MS)) {
    const { rows } = await client.query<{ name: string }>(
      `SELECT application_name AS name FROM pg_locks JOIN pg_stat_activity activity USING (pid)
WHERE ${IS_LOCK} AND objid >= ${LEAST_NODE} AND objid <> $2`,
      [LOCKS, node],
    );
    if (rows.length === 0) return;
    if (performance.now() < start + ENDING_MS) continue;
    throw new DataError('busy', `Cannot use ${name}: ${rows[0]!.name || 'another process'} is using it; stop it first`);
  }
}

/** Ends the session of a node, if the server has it. */
export async function endNodeSession(client: pg.Pool, node: number): Promise<void> {
  await client.query(`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE ${IS_HELD}`, [LOCKS, node]);
}

async function unlock(client: pg.Client, key: number): Promise<void> {
  const statement = { text: 'SELECT pg_advisory_unlock($1, $2)', values: [LOCKS, key], query_timeout: END_MS };
  await client.query(statement).catch(() => {});
}

/** Frees the locks of a session at once: the server does so only when it has noticed that the connection is gone. */
async function unlockAll(client: pg.Client): Promise<void> {
  const statement = { text: 'SELECT pg_advisory_unlock_all()', query_timeout: END_MS };
  await client.query(statement).catch(() => {});
}

async function checkServer(client: pg.Client, refuse: (why: string) => Error): Promise<SessionIdentity> {
  const { rows } = await client.query<{ version: number; encoding: string; isReplica: boolean } & SessionIdentity>(
    `SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('server_encoding') AS encoding,
  pg_is_in_recovery() AS "isReplica", pg_backend_pid() AS pid,
  (SELECT backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()) AS start`,
  );
  const { version, encoding, isReplica, pid, start } = rows[0]!;
  if (version < LEAST_VERSION) throw refuse(`PostgreSQL ${version} is too old; ${LEAST_VERSION} or newer is needed`);
  if (encoding !== 'UTF8') throw refuse(`its encoding is ${encoding}; create it with "createdb --encoding UTF8"`);
  if (isReplica) throw refuse('it is a replica, which cannot be written; name its primary server');
  return { pid, start };
}

async function takeLock(
  client: pg.Client,
  options: {
    /** The database's, for messages. */
    readonly name: string;
    readonly key: number;
    readonly lost?: SessionIdentity | undefined;
    /** How long another process may keep it. */
    readonly waitMs: number;
  },
): Promise<void> {
  const { name, key, lost, waitMs } = options;
  const start = performance.now();
  for (;;) {
    const { rows } = await client.query<{ isTaken: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS "isTaken"', [
      ...[LOCKS, key],
    ]);
    if (rows[0]!.isTaken) return;
    const holder = await findHolder(client, key);
    const isOurs = lost && holder?.pid === lost.pid && holder.start === lost.start;
    if (holder && performance.now() > start + (isOurs ? END_MS : waitMs)) {
      throw new DataError('busy', `Cannot use ${name}: ${holder.name || 'another process'} is using it`);
    }
    if (isOurs) await client.query('SELECT pg_terminate_backend($1)', [lost.pid]);
    await sleep(RETRY_MS);
  }
}

/** The advisory locks of this database whose first key is `$1`. */
const IS_LOCK = `locktype = 'advisory' AND classid = $1 AND objsubid = 2 AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
/** The one of them whose second key is `$2`. */
const IS_HELD = `${IS_LOCK} AND objid = $2`;

/** Returns the session that has a lock; undefined where it has just ended. */
async function findHolder(
  client: pg.Client,
  key: number,
): Promise<(SessionIdentity & { readonly name: string }) | undefined> {
  const { rows } = await client.query<SessionIdentity & { name: string }>(
    `SELECT activity.pid, backend_start::text AS start, application_name AS name
FROM pg_locks JOIN pg_stat_activity activity USING (pid) WHERE ${IS_HELD}`,
    [LOCKS, key],
  );
  return rows[0];
}
