import { setTimeout as sleep } from 'node:timers/promises';
import type { Runner, WorkerEvents } from 'graphile-worker';
import type pg from 'pg';
import type { Nodes, QuickChoice, TurnServer } from '../nodes.ts';
import type { Speed } from '../transaction.ts';
import { type Connections, isConnectionFailure } from './connections.ts';
import { SCHEMA } from './table-layout.ts';
import { JOBS, TURN_TASK } from './turns.ts';

/** The last migration of the Graphile Worker that this release uses. */
const JOBS_VERSION = 19;
/** How long a turn may be overlooked where its NOTIFY is lost, ms. */
const POLL_MS = 2_000;
/** Connections of a runner beside one for each place: for its LISTEN, and to give jobs back. */
const FURTHER_CONNECTIONS = 2;

/** What a place for quick builds passes over. */
const PASSED_OVER: Readonly<Record<QuickChoice, readonly Speed[]>> = {
  ...{ both: ['slow'], quick: ['slow', 'unknown'], unknown: ['slow', 'quick'] },
};
/** How long until a place looks again that found nothing of what it had chosen, since another one was faster, ms. */
const LOOK_AGAIN_MS = 100;

/** How long until a connection is tried again, ms. */
const RECONNECT_MS = 500;
/** The code of an error after which Graphile Worker makes a statement again, within 5 s. */
const AGAIN = '40001';

/** How long after a broken connection turns are given back whose answer was lost with it, ms: a server may do late what was sent to it. */
const FORGOTTEN_MS = [3_000, 20_000] as const;

const NOTE_WORKERS = `UPDATE ${SCHEMA}.nodes SET workers = workers || $2::text WHERE id = $1`;
/** Turns that workers hold and nobody works on. One whose answer is on its way is not among them; to take a turn twice does no harm. */
const GIVE_BACK = `UPDATE ${JOBS}._private_jobs SET locked_at = NULL, locked_by = NULL
WHERE locked_by = ANY ($1::text[]) AND locked_at < now() - interval '2 seconds' AND id <> ALL ($2::bigint[])`;
/** Forgets turns that nobody holds any more and that were asked for again meanwhile. */
const FORGET = `SELECT ${JOBS}.complete_jobs(ARRAY(
  SELECT id FROM ${JOBS}.jobs WHERE key IS NULL AND locked_at IS NULL AND attempts >= max_attempts))`;
const NUDGE = `SELECT pg_notify('jobs:insert', json_build_object('r', random(), 'count', 1)::text)
WHERE EXISTS (SELECT FROM ${SCHEMA}.turns)`;

/** Makes the tables of Graphile Worker what this release needs; it is loaded only where they are not. */
export async function migrateJobs(connections: Connections, client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ exists: boolean }>(
    `SELECT to_regclass('${JOBS}.migrations') IS NOT NULL AS exists`,
  );
  if (rows[0]!.exists) {
    const found = await client.query<{ version: number }>(`SELECT max(id) AS version FROM ${JOBS}.migrations`);
    if (found.rows[0]!.version >= JOBS_VERSION) return;
  }
  const { runMigrations } = await import('graphile-worker');
  const pgPool = connections.createPool(1);
  try {
    await runMigrations({ pgPool, schema: JOBS, logger: await createLogger(() => {}) });
  } finally {
    await pgPool.end();
  }
}

