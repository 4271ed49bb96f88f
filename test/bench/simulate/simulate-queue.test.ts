import test from 'ava';
import { coldBuildMs, warmBuildMs } from '../../../bench/simulate/measured.ts';
import { createNeighbours, isSmall, NEIGHBOURS, type Neighbours } from '../../../bench/simulate/neighbours.ts';
import { type Service, simulateQueue } from '../../../bench/simulate/simulate-queue.ts';
import { createWorkload, type Push, type SimulatedProject, type Workload } from '../../../bench/simulate/workload.ts';

const SERVICE: Service = { nodes: 1, rule: 'owners', known: 'everywhere' };

function createSimulated(number: number, values: Partial<SimulatedProject> = {}): SimulatedProject {
  const project = { name: `project-${number}`, owner: 'o', rate: 0, pages: 1, versions: 1, commandMs: 0 };
  return { ...project, ...values };
}

function createPushed(pushes: readonly Push[]): Workload {
  return { pushes, projects: [...new Set(pushes.map(({ project }) => project))], flooder: '', random: () => 0.5 };
}

test('simulation: the same seed gives the same result, another one another', async (t) => {
  const options = { seed: 3, projects: 200, pushesPerSecond: 10, seconds: 30, flood: 20, floodAt: 15 };
  const service: Service = { nodes: 8, rule: 'owners', known: { days: 0.001 } };
  const run = (seed: number) => simulateQueue(createWorkload({ ...options, seed }), service);
  const [one, same, other] = [await run(3), await run(3), await run(4)];
  t.deepEqual(same, one);
  t.notDeepEqual(other.pushes, one.pushes);
  t.is(one.pushes.length, createWorkload(options).pushes.length, 'every push is live in the end');
  t.true(one.cold > 0 && one.cold < one.builds);
});

test('simulation: an owner who pushes to many projects at once does not hold up others, who would wait first come, first served', async (t) => {
  const flood = Array.from({ length: 200 }, (_, i) => ({
    ms: 1_000 + i,
    ref: 'refs/heads/main',
    project: createSimulated(i, { owner: 'many' }),
  }));
  const single = { ms: 2_000, project: createSimulated(200, { owner: 'one' }), ref: 'refs/heads/main' };
  const waitOf = async (rule: Service['rule']) =>
    (await simulateQueue(createPushed([...flood, single]), { ...SERVICE, rule })).pushes.find(
      ({ push }) => push === single,
    )!.waitMs;
  const buildMs = warmBuildMs(single.project);
  t.true((await waitOf('owners')) < 2 * buildMs);
  t.true((await waitOf('first come')) > 80 * buildMs);
});

test('simulation: pushes to a ref that waits are one build, and one that takes long is put back for others', async (t) => {
  const long = [0, 1].map((i) => createSimulated(i, { owner: `long-${i}`, commandMs: 60_000 }));
  const short = createSimulated(2, { owner: 'short' });
  const pushes = [
    ...long.map((project, i) => ({ ms: i, project, ref: 'refs/heads/main' })),
    ...[10_000, 10_010, 10_020].map((ms) => ({ ms, project: short, ref: 'refs/heads/main' })),
  ];
  const outcome = await simulateQueue(createPushed(pushes), SERVICE);
  t.like(outcome, { builds: 3, putBack: 1 });
  const waits = outcome.pushes.filter(({ push }) => push.project === short).map(({ waitMs }) => waitMs);
  t.is(waits.length, 3);
  t.true(Math.max(...waits) < 2_000, String(waits));
  const [first, second] = outcome.pushes.filter(({ push }) => push.project !== short).map(({ liveMs }) => liveMs);
  t.true(
    first! < 62_000 && second! > 120_000,
    'the one that was put back runs from its beginning when the other one has ended',
  );
});

for (const [kind, title] of Object.entries(NEIGHBOURS)) {
  // What takes up to five seconds is short, too.
  const mostS = kind === 'medium' ? 5 : 2;
  test(`simulation: 19 of 20 pushes to a small site wait ${mostS} s at most, beside ${title}`, async (t) => {
    const { pushes } = await simulateQueue(createNeighbours(kind as Neighbours, 1), SERVICE);
    const waits = pushes
      .filter(({ push }) => isSmall(push))
      .map(({ waitMs }) => waitMs)
      .sort((a, b) => a - b);
    const p95 = waits[Math.floor(0.95 * waits.length)]!;
    t.true(p95 <= 1_000 * mostS, `${p95} ms`);
    const others = pushes.filter(({ push }) => !isSmall(push));
    t.true(others.length > 50, 'nobody starves');
  });
}

test('simulation: a first build on a node takes what the whole site takes', (t) => {
  const [small, large] = [createSimulated(0), createSimulated(1, { pages: 400, versions: 30 })];
  t.true(coldBuildMs(small) < 2 * warmBuildMs(small));
  t.true(coldBuildMs(large) > 10 * warmBuildMs(large));
});
