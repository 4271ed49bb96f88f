import { Socket } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { describeSystemError } from '../../lib/system-error.ts';
import { DataError, type DataErrorCode } from '../data-error.ts';
import type { Transaction } from '../nodes.ts';

/** How long things may take, in ms. */
export interface Patience {
  /** A connection, or the wait for a free one. */
  readonly connectMs: number;
  /** A statement, on the server. */
  readonly statementMs: number;
  /** An answer, after which the connection counts as cut; longer than a statement. */
  readonly answerMs: number;
  /** How often a node says that it lives, and asks the same of its connection, while it has nothing to change. */
  readonly heartbeatMs: number;
  /** A node that has lost its lock is dead after this time without a heartbeat: it is given time to connect again. */
  readonly goneMs: number;
  /** A node that has its lock is dead after this time without a heartbeat, as one that is frozen. */
  readonly silentMs: number;
  /** How long a node does what one node does for all, unless it says that it goes on. */
  readonly dutyMs: number;
  /** A server that cannot be reached, while docbuild runs. */
  readonly outageMs: number;
  /** A server that cannot be reached, when docbuild starts. */
  readonly startMs: number;
}

export const PATIENCE: Patience = {
  connectMs: 5_000,
  statementMs: 15_000,
  answerMs: 18_000,
  heartbeatMs: 1_000,
  goneMs: 8_000,
  silentMs: 20_000,
  dutyMs: 10_000,
  outageMs: 5_000,
  startMs: 30_000,
};

/** A connection of its own. */
export interface Connection {
  readonly client: pg.Client;
  destroy(): void;
}

/** Connections to one database. */
export interface Connections {
  /** For messages, without a password: `database "docbuild" at "db:5432"`. */
  readonly name: string;
  /** The name of this process, for others. */
  readonly self: string;
  readonly patience: Patience;
  /**
   * Reports a failure to the operator, once a minute each, and returns the error for callers: they may be anybody, and are not
   * told names and addresses.
   */
  fail(error: unknown): DataError;
  /** Tells the operator something, once a minute. */
  warn(message: string): void;
  /**
   * Does what needs a connection, again and again while the server cannot be reached, for as long as an outage may take; once
   * it has taken so long, one time only. Throws DataError, see `retryConnecting`.
   */
  insist<T>(connect: () => Promise<T>): Promise<T>;
  /** Opens a connection that the caller ends, or destroys where the server does not answer any more. */
  connect(): Promise<Connection>;
  /** Connections for questions, opened when they are needed; more questions wait for them. */
  readonly readers: pg.Pool;
  /** Notes a transaction on another connection than those for questions, which note theirs. */
  note(transaction: Transaction): void;
  /** Sets who is told of each transaction from now on. */
  observe(listener: (transaction: Transaction) => void): void;
  /** Creates further connections, which the caller ends. */
  createPool(size: number): pg.Pool;
  /** Cuts all connections, also those that the server does not answer on. */
  cut(): void;
  /** Ends all connections when they are done. */
  close(): Promise<void>;
}

const MAX_READERS = 8;
/** A failure is reported once in this time, ms, and so many are remembered. */
const REPORT_MS = 60_000;
const MAX_REPORTED = 100;
const RETRY_MS = 200;
/**
 * Every statement is answered by an index, whatever the statistics say, and none is worth compiling; a table of one row
 * counts as expensive without indexes. The server notices within 25 s that this process is gone.
 */
const SESSION_SETTINGS = `SET enable_seqscan = off; SET enable_bitmapscan = off; SET jit = off;
SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3; SET tcp_user_timeout = 25000`;

/**
 * Creates connections to the database of a URL; what it leaves out is read from `PG*`. Throws DataError `invalid` for a URL
 * that cannot be used.
 */
export function createConnections(
  url: string,
  {
    patience = PATIENCE,
    onWarning,
  }: { readonly patience?: Patience | undefined; readonly onWarning: (message: string) => void },
): Connections {
  const name = describeDatabase(url);
  const self = `docbuild ${process.pid} on ${hostname()}`.slice(0, 63);
  const sockets = new Set<Socket>();
  const openSocket = (): Socket => {
    const socket = new Socket();
    sockets.add(socket);
    return socket.once('close', () => sockets.delete(socket));
  };
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const config: pg.ClientConfig & pg.PoolConfig = {
    connectionString: url,
    fallback_application_name: self,
    // BEGIN, statements and COMMIT are sent without waiting for the answers before them.
    pipeline: true,
    connectionTimeoutMillis: patience.connectMs,
    query_timeout: patience.answerMs,
    statement_timeout: patience.statementMs,
    idle_in_transaction_session_timeout: patience.statementMs,
    keepAlive: true,
    stream: openSocket,
  };
  const createPool = (max: number): pg.Pool => {
    const pool = new pg.Pool({ ...config, max, allowExitOnIdle: true });
    pool.on('connect', (client) => {
      // A connection that breaks fails the queries on it; one that nobody uses is replaced.
      client.on('error', ignore);
      client.query(SESSION_SETTINGS).catch(ignore);
    });
    return pool.on('error', ignore);
  };
  const readers = createPool(MAX_READERS);
  let note: (transaction: Transaction) => void = ignore;
  /** When connections for questions were taken, by `performance.now()`. */
  const takenAt = new WeakMap<pg.PoolClient, number>();
  readers.on('acquire', (client) => void takenAt.set(client, performance.now()));
  readers.on('release', (error, client) => {
    const ms = performance.now() - (takenAt.get(client) ?? performance.now());
    note({ kind: 'question', outcome: error ? 'failed' : 'answered', ms });
  });
  /** Nobody waits for a server that others have waited for in vain. */
  let isAway = false;
  /** When failures were reported, by what was said. */
  const reported = new Map<string, number>();
  const warn = (message: string): void => {
    const now = performance.now();
    if (now - (reported.get(message) ?? Number.NEGATIVE_INFINITY) <= REPORT_MS) return;
    if (reported.size === MAX_REPORTED) reported.clear();
    reported.set(message, now);
    onWarning(message);
  };
  return {
    name,
    self,
    patience,
    readers,
    createPool,
    note: (transaction) => note(transaction),
    observe(listener) {
      note = listener;
    },
    warn,
    fail(error) {
      // A phrase is for callers already.
      if (error instanceof DataError && typeof error.wording !== 'string') return error;
      const { code, message } = toDataError(error, name);
      warn(message);
      return new DataError(code, describeForCallers(code, error), { cause: error });
    },
    async insist(connect) {
      try {
        const result = await retryConnecting(connect, { name, waitMs: isAway ? 0 : patience.outageMs });
        isAway = false;
        return result;
      } catch (error) {
        isAway ||= error instanceof DataError && error.code === 'unwritable' && isConnectionFailure(error.cause);
        throw error;
      }
    },
    async connect() {
      const socket = openSocket();
      const client = new pg.Client({ ...config, stream: () => socket });
      client.on('error', ignore);
      try {
        await client.connect();
        await client.query(SESSION_SETTINGS);
      } catch (error) {
        socket.destroy();
        throw error;
      }
      return { client, destroy: () => void socket.destroy() };
    },
    cut,
    async close() {
      await readers.end();
      // Those that hang do not say goodbye.
      cut();
    },
  };
}

