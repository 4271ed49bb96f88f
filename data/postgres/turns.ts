import type pg from 'pg';
import type { WaitingTurns } from '../nodes.ts';
import type { Speed, Turn } from '../transaction.ts';
import { SCHEMA } from './table-layout.ts';

/** The namespace of Graphile Worker's tables. */
export const JOBS = 'docbuild_jobs';
/** The kind of all jobs: a turn of a project. */
export const TURN_TASK = 'turn';
/*
 * A job is marked with what is known of its build. Those of the release before are marked with nothing or `slow`: no place for
 * quick builds takes the latter, and all take the former.
 */

const RESERVE = `INSERT INTO ${SCHEMA}.turns (project, owner, turn, speed) VALUES ($1, $2, greatest(
    (SELECT turn FROM ${SCHEMA}.state), (SELECT max(turn) + 1 FROM ${SCHEMA}.turns WHERE owner = $2)), $3::text)
  ON CONFLICT (project) DO UPDATE SET speed = excluded.speed RETURNING turn, place`;
/**
 * A project that waits, and of which no build runs, has one job, by its name. Jobs are done in the order of `run_at`, which is
 * no time but a turn: its number in seconds, and in microseconds who was first in it. They are in no queue of Graphile Worker:
 * it keeps a row for each, and whoever looks for a job locks all of those rows.
 */
const ASK = `WITH mine AS (${RESERVE})
SELECT ${JOBS}.add_job('${TURN_TASK}', json_build_object('project', $1::text), job_key := $1,
  flags := ARRAY[$3::text],
  run_at := to_timestamp(turn) + place % 1000000 * interval '1 microsecond') FROM mine`;
const GIVE_UP = `DELETE FROM ${SCHEMA}.turns WHERE project = $1`;
/**
 * A turn that a worker could take now; looked up one by one, in the order of `turns_of_speed`, until there is one. The index of keys has
 * the collation of the database.
 */
const isFree = (since: string): string =>
  `(SELECT is_available AND run_at <= now() AND updated_at <= ${since} FROM ${JOBS}._private_jobs WHERE key = turns.project COLLATE "default")`;
const findFree = (speed: Speed, { column = 'project', condition = 'true', since = 'now()' } = {}): string =>
  `SELECT ${column} FROM ${SCHEMA}.turns WHERE speed = '${speed}' AND ${condition} AND ${isFree(since)} ORDER BY turn, place LIMIT 1`;
/**
 * Moves the clock of turns to the one that is used: who asks later does not come before those who wait for it. Where a place for quick
 * builds has passed over earlier turns, the clock stops at the first of those, so that who asks later does not wait behind all of them.
 */
const USE = `WITH used AS (DELETE FROM ${SCHEMA}.turns WHERE project = $1 RETURNING turn)
UPDATE ${SCHEMA}.state SET turn = greatest(state.turn,
  least(used.turn, (${findFree('quick', { column: 'turn' })}), (${findFree('unknown', { column: 'turn' })}))) FROM used`;

/**
 * Returns what keeps the turns: an owner's projects get one after the other, from the one in use on, as in start-time fair
 * queueing (Goyal, Vin and Cheng, 1996). So owners take turns, and nobody gets more by having more projects.
 */
export function writeTurn({ project, owner, isUsed, isWaiting, isHeld, speed }: Turn): readonly {
  readonly text: string;
  readonly values: readonly string[];
}[] {
  const left = isUsed ? [{ text: USE, values: [project] }] : isWaiting ? [] : [{ text: GIVE_UP, values: [project] }];
  if (!isWaiting) return left;
  if (isHeld) return [...left, { text: RESERVE, values: [project, owner, speed] }];
  return [...left, { text: ASK, values: [project, owner, speed] }];
}

const SINCE = `now() - $1 * interval '1 ms'`;
const FIND_WAITING = `SELECT (${findFree('quick', { since: SINCE })}) IS NOT NULL AS quick,
  (${findFree('unknown', { since: SINCE })}) IS NOT NULL AS unknown`;
const IS_UNCLAIMED = `(claimed IS NULL OR claimed < now() - interval '2 seconds')`;
const CLAIM_QUICK = `UPDATE ${SCHEMA}.turns SET claimed = now()
WHERE project = (${findFree('quick', { condition: IS_UNCLAIMED, since: SINCE })} FOR UPDATE SKIP LOCKED) AND ${IS_UNCLAIMED}`;

/** Returns how many projects wait for a turn and have no build that runs. */
export async function countWaitingTurns(client: pg.Pool): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${SCHEMA}.turns WHERE EXISTS (
  SELECT FROM ${JOBS}._private_jobs WHERE key = turns.project COLLATE "default" AND locked_at IS NULL)`,
  );
  return rows[0]!.count;
}

/** Returns which turns a place for quick builds could take now, see `Nodes.findWaiting`. */
export async function findWaitingTurns(client: pg.Pool, waitedMs: number): Promise<WaitingTurns> {
  const { rows } = await client.query<WaitingTurns>(FIND_WAITING, [waitedMs]);
  return rows[0]!;
}

/** Claims the first quick turn that waits and nobody has claimed, see `Nodes.claimQuick`. */
export async function claimQuickTurn(client: pg.Pool, waitedMs: number): Promise<boolean> {
  return (await client.query(CLAIM_QUICK, [waitedMs])).rowCount === 1;
}
