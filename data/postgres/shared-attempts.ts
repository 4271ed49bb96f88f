import { createHash } from 'node:crypto';
import type pg from 'pg';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { phrase } from '../../lib/phrase.ts';
import type { Attempt, AttemptCounter } from '../attempts.ts';
import { DataError } from '../data-error.ts';
import { ATTEMPT_LOCKS } from './node-session.ts';
import { SCHEMA } from './table-layout.ts';
import { deleteExpired } from './table-rows.ts';

const TABLE = `${SCHEMA}.attempts`;
/** Attempts that wait for the database; more are refused. */
const MAX_WAITING = 200;
/** Keys that have to wait are remembered so long, so that a flood does not ask for each of its requests. */
const REFUSED_MS = 1_000;
const MAX_REFUSED = 10_000;

/** In the same order everywhere, so that nobody waits for each other. */
const LOCK = `SELECT pg_advisory_xact_lock(${ATTEMPT_LOCKS}, place)
FROM (SELECT DISTINCT hashtext(key) AS place FROM unnest($1::text[]) AS key ORDER BY place) places`;
const COUNT = `WITH asked AS (
  SELECT * FROM unnest($1::text[], $2::int[], $3::int[], $4::int[], $5::int[]) AS asked (key, free, first_ms, most_ms, forget_ms)
), known AS (
  SELECT asked.*, CASE WHEN forgotten > clock_timestamp() THEN count ELSE 0 END AS count,
    CASE WHEN forgotten > clock_timestamp() THEN greatest(0, extract(epoch FROM until - clock_timestamp()) * 1000) ELSE 0 END AS wait
  FROM asked LEFT JOIN ${TABLE} USING (key)
), longest AS (
  SELECT max(wait) AS wait FROM known
), counted AS (
  INSERT INTO ${TABLE} SELECT key, count + 1, clock_timestamp() + interval '1 ms' *
    CASE WHEN count + 1 < free THEN 0 ELSE least(most_ms, first_ms * 2.0 ^ least(30, count + 1 - free)) END,
    clock_timestamp() + forget_ms * interval '1 ms'
  FROM known, longest WHERE longest.wait = 0
  ON CONFLICT (key) DO UPDATE SET count = excluded.count, until = excluded.until, forgotten = excluded.forgotten
)
SELECT key, wait::float8 FROM known`;
const FORGIVE = `WITH asked AS (SELECT * FROM unnest($1::text[], $2::int[]) AS asked (key, free))
UPDATE ${TABLE} old SET count = count - 1,
  until = CASE WHEN count - 1 < free THEN 'epoch' ELSE until END,
  forgotten = CASE WHEN count - 1 <= 0 THEN 'epoch' ELSE forgotten END
FROM asked WHERE old.key = asked.key`;
const FORGET = `DELETE FROM ${TABLE} WHERE key = ANY ($1)`;

/** Creates the counter that all nodes share; its times are those of the database. */
export function createSharedAttempts(pool: pg.Pool, fail: (error: unknown) => DataError): AttemptCounter {
  const refused = createBoundedMap<string, { readonly untilMs: number; readonly setMs: number }>({
    maxEntries: MAX_REFUSED,
  });
  const findUntilMs = (key: string): number => {
    const known = refused.peek(key);
    return known && performance.now() - known.setMs < REFUSED_MS ? known.untilMs : 0;
  };
  let waiting = 0;
  const change = async (text: string, keys: readonly string[], ...values: readonly unknown[]): Promise<void> => {
    for (const key of keys) refused.delete(key);
    try {
      await pool.query(text, [keys, ...values]);
    } catch (error) {
      throw fail(error);
    }
  };
  /** Returns how long each key has to wait, ms. */
  const countIn = async (client: pg.PoolClient, keys: readonly string[], attempts: readonly Attempt[]) => {
    const column = (name: keyof Attempt['limit']): readonly number[] => attempts.map(({ limit }) => limit[name]);
    const values = [[...keys], column('free'), column('firstMs'), column('mostMs'), column('forgetMs')];
    // Sent without waiting for each other.
    const [, , counted] = await Promise.all([
      client.query('BEGIN ISOLATION LEVEL READ COMMITTED'),
      client.query({ name: 'docbuild_lock_attempts', text: LOCK, values: [keys] }),
      client.query<{ key: string; wait: number }>({ name: 'docbuild_count_attempts', text: COUNT, values }),
      client.query('COMMIT'),
    ]);
    return counted.rows;
  };
  return {
    async count(attempts) {
      const keys = attempts.map(nameAttempt);
      const untilMs = Math.max(...keys.map(findUntilMs));
      if (untilMs > performance.now()) return untilMs - performance.now();
      if (waiting >= MAX_WAITING) {
        throw new DataError('busy', phrase`Too many requests wait for the database; try again in a moment`);
      }
      waiting++;
      let client: pg.PoolClient | undefined;
      try {
        client = await pool.connect();
        const waits = await countIn(client, keys, attempts);
        client.release();
        const nowMs = performance.now();
        for (const { key, wait } of waits) if (wait > 0) refused.set(key, { untilMs: nowMs + wait, setMs: nowMs });
        return Math.max(...waits.map(({ wait }) => wait));
      } catch (error) {
        client?.release(true);
        throw fail(error);
      } finally {
        waiting--;
      }
    },
    forgive: (attempts) =>
      change(
        FORGIVE,
        attempts.map(nameAttempt),
        attempts.map(({ limit }) => limit.free),
      ),
    forget: (attempts) => change(FORGET, attempts.map(nameAttempt)),
  };
}

/** Removes attempts that do not count any more. */
export const pruneAttempts = (pool: pg.Pool): Promise<void> => deleteExpired(pool, TABLE, 'forgotten');

/** The table names neither accounts nor addresses. */
function nameAttempt({ kind, key }: Attempt): string {
  return createHash('sha256').update(`${kind} ${key}`).digest('base64url');
}
