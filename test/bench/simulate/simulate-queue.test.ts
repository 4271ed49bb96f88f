import { createRandom } from '../../../bench/corpus/random.ts';
import { coldBuildMs, warmBuildMs } from '../../../bench/simulate/measured.ts';
import { type Service, simulateQueue } from '../../../bench/simulate/simulate-queue.ts';
import { createWorkload, type Push, type SimulatedProject, type Workload } from '../../../bench/simulate/workload.ts';
import { openPostgresStore } from '../../../data/postgres/open-postgres-store.ts';
import { createBuildLogs } from '../../../platform/builds/build-logs.ts';
import { createSharedLogs } from '../../../platform/builds/log-storages.ts';
import { createSharedQueue } from '../../../platform/builds/shared-queue.ts';
import { createOutcome, createProject } from '../../helpers/create-records.ts';
import test from '../../helpers/serial-test.ts';
import { postgresTest, shareCluster } from '../../helpers/share-postgres.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

const cluster = shareCluster();

const SERVICE: Service = { nodes: 1, rule: 'owners', known: 'everywhere' };
const BUILD_MS = 10_000;

function createSimulated(number: number, values: Partial<SimulatedProject> = {}): SimulatedProject {
  const project = { name: `project-${number}`, owner: 'example.com/o', rate: 0, pages: 1, versions: 1, commandMs: 0 };
  return { ...project, ...values };
}

function createPushed(pushes: readonly Push[]): Workload {
  return { pushes, projects: [...new Set(pushes.map(({ project }) => project))], flooder: '', random: () => 0.5 };
}

/** Builds in the order in which a workload's pushes were live, and when the last one of each began. */
function listBuilds(workload: Workload, service: Service): { name: string; beginMs: number }[] {
  const builds = new Map<number, { name: string; beginMs: number }>();
  for (const { push, liveMs, waitMs } of simulateQueue(workload, service).pushes) {
    const name = `${push.project.name} ${push.ref}`;
    builds.set(push.ms + liveMs, { name, beginMs: push.ms + waitMs });
  }
  return [...builds].sort(([a], [b]) => a - b).map(([, build]) => build);
}

postgresTest('simulation: builds begin in the order of the queue on PostgreSQL and Graphile Worker', async (t) => {
  const random = createRandom(7);
  const projects = Array.from({ length: 12 }, (_, i) =>
    // Owners with one, two, three and six projects.
    createSimulated(i, { owner: `example.com/${['a', 'b', 'b', 'c', 'c', 'c'][i] ?? 'd'}`, commandMs: BUILD_MS }),
  );
  // Some pushes in the middle of each build.
  const pushes = Array.from({ length: 20 }, (_, build) =>
    Array.from({ length: 1 + random.number(5) }, (_, i) => ({
      ms: (build - 0.5) * BUILD_MS + BUILD_MS + i * 10,
      ...{ project: random.pick(projects), ref: `refs/heads/${random.pick(['main', 'next', 'old'])}` },
    })),
  ).flat();
  const expected = listBuilds(createPushed(pushes), { ...SERVICE, hasQuick: false });
  t.true(expected.length > 25);
  const firstCome = listBuilds(createPushed(pushes), { ...SERVICE, hasQuick: false, rule: 'first come' });
  t.notDeepEqual(
    firstCome.map(({ name }) => name),
    expected.map(({ name }) => name),
    'the order shows the rule',
  );

  const own = await cluster();
  const store = await openPostgresStore({ url: own.url(await own.createMigrated()), onWarning: () => {} });
  const begun: string[] = [];
  const letGo: (() => void)[] = [];
  const queue = createSharedQueue({
    ...{ store, nodes: store.nodes, logs: createBuildLogs(createSharedLogs(store.nodes.logs, async () => false)) },
    places: () => ({ concurrency: 1, quick: 0, quickMs: 5_000 }),
    isBuilding: true,
    async run({ project, ref }) {
      const isLetGo = new Promise<void>((resolve) => letGo.push(resolve));
      begun.push(`${project} ${ref}`);
      await isLetGo;
      return createOutcome();
    },
    onError: (error) => t.fail(String(error)),
    now: () => new Date(),
  });
  t.teardown(async () => {
    for (const end of letGo) end();
    await queue.stop();
    await store.close();
  });
  for (const { name, owner } of projects) {
    await store.projects.add(createProject({ name, url: `https://${owner}/${name}.git`, versions: [] }));
  }
  let pushed = 0;
  for (const [i, { beginMs }] of expected.entries()) {
    while (pushed < pushes.length && pushes[pushed]!.ms < beginMs) {
      const { project, ref } = pushes[pushed++]!;
      await queue.request({ project: project.name, ref, commit: '', cause: 'api' });
    }
    // The first turn is taken, as in the simulation, once all of the first pushes have asked for one.
    if (i === 0) await queue.start();
    letGo[i - 1]?.();
    await waitUntil(() => begun.length > i);
  }
  t.deepEqual(
    begun,
    expected.map(({ name }) => name),
  );
});

