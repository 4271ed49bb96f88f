import test from 'ava';
import { createVirtualClock } from '../../../../bench/simulate/virtual-clock.ts';
import type { NodeListener } from '../../../../data/nodes.ts';
import { type Build, builds, hasEnded } from '../../../../data/records/build.ts';
import { projects } from '../../../../data/records/project.ts';
import { COLLECTIONS, createStore } from '../../../../data/store.ts';
import { createMemoryTurns } from '../../../../data/tables/memory-turns.ts';
import { createTables } from '../../../../data/tables/tables.ts';
import { tx } from '../../../../data/transaction.ts';
import type { BuildLogs } from '../../../../platform/builds/build-logs.ts';
import { PUT_BACK } from '../../../../platform/builds/build-reasons.ts';
import type { BuildQueue } from '../../../../platform/builds/queue/build-queue.ts';
import type { BuildWork } from '../../../../platform/builds/queue/build-runner.ts';
import { createBuildQueue } from '../../../../platform/builds/queue/create-queue.ts';
import type { BuildOutcome } from '../../../../platform/builds/run-build.ts';
import { createDelivery, createOutcome, createProject } from '../../../helpers/create-records.ts';
import fc, { type Arbitrary } from '../../../helpers/fast-check.ts';

/*
 * Several nodes on turns in memory, with a clock that does not wait: all interleavings of requests, builds and nodes that leave which the
 * seeds lead to are run in a second or two, and the same each time. What a database adds is in `shared-queue.test.ts`.
 */

const NAMES = ['alpha', 'beta', 'gamma', 'delta'];
const REFS = ['main', 'next', ''];
const QUICK_MS = 100;
/** Requests are answered before the next event: an answer of the store takes 3 ms at most. */
const EVENT_MS = 40;
/** Long builds are put back for short ones after half a second. */
const LONG_MS = 1_500;
const MAX_LATENCY_MS = 3;

const NO_LOGS: BuildLogs = {
  open: async () => ({ write() {}, close: async () => {} }),
  read: async () => '',
  async *follow() {},
  async writeProblems() {},
  readProblems: async () => [],
  async remove() {},
};

const at = fc.nat(NAMES.length - 1);
const ref = fc.nat(REFS.length - 1);
const event = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('push' as const),
      at,
      ref,
      commit: fc.nat(3),
      /** How often its hook comes at once, at different nodes. */
      times: fc.integer({ min: 1, max: 4 }),
      /** Its sender gives it an id, as some code hosts do not. */
      hasId: fc.boolean(),
      /** After how long one with an id comes again, having been stuck, ms; 0 = it does not. */
      lateMs: fc.oneof(fc.constant(0), fc.nat(8_000)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), number: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('gone' as const), at, ref: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), drainMs: fc.constantFrom(0, 30, 500) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(400) }) },
);
type Event = typeof event extends Arbitrary<infer T> ? T : never;

const scenario = fc.record({
  nodes: fc.integer({ min: 1, max: 3 }),
  concurrency: fc.integer({ min: 1, max: 2 }),
  quick: fc.nat(2),
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  events: fc.array(event, { minLength: 8, maxLength: 40 }),
});
type Scenario = typeof scenario extends Arbitrary<infer T> ? T : never;

