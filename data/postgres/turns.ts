import type { Turn } from '../transaction.ts';
import { SCHEMA } from './table-layout.ts';

/** The namespace of Graphile Worker's tables. */
export const JOBS = 'docbuild_jobs';
/** The kind of all jobs: a turn of a project. */
export const TURN_TASK = 'turn';
/** Marks jobs whose build takes long. */
export const SLOW_FLAG = 'slow';

const RESERVE = `INSERT INTO ${SCHEMA}.turns (project, owner, turn) VALUES ($1, $2, greatest(
    (SELECT turn FROM ${SCHEMA}.state), (SELECT max(turn) + 1 FROM ${SCHEMA}.turns WHERE owner = $2)))
  ON CONFLICT (project) DO UPDATE SET owner = turns.owner RETURNING turn, place`;
/**
 * A project that waits, and of which no build runs, has one job, by its name. Jobs are done in the order of `run_at`, which is
 * no time but a turn: its number in seconds, and in microseconds who was first in it. They are in no queue of Graphile Worker:
 * it keeps a row for each, and whoever looks for a job locks all of those rows.
 */
const ASK = `WITH mine AS (${RESERVE})
SELECT ${JOBS}.add_job('${TURN_TASK}', json_build_object('project', $1::text), job_key := $1,
  flags := CASE WHEN $3 THEN ARRAY['${SLOW_FLAG}'] END,
  run_at := to_timestamp(turn) + place % 1000000 * interval '1 microsecond') FROM mine`;
const GIVE_UP = `DELETE FROM ${SCHEMA}.turns WHERE project = $1`;
/** Who asks from now on does not come before those who wait for this turn. */
const USE = `WITH used AS (DELETE FROM ${SCHEMA}.turns WHERE project = $1 RETURNING turn)
UPDATE ${SCHEMA}.state SET turn = greatest(state.turn, used.turn) FROM used`;

/**
 * Returns what keeps the turns: an owner's projects get one after the other, from the one in use on, as in start-time fair
 * queueing (Goyal, Vin and Cheng, 1996). So owners take turns, and nobody gets more by having more projects.
 */
export function writeTurn({ project, owner, isUsed, isWaiting, isHeld, isSlow }: Turn): readonly {
  readonly text: string;
  readonly values: readonly (string | boolean)[];
}[] {
  const left = isUsed ? [{ text: USE, values: [project] }] : isWaiting ? [] : [{ text: GIVE_UP, values: [project] }];
  if (!isWaiting) return left;
  if (isHeld) return [...left, { text: RESERVE, values: [project, owner] }];
  return [...left, { text: ASK, values: [project, owner, isSlow] }];
}
