import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runDocbuild as runCommand } from '../../test/helpers/run-docbuild.ts';
import { serveGit } from '../../test/helpers/serve-git.ts';
import type { BenchCase, Row } from '../bench-case.ts';
import { createSynthetic } from '../corpus/create-synthetic.ts';
import { git } from '../corpus/git.ts';
import { pushPage } from '../measure/push-page.ts';
import { sampleMemory } from '../measure/sample-memory.ts';
import { type RunningServer, startProgram } from '../measure/start-server.ts';
import { findSpread } from '../measure/statistics.ts';

const PORT = 45_782;
const PUSHES = 10;
const PAGE = { project: 'small', path: 'docs/index.md', url: 'en/main/' };
/** Takes more than a minute on two cores. */
const LARGE_PAGES = 40_000;
/** How long the slow builds run before the first push. */
const HEAD_START_MS = 2_000;

/** Who shares the server with a small project. */
interface Neighbour {
  readonly name: string;
  /** Options of `docbuild project create`, for each of its projects. */
  readonly projects: readonly (readonly string[])[];
}

/** The slowest push beside one slow project. */
export const NEIGHBOUR_MS = 3_000;

/** From a webhook to the changed page of a small project while builds of other projects take a minute or more. */
export const neighbourCase: BenchCase = {
  name: 'neighbour',
  title: 'Push to live beside slow projects: one page, two cores, `concurrency: 1`, `quick: 1`',
  needsCorpus: false,
  async run(bench) {
    const small = createSmall(bench.folder);
    const large = createSynthetic(bench.folder, { pages: LARGE_PAGES });
    const context = { teardown: () => {} } as never;
    const gitServer = await serveGit(context, bench.folder);
    const stalling = await serveGit(context, bench.folder);
    stalling.holdAfterBytes = 100;
    const url = `${gitServer.url}/small.git`;
    const slow = ['-u', `${stalling.url}/small.git`];
    const neighbours: readonly Neighbour[] = [
      { name: 'nobody', projects: [] },
      { name: 'a git server that stalls', projects: [slow] },
      { name: `${LARGE_PAGES} pages`, projects: [['-u', large]] },
      { name: 'a command of a minute', projects: [['-u', url, '--before', 'sleep 60']] },
      { name: 'both: pages and a git server that stalls', projects: [['-u', large], slow] },
    ];
    const rows: Row[] = [];
    let worst = 0;
    try {
      for (const [number, neighbour] of neighbours.entries()) {
        bench.say(neighbour.name);
        const folder = join(bench.folder, `server-${number}`);
        const { ms, ...row } = await measureNeighbour({ folder, small, url, neighbour });
        rows.push({ ...row, ms: findSpread(ms) });
        if (neighbour.projects.length === 1) worst = Math.max(worst, ...ms);
      }
    } finally {
      await gitServer.close();
      await stalling.close();
    }
    return { rows, targets: [{ name: 'the slowest push beside one', value: worst, limit: NEIGHBOUR_MS, unit: 'ms' }] };
  },
};

/** Creates a repository of one page, to be measured beside others; returns its folder. */
export function createSmall(folder: string): string {
  const repository = join(folder, 'small.git');
  git(folder, ['init', '--quiet', '--bare', '--initial-branch=main', repository]);
  const commit = 'commit refs/heads/main\ncommitter Bench <bench@example.test> 1704164645 +0000\ndata 5\nPages\n';
  git(repository, ['fast-import', '--quiet'], `${commit}M 100644 inline docs/index.md\ndata 7\n# Home\n\n`);
  return repository;
}

/** Starts a server with slow projects that build, and measures pushes to the small one beside them. */
export async function measureNeighbour(options: {
  readonly folder: string;
  readonly small: string;
  readonly url: string;
  readonly neighbour: Neighbour;
}) {
  const { folder, small, url, neighbour } = options;
  mkdirSync(folder);
  const config = join(folder, 'docbuild.yml');
  writeFileSync(config, 'base_dir: ./base\nbuilds: {concurrency: 1}\n');
  await runCommand(['project', 'create', '-c', config, '-u', url, 'small']);
  await runCommand(['build', '-c', config, 'small', '-b', 'main']);
  const slow = neighbour.projects.map((_, number) => `slow${number}`);
  for (const [number, flags] of neighbour.projects.entries())
    await runCommand(['project', 'create', '-c', config, ...flags, slow[number]!]);
  const command = fileURLToPath(new URL('../../docbuild.js', import.meta.url));
  const server = await startProgram(process.execPath, [command, 'api', '-c', config, '--port', String(PORT)], PORT);
  try {
    const memory = sampleMemory(server.pid);
    const builds: string[] = [];
    for (const name of slow) builds.push(await requestBuild(server, name));
    await sleep(HEAD_START_MS);
    const ms: number[] = [];
    for (let n = 0; n < PUSHES; n++) ms.push((await pushPage(server.url, small, PAGE)).ms);
    const statuses = await Promise.all(builds.map((id) => readStatus(server.url, id)));
    if (statuses.some((status) => status !== 'running' && status !== 'queued'))
      throw new Error(`The slow builds ended too early: ${statuses.join(', ')}`);
    const note = `first push ${ms[0]!.toFixed(0)} ms, slowest ${Math.max(...ms).toFixed(0)} ms`;
    return { name: `beside ${neighbour.name}`, ms, peakBytes: findSpread([memory().bytes]), note };
  } finally {
    await server.stop();
  }
}

/** Requests a build of all refs of a project, which has none yet; returns its id. */
async function requestBuild(server: RunningServer, project: string): Promise<string> {
  const answer = await fetch(`${server.url}/docbuild/build/${project}`, { method: 'POST' });
  return ((await answer.json()) as { build: { id: string } }).build.id;
}

/** Returns the status of a build. */
export async function readStatus(origin: string, id: string): Promise<string> {
  const answer = await fetch(`${origin}/docbuild/builds/${id}`, { headers: { Accept: 'application/json' } });
  return ((await answer.json()) as { data: { status: string } }).data.status;
}