/** Runs a scenario; returns how many builds were put back for short ones, and how many of them at nodes that left. Throws what does not hold. */
async function runScenario({ nodes, concurrency, quick, seed, events }: Scenario) {
  const clock = createVirtualClock();
  const now = (): Date => new Date(clock.nowMs());
  const tables = createTables(COLLECTIONS, createMemoryTurns(clock));
  for (const name of NAMES) {
    const project = createProject({ name, url: `https://code.example/${name}/docs`, versions: [] });
    tables.transact(tx.put(projects, projects.parse(project)));
  }
  let state = seed;
  /** Returns a whole number below a limit. */
  const draw = (limit: number): number => {
    // Park and Miller, 1988.
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
  const wait = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));
  const fail = (error: unknown): never => {
    throw error instanceof Error ? error : new Error(String(error));
  };
  const faults: unknown[] = [];
  const changes: Build[] = [];
  const listeners: NodeListener[] = [];
  const running = Array.from({ length: nodes }, () => new Set<Build>());
  const begun: { readonly id: string; readonly node: number }[] = [];
  const deferred = new Map<string, number>();
  const left = new Set<number>();
  const published = new Map(NAMES.map((name) => [name, new Map<string, string>()]));

  const run =
    (node: number): BuildWork =>
    async (build, { signal, onPublished }) => {
      const { id, project, ref: built, kind, commit } = build;
      const own = running[node]!;
      const all = running.flatMap((one) => [...one]);
      if (all.some((one) => one.project === project)) faults.push(`Two builds of ${project} run`);
      if (left.has(node)) faults.push(`Node ${node} begins ${id} although it leaves`);
      own.add(build);
      begun.push({ id, node });
      if (own.size > concurrency + quick) faults.push(`${own.size} builds run at node ${node}`);
      const workMs = draw(2) === 0 ? LONG_MS + draw(LONG_MS) : 1 + draw(60);
      const isAborted = await new Promise<boolean>((resolve) => {
        const forget = clock.after(workMs, () => resolve(false));
        signal.addEventListener('abort', () => {
          forget();
          resolve(true);
        });
        if (signal.aborted) resolve(true);
      });
      own.delete(build);
      if (isAborted) return { status: 'cancelled', reason: 'Cancelled' };
      const luck = draw(12);
      if (luck === 0) return { status: 'failing', reason: 'Broken' };
      if (luck === 1 && !deferred.has(id)) {
        deferred.set(id, 1);
        return { status: 'deferred', reason: 'The disk is full' };
      }
      const versions = published.get(project)!;
      if (kind === 'remove') versions.delete(built);
      else if (built !== '') versions.set(built, commit);
      onPublished();
      return createOutcome({
        versions: [...versions].map(([name, oid]) => ({
          ref: name,
          kind: 'branch' as const,
          oid,
          builtAt: now().toISOString(),
        })),
      }) satisfies BuildOutcome;
    };

  const createNode = (node: number): BuildQueue => {
    const latency = (): Promise<void> => wait(draw(MAX_LATENCY_MS + 1));
    const store = createStore({
      turns: tables.turns,
      async read(step) {
        await latency();
        return tables.read(step);
      },
      async transact(step) {
        await latency();
        const { value } = tables.transact(step());
        await latency();
        return value;
      },
      close: async () => {},
    });
    return createBuildQueue({
      store: {
        ...store,
        builds: {
          ...store.builds,
          async changeOpen(...values) {
            const changed = await store.builds.changeOpen(...values);
            // As others hear it.
            for (const build of changed) {
              for (const [other, { onBuild }] of listeners.entries()) {
                if (other !== node) void clock.after(draw(5), () => onBuild(build));
              }
            }
            return changed;
          },
        },
      },
      nodes: {
        id: node + 1,
        listen(listener) {
          listeners[node] = listener;
        },
      },
      logs: NO_LOGS,
      now,
      after: clock.after,
      places: () => ({ concurrency, quick, quickMs: QUICK_MS }),
      run: run(node),
      onChange: (build) => changes.push(build),
      onWarning: () => {},
      onError: (error) => faults.push(error),
    });
  };

  const queues = Array.from({ length: nodes }, (_, node) => createNode(node));
  const cancelled = new Set<string>();
  const newest = new Map<string, { readonly id: string; readonly commit: string }>();
  const stuck: Promise<void>[] = [];
  let sent = 0;

  const happen = async (one: Event): Promise<void> => {
    const staying = queues.filter((_, node) => !left.has(node));
    if (one.kind === 'push') {
      const project = NAMES[one.at]!;
      const name = REFS[one.ref]!;
      const commit = name === '' ? '' : String(one.commit).padStart(40, '0');
      const hook = sent++;
      const delivery = (i: number) => {
        const id = one.hasId ? `hook-${hook}` : `made-${hook}-${i}`;
        const values = { id, action: { kind: 'build', ref: name, commit } } as const;
        const { build: _, ...others } = createDelivery({ ...values, project, receivedAt: now().toISOString() });
        return others;
      };
      const send = (i: number) => {
        const nodes = queues.filter((_, node) => !left.has(node));
        const asked = { project, ref: name, commit, cause: 'webhook', delivery: delivery(i) } as const;
        return nodes[(draw(8) + i) % nodes.length]!.request(asked);
      };
      const answers = await Promise.all(Array.from({ length: one.times }, (_, i) => send(i)));
      const ids = new Set(answers.map(({ id }) => id));
      if (one.hasId && one.lateMs > 0) {
        stuck.push(
          wait(one.lateMs).then(async () => {
            const late = await send(0);
            if (!ids.has(late.id)) faults.push(`A hook that came again led to build ${late.id}, not ${[...ids]}`);
          }),
        );
      }
      if ((one.hasId || commit !== '') && ids.size > 1)
        faults.push(`${one.times} equal hooks led to ${ids.size} builds`);
      newest.set(`${project} ${name}`, { id: answers.at(-1)!.id, commit });
    } else if (one.kind === 'gone') {
      await staying[0]!.removeVersion(NAMES[one.at]!, REFS[one.ref]!);
    } else if (one.kind === 'cancel') {
      const id = changes[one.number]?.id;
      if (id === undefined) return;
      cancelled.add(id);
      const build = await staying[draw(staying.length)]!.cancel(id);
      if (!hasEnded(build!.status)) faults.push(`${id} is ${build!.status} although it was cancelled`);
    } else if (one.kind === 'leave' && staying.length > 1) {
      // The first one stays.
      const node = nodes - 1 - left.size;
      left.add(node);
      await queues[node]!.drain(one.drainMs);
      await queues[node]!.stop();
      if (running[node]!.size > 0) faults.push(`Node ${node} has left builds running`);
    }
  };

  const starting = Promise.all(queues.map((queue) => queue.start()));
  let ms = 50;
  const happening: Promise<void>[] = [];
  for (const one of events) {
    if (one.kind === 'wait') ms += one.ms;
    else {
      clock.at(ms, () => void happening.push(happen(one).catch((error: unknown) => void faults.push(error))));
      ms += EVENT_MS;
    }
  }
  await clock.run();
  await Promise.all([starting, ...happening]);
  await Promise.all(stuck);
  if (faults.length > 0) fail(faults[0]);

  const open = tables.read(tx.list(builds.indexes.open, ''));
  if (open.length > 0) fail(`${open.length} builds are open in the end: ${JSON.stringify(open[0])}`);
  let putBack = 0;
  for (const id of new Set(changes.map((build) => build.id))) {
    const own = changes.filter((build) => build.id === id);
    const states = own.map(({ status }) => status);
    if (states.filter(hasEnded).length !== 1) fail(`${id} ended otherwise than once: ${states}`);
    if (!hasEnded(states.at(-1)!)) fail(`${id} went on after its end: ${states}`);
    const forOthers = own.some(({ status, reason }) => status === 'queued' && reason === String(PUT_BACK)) ? 1 : 0;
    putBack += forOthers;
    if (forOthers > 0 && quick === 0) fail(`${id} was put back for nobody`);
    const times = begun.filter((one) => one.id === id).length;
    if (times > 1 + forOthers + (deferred.get(id) ?? 0) + left.size) fail(`${id} began ${times} times: ${states}`);
  }
  for (const { id, commit } of newest.values()) {
    const last = tables.read(tx.get(builds, id))!;
    const isDone = last.status === 'passing' || last.status === 'failing' || last.status === 'superseded';
    if (!isDone && !cancelled.has(id)) fail(`The newest push ended ${last.status}`);
    if (isDone && last.status !== 'superseded' && last.commit !== commit) fail(`Built ${last.commit}, not ${commit}`);
  }
  return { putBack, moved: begun.length - new Set(begun.map(({ id }) => id)).size };
}

test('queue: on several nodes with quick places, whatever happens, limits hold, equal hooks are built once, and nothing is lost', async (t) => {
  const seen = { putBack: 0, moved: 0 };
  await t.notThrowsAsync(
    fc.assert(
      fc.asyncProperty(scenario, async (one) => {
        const { putBack, moved } = await runScenario(one);
        seen.putBack += putBack;
        seen.moved += moved;
      }),
      { numRuns: 150 },
    ),
  );
  t.true(seen.putBack > 3 && seen.moved > seen.putBack, JSON.stringify(seen));
});
