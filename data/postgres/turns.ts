import { setTimeout as sleep } from 'node:timers/promises';
import type { Runner, WorkerEvents } from 'graphile-worker';
import type pg from 'pg';
import { CLAIMED_MS, type Lane, OVERTAKEN, type Turn, type Turns } from '../turns.ts';
import type { Connections } from './connections.ts';
import { SCHEMA } from './table-layout.ts';

/*
 * The rows of `turns` say which projects wait, in which order; they are written with the builds. Graphile Worker hands them out: a project
 * that waits, and of which no build runs, has one job, by its name. A job is only a ticket. Whoever has it takes what the builds
 * of its project say, so that a job too many does no harm, and one that is lost (its worker has died, or never heard of it) is
 * added again. So nothing but documented functions and options of Graphile Worker is needed.
 */

/** The namespace of Graphile Worker's tables. */
const JOBS = 'docbuild_jobs';
/** The kind of a job is the lane of its build. What a place does. */
const LANES: Readonly<Record<Lane, readonly Lane[]>> = { long: ['long', 'short'], short: ['short'] };
/** How long a turn may be overlooked where its NOTIFY is lost, ms. */
const POLL_MS = 2_000;
/** A job is added again for a turn that has waited so long while a worker had nothing to do, ms. */
const LOST_MS = 3_000;
/** Connections of the runner of a place: for its LISTEN, and for everything else. */
const RUNNER_CONNECTIONS = 2;
/** Further ones, for what all runners do now and then. */
const FURTHER_CONNECTIONS = 2;
/** How long until a runner is started again that has given up, ms. */
const RESTART_MS = 500;
/** How long the end of a runner may take once nothing runs, ms: without a database it does not end. */
const STOP_MS = 5_000;

const RESERVE = `INSERT INTO ${SCHEMA}.turns AS known (project, owner, turn, lane, is_held, place) VALUES ($1, $2, greatest(
    (SELECT turn FROM ${SCHEMA}.state), (SELECT max(turn) + 1 FROM ${SCHEMA}.turns WHERE owner = $2)), $3::text, $4,
    nextval('${SCHEMA}.turn_places') - $5::int)
  ON CONFLICT (project) DO UPDATE SET lane = excluded.lane, is_held = excluded.is_held,
    asked = CASE WHEN known.is_held THEN excluded.asked ELSE known.asked END`;
/**
 * Adds the job of a turn. `run_at` is no time but the turn: its number in seconds, and in microseconds who was first in it. Jobs are in no queue of
 * Graphile Worker: it keeps a row for each, and whoever looks for a job locks all of those rows.
 */
const ADD_JOB = `SELECT ${JOBS}.add_job(lane, json_build_object('project', project), job_key := project,
  run_at := to_timestamp(turn) + (place + ${OVERTAKEN}) % 1000000 * interval '1 microsecond')`;
const ASK = `WITH mine AS (${RESERVE} RETURNING project, turn, place, lane) ${ADD_JOB} FROM mine`;
const GIVE_UP = `DELETE FROM ${SCHEMA}.turns WHERE project = $1`;
/** Moves the clock of turns to the one that is used: who asks later does not come before those who wait for it. */
const USE = `WITH used AS (DELETE FROM ${SCHEMA}.turns WHERE project = $1 RETURNING turn)
UPDATE ${SCHEMA}.state SET turn = greatest(state.turn, used.turn) FROM used`;
const ASK_AGAIN = `${ADD_JOB} FROM (SELECT project, turn, place, lane FROM ${SCHEMA}.turns
  WHERE lane = ANY ($1) AND NOT is_held AND asked < now() - $2 * interval '1 ms' ORDER BY turn, place LIMIT 1) lost`;
const CLAIM = `UPDATE ${SCHEMA}.turns SET claimed = now() WHERE project = (SELECT project FROM ${SCHEMA}.turns
  WHERE lane = 'short' AND NOT is_held AND asked <= now() - $1 * interval '1 ms' AND claimed < now() - $2 * interval '1 ms'
  ORDER BY turn, place LIMIT 1 FOR UPDATE SKIP LOCKED)`;

/** Returns what writes a turn. */
export function writeTurn({ project, owner, isUsed, isWaiting, isHeld, lane, isLaneKnown }: Turn): readonly {
  readonly text: string;
  readonly values: readonly (string | boolean | number)[];
}[] {
  const left = isUsed ? [{ text: USE, values: [project] }] : isWaiting ? [] : [{ text: GIVE_UP, values: [project] }];
  if (!isWaiting) return left;
  const overtaken = isLaneKnown && lane === 'short' ? OVERTAKEN : 0;
  return [...left, { text: isHeld ? RESERVE : ASK, values: [project, owner, lane, isHeld, overtaken] }];
}

