import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { drawChart } from './draw-chart.ts';
import { CHANGE_MS, LOOK_MS, NOTICE_MS, NOTICES_A_PUSH, OBJECTS_A_PUSH } from './measured.ts';
import { createNeighbours, isSmall, NEIGHBOURS, type Neighbours } from './neighbours.ts';
import { type Outcome, type Service, simulateQueue, WEB_NODES } from './simulate-queue.ts';
import { createWorkload, type Push, type WorkloadOptions } from './workload.ts';

const NODES = [20, 30, 40, 60, 100, 200];
const RATES = [25, 75, 115, 130];
/** Nodes of the runs in which pushes increase. */
const MANY_NODES = 100;
/** How long it takes until the queue is as it stays, seconds. */
const WARM_UP = 60;
/** How long the flood is looked at, seconds. */
const FLOOD_SPAN = 60;
const WORKLOAD: WorkloadOptions = {
  seed: 1,
  projects: 100_000,
  pushesPerSecond: 50,
  seconds: 300,
  flood: 2_000,
  floodAt: 200,
};

const { values: flags } = parseArgs({
  options: {
    seed: { type: 'string', default: String(WORKLOAD.seed) },
    /** Folder for the charts. */
    charts: { type: 'string', default: fileURLToPath(new URL('../../../docs/images/', import.meta.url)) },
  },
});
const seed = Number(flags.seed);
if (!Number.isSafeInteger(seed) || seed < 0) {
  console.error(`--seed: "${flags.seed}" is not a whole number`);
  process.exit(2);
}

const runs: {
  readonly nodes: number;
  readonly turns: Awaited<ReturnType<typeof run>>;
  readonly firstCome: Awaited<ReturnType<typeof run>>;
  readonly everywhere: Awaited<ReturnType<typeof run>>;
}[] = [];
for (const nodes of NODES) {
  const service = { nodes, rule: 'owners', known: { days: 7 } } as const;
  runs.push({
    nodes,
    turns: await run(service),
    firstCome: await run({ ...service, rule: 'first come' }),
    everywhere: await run({ ...service, known: 'everywhere' }),
  });
}

printTable(
  [
    'build nodes',
    'busy',
    'wait p50 / p95 / p99',
    'push to live p50 / p95 / p99',
    'first builds on a node',
    'p99 if none were',
    'node hours / 1,000 pushes',
  ],
  runs.map(({ nodes, turns, everywhere }) => [
    ...[String(nodes), percent(turns.busy), list(turns.wait), list(turns.live)],
    ...[percent(turns.cold / turns.builds), seconds(everywhere.live[2])],
    ((nodes * 1_000) / WORKLOAD.pushesPerSecond / 3_600).toFixed(2),
  ]),
);
printTable(
  ['build nodes', 'others, the minute before', 'others, by turns', 'others, first come', 'the flood itself, by turns'],
  runs.map(({ nodes, turns, firstCome }) => [
    ...[String(nodes), seconds(turns.before), seconds(turns.others), seconds(firstCome.others), seconds(turns.flood)],
  ]),
);
const rates: string[][] = [];
for (const rate of RATES) {
  const one = await run({ nodes: MANY_NODES, rule: 'owners', known: { days: 7 } }, rate);
  const idleRunners = 2 * MANY_NODES * (1 - one.busy);
  rates.push([
    ...[String(rate), percent(one.storing), list(one.wait), ((idleRunners * rate * LOOK_MS) / 1_000).toFixed(1)],
    ((NOTICES_A_PUSH * rate * (MANY_NODES + WEB_NODES) * NOTICE_MS) / 1_000).toFixed(1),
    String(OBJECTS_A_PUSH * rate),
  ]);
}
printTable(
  [
    'pushes a second',
    'changes: busy',
    'wait p50 / p95 / p99',
    'looks for turns, cores',
    'notices, cores',
    'objects to S3 a second',
  ],
  rates,
);
const neighbours: string[][] = [];
for (const [kind, title] of Object.entries(NEIGHBOURS)) {
  const workload = createNeighbours(kind as Neighbours, seed);
  const { pushes, putBack, builds } = await simulateQueue(workload, { nodes: 1, rule: 'owners', known: 'everywhere' });
  const waits = (isCounted: (push: Push) => boolean): string => {
    const all = pushes.filter(({ push }) => isCounted(push)).map(({ waitMs }) => waitMs);
    return [0.5, 0.95, 1].map((part) => seconds(findPart(all, part))).join(' / ');
  };
  neighbours.push([title, waits(isSmall), waits((push) => !isSmall(push)), `${putBack} of ${builds}`]);
}
printTable(
  ['one node, beside a site of one page', 'its wait p50 / p95 / longest', 'wait of the others', 'put back'],
  neighbours,
);
console.log(`One transaction takes ${CHANGE_MS} ms; the service has ${WORKLOAD.projects} projects; seed ${seed}.`);

