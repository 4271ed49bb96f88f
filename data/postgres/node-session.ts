import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { DataError } from '../data-error.ts';
import type { Connection, Connections } from './connections.ts';
import { SCHEMA } from './table-layout.ts';

/**
 * The session in which all changes are made. It holds the lock on the database, so that a process that has lost the lock
 * cannot change anything any more.
 */
export interface OwnerSession extends Connection {
  readonly identity: SessionIdentity;
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

/** "docb", and 1 for the owner. */
const LOCK = [0x646f_6362, 1] as const;
const LEAST_VERSION = 14;
/** How long the end of a session may take. */
const END_MS = 5_000;
const RETRY_MS = 20;

/**
 * Opens the session. `lost` is the one of this process that it takes the place of, which is ended where the server still
 * has it, and `owner` what this process has called itself in the database. Throws DataError `busy` where another process is
 * or was its owner, `invalid` for a database that cannot be used, or UnusableServer where there was a session before; rejects
 * with what the connection reports.
 */
export async function openOwnerSession(
  connections: Connections,
  lost?: { readonly identity: SessionIdentity; readonly owner: string },
): Promise<OwnerSession> {
  const connection = await connections.connect();
  const { client, destroy } = connection;
  try {
    const identity = await checkServer(client, (why) =>
      lost ? new UnusableServer(why) : new DataError('invalid', `Cannot use ${connections.name}: ${why}`),
    );
    await takeLock(client, connections.name, lost?.identity);
    if (lost) await checkOwner(client, connections.name, lost.owner);
    return {
      ...{ client, destroy, identity },
      async close() {
        // Whoever opens the database next finds the lock free.
        const unlock = { text: 'SELECT pg_advisory_unlock($1, $2)', values: [...LOCK], query_timeout: END_MS };
        await client.query(unlock).catch(() => {});
        destroy();
      },
    };
  } catch (error) {
    destroy();
    throw error;
  }
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

async function takeLock(client: pg.Client, name: string, lost: SessionIdentity | undefined): Promise<void> {
  const end = performance.now() + END_MS;
  for (;;) {
    const { rows } = await client.query<{ isTaken: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS "isTaken"', [
      ...LOCK,
    ]);
    if (rows[0]!.isTaken) return;
    const holder = await findHolder(client);
    const isOurs = lost && holder?.pid === lost.pid && holder.start === lost.start;
    if (holder && (!isOurs || performance.now() > end)) {
      throw new DataError('busy', `Cannot use ${name}: ${holder.name || 'another process'} is using it`);
    }
    if (isOurs) await client.query('SELECT pg_terminate_backend($1)', [lost.pid]);
    await sleep(RETRY_MS);
  }
}

/** Returns the session that has the lock; undefined where it has just ended. */
async function findHolder(client: pg.Client): Promise<(SessionIdentity & { readonly name: string }) | undefined> {
  const { rows } = await client.query<SessionIdentity & { name: string }>(
    `SELECT activity.pid, backend_start::text AS start, application_name AS name
FROM pg_locks JOIN pg_stat_activity activity USING (pid)
WHERE locktype = 'advisory' AND classid = $1 AND objid = $2 AND objsubid = 2 AND granted AND datname = current_database()
  AND database = datid`,
    [...LOCK],
  );
  return rows[0];
}

/** Throws where another process has had the lock meanwhile: it may have changed what this one remembers. */
async function checkOwner(client: pg.Client, name: string, owner: string): Promise<void> {
  const { rows } = await client.query<{ owner: string }>(`SELECT owner FROM ${SCHEMA}.state`);
  if (rows[0]?.owner !== owner) {
    throw new DataError('busy', `Another process has taken over ${name}; start docbuild again`);
  }
}
