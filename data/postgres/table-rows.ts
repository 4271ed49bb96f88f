import type pg from 'pg';
import type { TableLayout } from './table-layout.ts';

/*
 * Work on all rows of a table. It takes as long as it takes, so limits of time are off; a statement takes only some of the rows.
 */

/** Runs a statement and returns its rows. */
export type Run = <R extends pg.QueryResultRow>(text: string, values?: readonly unknown[]) => Promise<R[]>;

/** A record as its table has it. */
export interface Row {
  readonly key: string;
  readonly record: unknown;
}

const LONG_MS = 86_400_000;
const DELETED_AT_ONCE = 1_000;

export function createRun(client: pg.Client): Run {
  return async <R extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) => {
    const config = { text, values: [...values], query_timeout: LONG_MS };
    return (await client.query<R>(config)).rows;
  };
}

/** Yields the rows of a collection by their keys, up to `limit` at a time. */
export async function* readRows(run: Run, { table }: TableLayout, limit: number): AsyncGenerator<Row[]> {
  for (let last = ''; ; ) {
    const rows = await run<Row>(`SELECT key, record FROM ${table} WHERE key > $1 ORDER BY key LIMIT ${limit}`, [last]);
    if (rows.length === 0) return;
    yield rows;
    last = rows.at(-1)!.key;
  }
}

/** Deletes the rows whose time is over by the database's clock. */
export async function deleteExpired(pool: pg.Pool, table: string, column: string): Promise<void> {
  const text = `DELETE FROM ${table} WHERE key IN (SELECT key FROM ${table} WHERE ${column} <= now() LIMIT ${DELETED_AT_ONCE})`;
  while (((await pool.query(text)).rowCount ?? 0) === DELETED_AT_ONCE);
}