/**
 * Connects, again and again for some time while the server cannot be reached; `onWait` is told so once. Throws DataError
 * `unwritable` that names the database.
 */
export async function retryConnecting<T>(
  connect: () => Promise<T>,
  options: { readonly name: string; readonly waitMs: number; readonly onWait?: (message: string) => void },
): Promise<T> {
  const { name, waitMs, onWait } = options;
  const end = performance.now() + waitMs;
  for (let hasSaid = false; ; hasSaid = true) {
    try {
      return await connect();
    } catch (error) {
      if (error instanceof DataError) throw error;
      const isOver = performance.now() > end;
      if (isOver || !isConnectionFailure(error)) throw toDataError(error, name);
      if (!hasSaid) onWait?.(`Cannot reach ${name} (${describeFailure(error)}); trying for ${waitMs / 1000} seconds`);
    }
    await sleep(RETRY_MS);
  }
}

/** Returns whether a statement failed because there is no connection, or none any more, so that it may succeed on another one. */
export function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return !(error instanceof TypeError || isPasswordMissing(error));
  // Connection exceptions, the server stops or starts, too many connections, a transaction that did nothing for too long.
  return /^(?:08|57P0[1235]|53300|25P03)/.test(error.code ?? '');
}

/** Returns whether a transaction may succeed when it is run again: it conflicted with another one. */
export function isConflict(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^40(?:001|P01)$/.test(error.code ?? '');
}

/** Returns whether the server has answered, and rejected what it was asked; the next connection is treated alike. */
export function isRejection(error: unknown): boolean {
  const cause = error instanceof DataError ? error.cause : error;
  return cause instanceof pg.DatabaseError && !isConnectionFailure(cause);
}

/** Returns the error for callers of what PostgreSQL or the connection to it reports. */
export function toDataError(error: unknown, name: string): DataError {
  if (error instanceof DataError) return error;
  const hint = hintFor(error);
  const message = `Cannot use ${name}: ${describeFailure(error)}${hint && `; ${hint}`}`;
  return new DataError('unwritable', message, { cause: error });
}

function describeForCallers(code: DataErrorCode, error: unknown): Phrase {
  if (code === 'damaged') return phrase`A record in the database is damaged; the server log has the details`;
  if (code === 'busy') return phrase`Another process is using the database`;
  return isConnectionFailure(error instanceof DataError ? error.cause : error)
    ? phrase`The database cannot be reached; try again in a moment`
    : phrase`The database has refused this; the server log has the details`;
}

function hintFor(error: unknown): string {
  const code = error instanceof pg.DatabaseError ? (error.code ?? '') : '';
  if (code === '3D000') return 'create it first, with "createdb"';
  if (code.startsWith('28') || isPasswordMissing(error))
    return 'check user and password, in the key "store" or in PGUSER and PGPASSWORD';
  if (code === '42501') return 'give its user the right to create a schema there';
  return '';
}

function describeFailure(error: unknown): string {
  // Of several addresses the first one's failure tells as much as the others'.
  const first = error instanceof AggregateError ? error.errors[0] : error;
  // The system's words; the driver and TLS have their own.
  return (first as NodeJS.ErrnoException).errno === undefined ? (first as Error).message : describeSystemError(first);
}

/** Returns whether the server asked for a password that nobody has set, which the driver reports as an error of the protocol. */
function isPasswordMissing(error: unknown): boolean {
  return error instanceof Error && /^SASL: .*password must be/.test(error.message);
}

/** Returns where a URL and `PG*` lead. */
function describeDatabase(url: string): string {
  try {
    const { host, port, database } = new pg.Client(url);
    return `database "${database}" at "${host.startsWith('/') ? host : `${host}:${port}`}"`;
  } catch (error) {
    // The error may quote the URL, and with it the password.
    const why = describeFailure(error).replaceAll(url, '…');
    const { path = '' } = error as NodeJS.ErrnoException;
    throw new DataError('invalid', `Cannot use the URL of "store": ${path && `"${path}": `}${why}`);
  }
}

function ignore(): void {}
