import type { Collection } from '../collection.ts';
import { DataError } from '../data-error.ts';
import type { NodeLogs } from '../nodes.ts';
import { COLLECTIONS } from '../store.ts';
import type { Page, Vault, VaultReader } from '../vault.ts';
import { type Connections, createConnections, retryConnecting, toDataError } from './connections.ts';
import { migrate } from './migrate.ts';
import { createNodeLogs } from './node-logs.ts';
import { checkAlone, drawNode, openNodeSession } from './node-session.ts';
import { adoptRow, listColumns, listValues } from './statements.ts';
import { describeTable, type TableLayout } from './table-layout.ts';
import { createRun, type Run, readRows } from './table-rows.ts';
import { createJobs } from './turns.ts';
import { checkFinished, isUnfinished, setUnfinished } from './unfinished.ts';

/** The logs of builds, which a database has besides records. */
interface WithLogs {
  readonly logs: NodeLogs;
}

/** Records that are read at once. */
const PAGE = 200;
const NO_LIMITS = 'SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0';
/** Tables, of those whose names are `$1`, that do not exist. */
const FIND_MISSING = 'SELECT name FROM unnest($1::text[]) name WHERE to_regclass(name) IS NULL';

/**
 * Opens the records of a database for reading as they are at this moment, also while nodes change them. Throws DataError `not-found`,
 * `invalid`, `unwritable`.
 */
export async function openPostgresSnapshot(
  url: string,
  onWarning: (message: string) => void,
): Promise<VaultReader & WithLogs> {
  const connections = createConnections(url, { onWarning });
  const { name } = connections;
  return await open(connections, async () => {
    const connection = await retryConnecting(() => connections.connect(), patienceOf(connections, onWarning));
    const { client } = connection;
    const close = async (): Promise<void> => {
      connection.destroy();
      await connections.close();
    };
    try {
      const run = createRun(client);
      await client.query(NO_LIMITS);
      await run('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await checkFinished(client, name);
      const tables = COLLECTIONS.map((collection) => describeTable(collection).table);
      const missing = new Set((await run<{ name: string }>(FIND_MISSING, [tables])).map((row) => row.name));
      if (missing.size === tables.length) {
        throw new DataError('not-found', `There are no records: ${name} has no tables of docbuild`);
      }
      return {
        name,
        close,
        read: (collection) => readTable(run, collection, { name, missing }),
        logs: explainErrors(createNodeLogs(connections.readers), name),
      };
    } catch (error) {
      connection.destroy();
      throw error;
    }
  });
}

/**
 * Takes a database for this process, and brings its tables up to date: nodes that start meanwhile wait, and end when that takes
 * long. Throws DataError `busy` while a node uses it, else like `openPostgresStore`.
 */
export async function openPostgresVault(url: string, onWarning: (message: string) => void): Promise<Vault & WithLogs> {
  const connections = createConnections(url, { onWarning });
  const { name } = connections;
  const node = drawNode();
  return await open(connections, async () => {
    const session = await retryConnecting(
      () => openNodeSession(connections, { node }),
      patienceOf(connections, onWarning),
    );
    const { client } = session;
    try {
      await client.query(NO_LIMITS);
      await checkAlone(client, { name, node });
      const wasUnfinished = await isUnfinished(client);
      await migrate(client, { name, collections: COLLECTIONS, onWarning });
      await createJobs(connections, client);
      const run = createRun(client);
      const hasRecords = async (): Promise<boolean> => {
        for (const collection of COLLECTIONS) {
          const { table } = describeTable(collection);
          if ((await run(`SELECT FROM ${table} LIMIT 1`)).length > 0) return true;
        }
        return false;
      };
      return {
        name,
        logs: explainErrors(createNodeLogs(connections.readers), name),
        read: (collection) => readTable(run, collection, { name }),
        findState: async () => (wasUnfinished ? 'unfinished' : (await hasRecords()) ? 'used' : 'empty'),
        begin: () => setUnfinished(client, true),
        write: (collection, pages) => withDataErrors(name, () => writeTable(run, collection, pages)),
        finish: () => setUnfinished(client, false),
        async close() {
          await session.close();
          await connections.close();
        },
      };
    } catch (error) {
      await session.close();
      throw error;
    }
  });
}

/** Opens something; where that fails the connections are closed, and the error is one for operators. */
async function open<T>(connections: Connections, work: () => Promise<T>): Promise<T> {
  try {
    return await withDataErrors(connections.name, work);
  } catch (error) {
    await connections.close();
    throw error;
  }
}

async function withDataErrors<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toDataError(error, name);
  }
}

function patienceOf({ name, patience }: Connections, onWait: (message: string) => void) {
  return { name, waitMs: patience.startMs, onWait };
}

/** Returns logs whose errors are ones for operators. */
function explainErrors(logs: NodeLogs, name: string): NodeLogs {
  const explained = Object.entries(logs).map(([method, work]: [string, (...given: unknown[]) => Promise<unknown>]) => [
    method,
    (...given: unknown[]) => withDataErrors(name, () => work(...given)),
  ]);
  return Object.fromEntries(explained) as NodeLogs;
}

async function* readTable(
  run: Run,
  collection: Collection<unknown>,
  { name, missing = new Set() }: { readonly name: string; readonly missing?: ReadonlySet<string> },
): AsyncGenerator<Page> {
  const layout = describeTable(collection);
  if (missing.has(layout.table)) return;
  try {
    for await (const rows of readRows(run, layout, PAGE)) yield rows.map((row) => adoptRow(collection, row));
  } catch (error) {
    throw toDataError(error, name);
  }
}

/** Makes a table hold these records; rows that it has already stay as they are. */
async function writeTable(run: Run, collection: Collection<unknown>, pages: () => AsyncIterable<Page>): Promise<void> {
  const layout = describeTable(collection);
  const { table } = layout;
  const text = upsertAll(layout);
  for (let isAgain = false; ; isAgain = true) {
    let count = 0;
    for await (const page of pages()) {
      const rows = page.map((record) => listValues(layout, record));
      if (rows.length === 0) continue;
      await run(
        text,
        rows[0]!.map((_, at) => rows.map((row) => row[at])),
      );
      count += rows.length;
    }
    const [found] = await run<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`);
    if (found!.count === count) return;
    // An interrupted copy brought records that the source has not any more.
    if (isAgain) throw new DataError('damaged', `Table ${table} has ${found!.count} records instead of ${count}`);
    await run(`TRUNCATE ${table}`);
  }
}

function upsertAll(layout: TableLayout): string {
  const { table } = layout;
  const columns = listColumns(layout);
  const arrays = columns.map((_, i) => `$${i + 1}::text[]`).join(', ');
  const values = columns.map((column) => (column === 'record' ? 'record::json' : column)).join(', ');
  const changes = columns.slice(1).map((column) => `${column} = excluded.${column}`);
  return `INSERT INTO ${table} AS old (${columns.join(', ')}) SELECT ${values} FROM unnest(${arrays}) AS new (${columns.join(', ')})
ON CONFLICT (key) DO UPDATE SET ${changes.join(', ')} WHERE old.record::text <> excluded.record::text`;
}