/** Makes Graphile Worker's tables; it is loaded only where they are missing. What a newer one changes, its runners do. */
export async function createJobs(connections: Connections, client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ exists: boolean }>(`SELECT to_regclass('${JOBS}.jobs') IS NOT NULL AS exists`);
  if (rows[0]!.exists) return;
  const { runMigrations } = await import('graphile-worker');
  const pgPool = connections.createPool(1);
  try {
    await runMigrations({ pgPool, schema: JOBS, logger: await createLogger(() => {}) });
  } finally {
    await pgPool.end();
  }
}

/** Removes jobs that were lost, which nobody does any more. */
export async function pruneJobs(connections: Connections): Promise<void> {
  const { makeWorkerUtils } = await import('graphile-worker');
  const pgPool = connections.createPool(1);
  const utils = await makeWorkerUtils({ pgPool, schema: JOBS, logger: await createLogger(() => {}) });
  try {
    await utils.cleanup({ tasks: ['DELETE_PERMAFAILED_JOBS'] });
  } finally {
    await utils.release();
    await pgPool.end();
  }
}

/** Creates the turns of a node. */
export function createTurns(connections: Connections, onWarning: (message: string) => void): Turns {
  const { readers } = connections;
  const warn = (error: unknown): void => onWarning(`Queue of builds: ${(error as Error).message}`);
  return {
    async claim(waitedMs) {
      return (await readers.query(CLAIM, [waitedMs, CLAIMED_MS])).rowCount === 1;
    },
    async serve({ places: getPlaces, take }) {
      const places = getPlaces();
      const [{ run }, { EventEmitter }] = await Promise.all([import('graphile-worker'), import('node:events')]);
      const logger = await createLogger(onWarning);
      const pgPool = connections.createPool(RUNNER_CONNECTIONS * (places.long + places.short) + FURTHER_CONNECTIONS);
      const taken = new Set<Promise<void>>();
      const runners = new Set<Runner>();
      let isStopping = false;
      let pausedUntilMs = 0;
      let stopping: Promise<void> | undefined;

      const takeTurn = async (payload: unknown, place: Lane): Promise<void> => {
        const turn = take((payload as { readonly project: string }).project, place);
        taken.add(turn);
        try {
          await turn;
        } finally {
          taken.delete(turn);
        }
      };
      const start = async (place: Lane): Promise<void> => {
        const events: WorkerEvents = new EventEmitter();
        events.on('worker:getJob:empty', () => {
          if (!isStopping) readers.query(ASK_AGAIN, [LANES[place], LOST_MS]).catch(() => {});
        });
        const runner = await run({
          pgPool,
          schema: JOBS,
          logger,
          events,
          concurrency: 1,
          pollInterval: POLL_MS,
          noHandleSignals: true,
          parsedCronItems: [],
          // Where the end of a job cannot be stored that is not in a batch, nobody handles the error.
          preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
          taskList: Object.fromEntries(LANES[place].map((lane) => [lane, (payload) => takeTurn(payload, place)])),
        });
        runners.add(runner);
        // It gives up where it cannot store the end of a job, which is its own: others go on.
        runner.promise.catch(warn).finally(() => {
          runners.delete(runner);
          void startAgain(place);
        });
      };
      const startAgain = async (place: Lane): Promise<void> => {
        while (!isStopping) {
          await sleep(RESTART_MS, undefined, { ref: false });
          if (isStopping) return;
          if (performance.now() < pausedUntilMs) continue;
          try {
            return await start(place);
          } catch (error) {
            warn(error);
          }
        }
      };
      const stop = async (): Promise<void> => {
        isStopping = true;
        const stopped = Promise.all([...runners].map((runner) => runner.stop())).then(() => pgPool.end());
        await Promise.allSettled(taken);
        await Promise.race([stopped.catch(warn), sleep(STOP_MS, undefined, { ref: false })]);
      };
      for (const place of ['long', 'short'] as const) {
        for (let i = 0; i < places[place]; i++) await start(place);
      }
      return {
        wake() {},
        pause(ms) {
          pausedUntilMs = performance.now() + ms;
          // Each begins again afterwards, see `startAgain`.
          for (const runner of runners) runner.stop().catch(warn);
        },
        stop() {
          stopping ??= stop();
          return stopping;
        },
      };
    },
  };
}

async function createLogger(onWarning: (message: string) => void) {
  const { Logger } = await import('graphile-worker');
  return new Logger(() => (level, message) => {
    if (level === 'error' || level === 'warning') onWarning(`Queue of builds: ${message}`);
  });
}