/** Takes turns of projects, see `Nodes.serveTurns`. */
export async function startTurnServer(
  context: { readonly connections: Connections; readonly node: number; readonly onWarning: (message: string) => void },
  options: Parameters<Nodes['serveTurns']>[0],
): Promise<TurnServer> {
  const { connections, node, onWarning } = context;
  const { places, quick, take, choose } = options;
  const [{ run }, { EventEmitter }] = await Promise.all([import('graphile-worker'), import('node:events')]);
  const logger = await createLogger(onWarning);
  const pgPool = connections.createPool(places + quick + 2 * FURTHER_CONNECTIONS);
  const stopping = new AbortController();
  const warn = (error: Error): void => onWarning(`Queue of builds: ${error.message}`);
  /** Turns that were taken, by the numbers of their jobs. */
  const taken = new Map<string, Promise<void>>();
  const takeTurn = async (job: string, project: string, isQuickPlace: boolean): Promise<void> => {
    const turn = take(project, isQuickPlace);
    taken.set(job, turn);
    try {
      await turn;
    } finally {
      taken.delete(job);
    }
  };
  const workers: string[] = [];
  const giveBack = (): void => {
    // The end gives all of them back.
    if (stopping.signal.aborted) return;
    pgPool
      .query(GIVE_BACK, [workers, [...taken.keys()]])
      .then(() => pgPool.query(FORGET))
      .catch(warn);
  };
  /** Whether what was lost just now will be given back. */
  let isPlanned = false;
  insistOnStatements(pgPool, stopping.signal, () => {
    if (isPlanned) return;
    isPlanned = true;
    for (const ms of FORGOTTEN_MS) setTimeout(giveBack, ms).unref();
    setTimeout(() => {
      isPlanned = false;
    }, FORGOTTEN_MS[0]).unref();
  });
  const start = (concurrency: number, isQuickPlace: boolean): Promise<Runner> => {
    const events: WorkerEvents = new EventEmitter();
    // Others need to know what this node leaves locked when it dies.
    events.on('pool:create', ({ workerPool }) => {
      workers.push(workerPool.id);
      pgPool.query(NOTE_WORKERS, [node, workerPool.id]).catch(warn);
    });
    /** Among what is passed over there may be something to take. */
    let isChosen = false;
    events.on('worker:getJob:empty', () => {
      if (isChosen) setTimeout(() => void (stopping.signal.aborted || pgPool.query(NUDGE).catch(warn)), LOOK_AGAIN_MS);
      isChosen = false;
    });
    const passOver = async (): Promise<string[]> => {
      // Where that is not known, both are taken in the order of turns.
      const choice = await choose().catch((): QuickChoice => 'both');
      isChosen = choice !== 'both';
      return [...PASSED_OVER[choice]];
    };
    return run({
      ...{ pgPool, schema: JOBS, logger, events, concurrency, pollInterval: POLL_MS },
      forbiddenFlags: isQuickPlace ? passOver : [],
      ...{ noHandleSignals: true, parsedCronItems: [] },
      taskList: {
        [TURN_TASK]: (payload, { job }) =>
          takeTurn(job.id, (payload as { readonly project: string }).project, isQuickPlace),
      },
    });
  };
  const runners = [await start(places, false), ...(quick > 0 ? [await start(quick, true)] : [])];
  return {
    async stop() {
      stopping.abort();
      const stopped = Promise.all(runners.map((runner) => runner.stop()));
      await Promise.allSettled(taken.values());
      await stopped;
      // The end of a turn may not be stored yet.
      await releaseTurns(pgPool, node).catch(warn);
      await pgPool.end();
    },
  };
}

/**
 * Makes Graphile Worker wait for a connection, and make a statement again whose connection has broken. It stores the end of a
 * turn without waiting for the answer, so that an error there would end the process, and knows of no broken connections. All
 * statements that it repeats may be made twice; `onBroken` is called where the answer of one was lost.
 */
function insistOnStatements(pool: pg.Pool, stopping: AbortSignal, onBroken: () => void): void {
  const refuse = (cause: unknown): never => {
    if (!isConnectionFailure(cause)) throw cause;
    onBroken();
    throw Object.assign(new Error((cause as Error).message, { cause }), { code: AGAIN });
  };
  type Call = (...given: unknown[]) => unknown;
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as Call;
    const ask: Call = (...given) => {
      const answer = query(...given);
      return answer instanceof Promise ? answer.catch(refuse) : answer;
    };
    Object.assign(client, { query: ask });
  });
  const connect = pool.connect.bind(pool) as Call;
  const insist = async (): Promise<unknown> => {
    for (;;) {
      // Nobody waits for it any more.
      if (pool.ending) return new Promise(() => {});
      try {
        return await connect();
      } catch (error) {
        if (stopping.aborted && !pool.ending) return refuse(error);
        if (!isConnectionFailure(error)) throw error;
        await sleep(RECONNECT_MS, undefined, { ref: false });
      }
    }
  };
  // The pool calls itself with a function.
  Object.assign(pool, { connect: (...given: unknown[]) => (given.length > 0 ? connect(...given) : insist()) });
}

/**
 * Who holds the turns that a node leaves, and those that no node which lives holds: it may have died before it could note
 * its workers.
 */
const LEFT_WORKERS = `ARRAY(SELECT DISTINCT locked_by FROM ${JOBS}.jobs WHERE locked_by IS NOT NULL AND (
  locked_by = ANY ((SELECT workers FROM ${SCHEMA}.nodes WHERE id = $1)::text[])
  OR locked_at < now() - interval '5 seconds' AND NOT EXISTS (
    SELECT FROM ${SCHEMA}.nodes WHERE NOT is_dead AND id <> $1 AND locked_by = ANY (workers))))`;

/** Lets others have the turns that a dead node had, and forgets those that were asked for again meanwhile. */
export async function releaseTurns(client: pg.Pool, node: number): Promise<void> {
  await client.query(`SELECT ${JOBS}.force_unlock_workers(${LEFT_WORKERS})`, [node]);
  // What others wait for now is not new to their workers.
  await client.query(NUDGE);
  await client.query(FORGET);
}

async function createLogger(onWarning: (message: string) => void) {
  const { Logger } = await import('graphile-worker');
  return new Logger(() => (level, message) => {
    if (level === 'error' || level === 'warning') onWarning(`Queue of builds: ${message}`);
  });
}
