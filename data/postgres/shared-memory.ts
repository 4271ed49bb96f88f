import { createHash } from 'node:crypto';
import type pg from 'pg';
import { phrase } from '../../lib/phrase.ts';
import { DataError } from '../data-error.ts';
import type { ShortTermMemory } from '../short-term-memory.ts';
import { SCHEMA } from './table-layout.ts';
import { deleteExpired } from './table-rows.ts';

const TABLE = `${SCHEMA}.memory`;
/** Longest value, in characters. */
const MAX_LENGTH = 1_000_000;

const PUT = `INSERT INTO ${TABLE} AS old VALUES ($1, $2, now() + $3 * interval '1 ms')
ON CONFLICT (key) DO UPDATE SET value = excluded.value, until = excluded.until`;
const CLAIM = `${PUT} WHERE old.until <= now() RETURNING key`;
const FIND = `SELECT value FROM ${TABLE} WHERE key = $1 AND until > now()`;
const TAKE = `DELETE FROM ${TABLE} WHERE key = $1 RETURNING value, until > now() AS "isValid"`;

/** Creates the memory that all nodes share. */
export function createSharedMemory(pool: pg.Pool, fail: (error: unknown) => DataError): ShortTermMemory {
  const query = async <R extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<R[]> => {
    try {
      return (await pool.query<R>(text, [...values])).rows;
    } catch (error) {
      throw fail(error);
    }
  };
  const check = (value: string): void => {
    if (value.length <= MAX_LENGTH) return;
    throw new DataError('invalid', phrase`This is too large to be remembered until the next page`);
  };
  const find = async (key: string): Promise<string | undefined> =>
    (await query<{ value: string }>(FIND, [hash(key)]))[0]?.value;
  return {
    async put(key, value, lifetimeMs) {
      check(value);
      await query(PUT, [hash(key), value, lifetimeMs]);
    },
    async claim(key, value, lifetimeMs) {
      check(value);
      for (;;) {
        if ((await query(CLAIM, [hash(key), value, lifetimeMs])).length > 0) return undefined;
        const found = await find(key);
        if (found !== undefined) return found;
      }
    },
    find,
    async take(key) {
      const [row] = await query<{ value: string; isValid: boolean }>(TAKE, [hash(key)]);
      return row?.isValid ? row.value : undefined;
    },
  };
}

/** Removes what has expired. */
export const pruneMemory = (pool: pg.Pool): Promise<void> => deleteExpired(pool, TABLE, 'until');

/** Keys tell nobody who reads the table anything, and have one length. */
function hash(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
