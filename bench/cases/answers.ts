import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runDocbuild as runCommand } from '../../test/helpers/run-docbuild.ts';
import { type Bench, type BenchCase, type CaseResult, getCorpus, type Row } from '../bench-case.ts';
import { git } from '../corpus/git.ts';
import { type Latency, probeLatency } from '../measure/probe-latency.ts';
import { runWrk } from '../measure/run-wrk.ts';
import { type RunningServer, startProgram, startSiteServer } from '../measure/start-server.ts';
import { findSpread } from '../measure/statistics.ts';
import { hasProgram } from '../peers/nginx.ts';

const PORT = 45_782;
const CONNECTIONS = 32;
const SECONDS = 4;
/** Builds of the whole history, each without what the one before has left. */
const BUILDS = 3;

/** Answers of the API: against Koa and its router alone, and while builds go on beside them. */
export const answersCase: BenchCase = {
  name: 'answers',
  title: `Description and badge to ${CONNECTIONS} connections; an answer while the whole history is built`,
  needsCorpus: true,
  async run(bench) {
    const folder = join(bench.folder, 'server');
    mkdirSync(folder);
    const config = join(folder, 'docbuild.yml');
    writeFileSync(config, 'base_dir: ./base\n');
    const repository = join(bench.folder, 'corpus.git');
    git(bench.folder, ['clone', '--quiet', '--bare', getCorpus(bench).repository, repository]);
    await runCommand(['project', 'create', '-c', config, '-u', repository, '--latest', 'main', 'guide']);
    await runCommand(['build', '-c', config, 'guide', '-b', 'main']);
    const command = fileURLToPath(new URL('../../docbuild.js', import.meta.url));
    const server = await startProgram(process.execPath, [command, 'api', '-c', config, '--port', String(PORT)], PORT);
    try {
      const speed = hasProgram('wrk') ? await measureSpeed(bench, server) : undefined;
      if (!speed) bench.say('SKIPPED answers a second: wrk not installed');
      const delay = await measureDelay(server, { config, base: join(folder, 'base'), repository });
      return {
        rows: [...(speed?.rows ?? []), ...delay.rows],
        targets: [...(speed?.targets ?? []), ...delay.targets],
      };
    } finally {
      await server.stop();
    }
  },
};

async function measureSpeed({ folder, short, say }: Bench, server: RunningServer): Promise<CaseResult> {
  const file = join(folder, 'desc.json');
  const desc = `${server.url}/docbuild/desc/guide`;
  writeFileSync(file, await (await fetch(desc)).text());
  const bare = await startSiteServer('json', file);
  const contenders = [
    ['Koa and @koa/router, the same JSON', bare, '/json/guide'],
    ['description', server, '/docbuild/desc/guide'],
    ['badge', server, '/docbuild/badge/guide'],
  ] as const;
  const seen = contenders.map((): number[] => []);
  for (let round = 1; round <= short; round++) {
    for (const [i, [name, from, path]] of contenders.entries()) {
      const { perSecond } = runWrk(from, { path, connections: CONNECTIONS, seconds: SECONDS });
      seen[i]!.push(perSecond);
      say(`${name}, round ${round} of ${short}: ${Math.round(perSecond)} answers a second`);
    }
  }
  await bare.stop();
  const rows: Row[] = contenders.map(([name], i) => {
    const { median, min, max } = findSpread(seen[i]!);
    return { name, note: `${Math.round(median)} (${Math.round(min)} – ${Math.round(max)}) answers a second` };
  });
  // Other work on the machine comes and goes: what counts is the ratio inside a round.
  const against = (i: number): number => findSpread(seen[0]!.map((value, round) => value / seen[i]![round]!)).median;
  return {
    rows,
    targets: [
      { name: 'bare Koa of the description', value: against(1), limit: 1 / 0.7, unit: '×' },
      { name: 'bare Koa of the badge', value: against(2), limit: 1 / 0.7, unit: '×' },
    ],
  };
}

async function measureDelay(
  { url }: RunningServer,
  { config, base, repository }: { readonly config: string; readonly base: string; readonly repository: string },
): Promise<CaseResult> {
  const desc = `${url}/docbuild/desc/guide`;
  const idle = await probeLatency(desc, sleep(5000));
  const busy: Latency[] = [];
  for (let n = 1; n <= BUILDS; n++) {
    const name = `guide${n}`;
    await runCommand(['project', 'create', '-c', config, '-u', repository, '--latest', 'main', name]);
    rmSync(join(base, 'cache'), { recursive: true, force: true });
    busy.push(await probeLatency(desc, runCommand(['build', '-c', config, name, '--all'])));
  }
  const rows = [
    { name: 'an answer, nothing else going on', note: describe(idle) },
    ...busy.map((latency, n) => ({
      name: `an answer during a build of all versions, ${n + 1}`,
      note: describe(latency),
    })),
  ];
  const worst = Math.max(...busy.map(({ p99Ms }) => p99Ms));
  return { rows, targets: [{ name: 'p99 delayed by builds', value: worst - idle.p99Ms, limit: 20, unit: 'ms' }] };
}

function describe({ answers, p50Ms, p99Ms, maxMs }: Latency): string {
  return `${answers} answers: half within ${p50Ms.toFixed(1)} ms, 99 % within ${p99Ms.toFixed(1)} ms, all within ${maxMs.toFixed(1)} ms`;
}