test('simulation: the same seed gives the same result, another one another', (t) => {
  const options = { seed: 3, projects: 500, pushesPerSecond: 20, seconds: 60, flood: 50, floodAt: 30 };
  const service: Service = { nodes: 8, rule: 'owners', known: { days: 0.001 } };
  const run = (seed: number) => simulateQueue(createWorkload({ ...options, seed }), service);
  const [one, same, other] = [run(3), run(3), run(4)];
  t.deepEqual(same, one);
  t.notDeepEqual(other.pushes, one.pushes);
  t.is(one.pushes.length, createWorkload(options).pushes.length, 'every push is live in the end');
  t.true(one.cold > 0 && one.cold < one.builds);
});

test('simulation: an owner who pushes to many projects at once does not hold up others, who would wait first come, first served', (t) => {
  const flood = Array.from({ length: 200 }, (_, i) => ({
    ...{ ms: 1_000 + i, ref: 'refs/heads/main' },
    project: createSimulated(i, { owner: 'many' }),
  }));
  const single = { ms: 2_000, project: createSimulated(200, { owner: 'one' }), ref: 'refs/heads/main' };
  const waitOf = (rule: Service['rule']) =>
    simulateQueue(createPushed([...flood, single]), { ...SERVICE, rule }).pushes.find(({ push }) => push === single)!
      .waitMs;
  const buildMs = warmBuildMs(single.project);
  t.true(waitOf('owners') < 2 * buildMs, `${waitOf('owners')} ms`);
  t.true(waitOf('first come') > 80 * buildMs, `${waitOf('first come')} ms`);
});

test('simulation: pushes to a ref that waits are one build, and one that takes long is put back for others', (t) => {
  const slow = [0, 1].map((i) => createSimulated(i, { owner: `slow-${i}`, commandMs: 60_000 }));
  const quick = createSimulated(2, { owner: 'quick' });
  const pushes = [
    ...slow.map((project, i) => ({ ms: i, project, ref: 'refs/heads/main' })),
    ...[10_000, 10_010, 10_020].map((ms) => ({ ms, project: quick, ref: 'refs/heads/main' })),
  ];
  const outcome = simulateQueue(createPushed(pushes), SERVICE);
  t.like(outcome, { builds: 3, putBack: 1 });
  const waits = outcome.pushes.filter(({ push }) => push.project === quick).map(({ waitMs }) => waitMs);
  t.is(waits.length, 3);
  t.true(Math.max(...waits) < 2_000, String(waits));
  const [first, second] = outcome.pushes.filter(({ push }) => push.project !== quick).map(({ liveMs }) => liveMs);
  t.true(
    first! < 62_000 && second! > 120_000,
    'the one that was put back runs from its beginning when the other one has ended',
  );
});

test('simulation: a first build on a node takes what the whole site takes', (t) => {
  const [small, large] = [createSimulated(0), createSimulated(1, { pages: 400, versions: 30 })];
  t.true(coldBuildMs(small) < 2 * warmBuildMs(small));
  t.true(coldBuildMs(large) > 10 * warmBuildMs(large));
});
