import type { Turn } from '../transaction.ts';
import { SCHEMA } from './table-layout.ts';

/** The namespace of Graphile Worker's tables. */
export const JOBS = 'docbuild_jobs';
/** The kind of all jobs: a turn of a project. */
export const TURN_TASK = 'turn';
/** Marks jobs whose build takes long. */
export const SLOW_FLAG = 'slow';

/**
 * A project that waits has one job, by its name, in a queue of that name: of the jobs of a queue one is done at a time. Jobs are
 * done in the order of `run_at`, which is no time but a turn: its number in seconds, and in microseconds who was first in it.
 */
const ASK = `WITH mine AS (
  INSERT INTO ${SCHEMA}.turns (project, owner, turn) VALUES ($1, $2, greatest(
    (SELECT turn FROM ${SCHEMA}.state), (SELECT max(turn) + 1 FROM ${SCHEMA}.turns WHERE owner = $2)))
  ON CONFLICT (project) DO UPDATE SET owner = turns.owner RETURNING turn, place
)
SELECT ${JOBS}.add_job('${TURN_TASK}', json_build_object('project', $1::text), queue_name := $1, job_key := $1,
  job_key_mode := $3, flags := CASE WHEN $4 THEN ARRAY['${SLOW_FLAG}'] END,
  run_at := to_timestamp(turn) + place % 1000000 * interval '1 microsecond') FROM mine`;
const GIVE_UP = `DELETE FROM ${SCHEMA}.turns WHERE project = $1`;
/** Who asks from now on does not come before those who wait for this turn. */
const USE = `WITH used AS (DELETE FROM ${SCHEMA}.turns WHERE project = $1 RETURNING turn)
UPDATE ${SCHEMA}.state SET turn = greatest(state.turn, used.turn) FROM used`;

/**
 * Returns what keeps the turns: an owner's projects get one after the other, from the one in use on, as in start-time fair
 * queueing (Goyal, Vin and Cheng, 1996). So owners take turns, and nobody gets more by having more projects.
 */
export function writeTurn({ project, owner, isUsed, isWaiting, isSlow }: Turn): readonly {
  readonly text: string;
  readonly values: readonly (string | boolean)[];
}[] {
  const left = isUsed ? [{ text: USE, values: [project] }] : isWaiting ? [] : [{ text: GIVE_UP, values: [project] }];
  if (!isWaiting) return left;
  return [...left, { text: ASK, values: [project, owner, isUsed ? 'replace' : 'preserve_run_at', isSlow] }];
}