mkdirSync(flags.charts, { recursive: true });
for (const [file, texts] of [
  [
    'scale-simulation.svg',
    {
      title: 'Simulated: 100,000 projects, 50 pushes a second, 20 to 200 build nodes',
      panels: ['Waiting and push to live', 'Others beside one who pushes 2,000 projects'],
      xLabel: 'build nodes',
      lines: ['wait, median', 'wait, p95', 'wait, p99', 'push to live, p99'],
      rules: ['wait p95, by turns', 'wait p95, first come'],
    },
  ],
  [
    'scale-simulation-zh.svg',
    {
      title: '模拟：100,000 个项目，每秒 50 次推送，20 至 200 个构建节点',
      panels: ['等待时间与从推送到上线', '有人同时推送 2,000 个项目时其他人的等待'],
      xLabel: '构建节点数',
      lines: ['等待，中位数', '等待，p95', '等待，p99', '推送到上线，p99'],
      rules: ['等待 p95，轮流', '等待 p95，先来先得'],
    },
  ],
] as const) {
  const pick = (value: (one: (typeof runs)[number]) => number) => runs.map((one) => [one.nodes, value(one)] as const);
  const colors = ['a', 'b', 'c', 'd'];
  const draw = (labels: readonly string[], values: readonly ((one: (typeof runs)[number]) => number)[]) =>
    values.map((value, i) => ({ label: labels[i]!, color: colors[i]!, points: pick(value) }));
  const panel = (i: 0 | 1) => ({ title: texts.panels[i], xLabel: texts.xLabel, xTicks: [20, 60, 100, 140, 200] });
  const lines = draw(texts.lines, [
    ({ turns }) => turns.wait[0],
    ({ turns }) => turns.wait[1],
    ({ turns }) => turns.wait[2],
    ({ turns }) => turns.live[2],
  ]);
  const rules = draw(texts.rules, [({ turns }) => turns.others, ({ firstCome }) => firstCome.others]);
  writeFileSync(
    join(flags.charts, file),
    drawChart(texts.title, [
      { ...panel(0), lines },
      { ...panel(1), lines: rules },
    ]),
  );
}

type Shares = readonly [number, number, number];

/** Simulates a service; returns what became of pushes without those to the flood, and then of those beside it. */
async function run(service: Service, pushesPerSecond = WORKLOAD.pushesPerSecond) {
  const workload = createWorkload({ ...WORKLOAD, seed, pushesPerSecond });
  const outcome = await simulateQueue(workload, service);
  const { floodAt } = WORKLOAD;
  const share = (name: 'waitMs' | 'liveMs', at: number, from: number, to: number, isFlood = false): number =>
    findShare(outcome, { name, at, from, to }, (owner) => (owner === workload.flooder) === isFlood);
  const shares = (name: 'waitMs' | 'liveMs'): Shares => [
    share(name, 0.5, WARM_UP, floodAt),
    share(name, 0.95, WARM_UP, floodAt),
    share(name, 0.99, WARM_UP, floodAt),
  ];
  const { pushes: _, ...figures } = outcome;
  return {
    ...figures,
    wait: shares('waitMs'),
    live: shares('liveMs'),
    before: share('waitMs', 0.95, floodAt - FLOOD_SPAN, floodAt),
    others: share('waitMs', 0.95, floodAt, floodAt + FLOOD_SPAN),
    flood: share('waitMs', 0.95, floodAt, floodAt + FLOOD_SPAN, true),
  };
}

/** Returns the time below which a part of the pushes of a span stays; without the flood's owner, or with nobody else. */
function findShare(
  { pushes }: Outcome,
  {
    name,
    at,
    from,
    to,
  }: { readonly name: 'waitMs' | 'liveMs'; readonly at: number; readonly from: number; readonly to: number },
  isCounted: (owner: string) => boolean,
): number {
  const times = pushes
    .filter(({ push }) => push.ms >= from * 1_000 && push.ms < to * 1_000 && isCounted(push.project.owner))
    .map((one) => one[name]);
  return findPart(times, at);
}

/** Returns the number below which a part of some stays. */
function findPart(numbers: readonly number[], part: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * part))]!;
}

function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  console.log([line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line), ''].join('\n'));
}

function list(shares: Shares): string {
  return shares.map(seconds).join(' / ');
}

function seconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1_000).toFixed(2)} s` : `${(ms / 1_000).toFixed(0)} s`;
}

function percent(part: number): string {
  return `${(part * 100).toFixed(part < 0.1 ? 1 : 0)} %`;
}
