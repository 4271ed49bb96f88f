import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markText, readWhilePublishing } from '../../test/helpers/read-while-publishing.ts';
import type { BenchCase, CaseResult, Row } from '../bench-case.ts';
import { runWrk, type WrkRun } from '../measure/run-wrk.ts';
import { sampleMemory } from '../measure/sample-memory.ts';
import { type RunningServer, startSiteServer } from '../measure/start-server.ts';
import { findSpread } from '../measure/statistics.ts';
import { hasProgram, startNginx } from '../peers/nginx.ts';
import { runDocbuild } from '../run-docbuild.ts';

const PAGE_BYTES = 16_384;
const PAGES = 30;
const PUBLISHES = 20;
const CONNECTIONS = 32;
const SECONDS = 4;

/** Answers a second, one process each in turn: nginx, docbuild, and nothing but Koa; then readers during publishes. */
export const servingCase: BenchCase = {
  name: 'serving',
  title: `A page of 16 KB to ${CONNECTIONS} connections, one process; readers while publishes go on`,
  needsCorpus: false,
  async run(bench) {
    const missing = ['nginx', 'wrk'].filter((name) => !hasProgram(name));
    if (missing.length > 0) bench.say(`SKIPPED requests a second: ${missing.join(' and ')} not installed`);
    const speed =
      missing.length > 0 ? { rows: [], targets: [] } : await measureSpeed(bench.folder, bench.short, bench.say);
    const publishing = await measurePublishing(bench.folder);
    return { rows: [...speed.rows, ...publishing.rows], targets: [...speed.targets, ...publishing.targets] };
  },
};

async function measureSpeed(folder: string, rounds: number, say: (text: string) => void): Promise<CaseResult> {
  const site = join(folder, 'speed', 'site');
  mkdirSync(site, { recursive: true });
  writePage(join(site, 'page.html'));
  const servers: readonly (readonly [name: string, server: RunningServer, headers: readonly string[]])[] = [
    ['nginx', await startNginx(site, join(folder, 'nginx')), []],
    ['docbuild', await startSiteServer('site', site), []],
    ['nothing but Koa', await startSiteServer('bare', String(PAGE_BYTES)), []],
  ];
  const brotli = ['Accept-Encoding: gzip, deflate, br'];
  const contenders = [...servers, ['docbuild, brotli', servers[1]![1], brotli] as const];
  const seen = new Map<string, WrkRun[]>();
  const peaks = servers.map(([, server]) => sampleMemory(server.pid));
  for (let round = 1; round <= rounds; round++) {
    for (const [name, server, headers] of contenders) {
      const run = runWrk(server, { path: '/page.html', connections: CONNECTIONS, seconds: SECONDS, headers });
      seen.set(name, [...(seen.get(name) ?? []), run]);
      say(`${name}, round ${round} of ${rounds}: ${Math.round(run.perSecond)} answers a second`);
    }
  }
  const memory = peaks.map((stop) => stop().bytes);
  for (const [, server] of servers) await server.stop();
  const rows: Row[] = contenders.map(([name], i) => {
    const runs = seen.get(name)!;
    const { median, min, max } = findSpread(runs.map((run) => run.perSecond));
    const slowest = findSpread(runs.map((run) => run.p99Ms)).median;
    const cpu = findSpread(runs.map((run) => run.cpuUs)).median;
    const note = `${Math.round(median)} (${Math.round(min)} – ${Math.round(max)}) answers a second, 99 % within ${slowest.toFixed(1)} ms, ${cpu.toFixed(0)} µs of CPU each`;
    const bytes = memory[i];
    return bytes === undefined ? { name, note } : { name, note, peakBytes: findSpread([bytes]) };
  });
  // Other work on the machine comes and goes: what counts is the ratio inside a round.
  const ratios = seen.get('nginx')!.map((run, i) => run.perSecond / seen.get('docbuild')![i]!.perSecond);
  const targets = [{ name: 'nginx of docbuild', value: findSpread(ratios).median, limit: 2.5, unit: '×' as const }];
  return { rows, targets };
}

/** Builds alternate between contents in one output folder while readers ask for its pages. */
async function measurePublishing(folder: string): Promise<CaseResult> {
  const source = join(folder, 'source');
  const out = join(folder, 'published', 'site');
  mkdirSync(join(source, 'docs'), { recursive: true });
  const server = await startSiteServer('site', out);
  const publish = async (mark: number): Promise<void> => {
    for (let i = 0; i < PAGES; i++) {
      const text = `Words of page ${i}. ${markText(mark)}\n\n`.repeat(1 + ((i * 7) % 40));
      writeFileSync(join(source, 'docs', `page-${i}.md`), `# Page ${i}\n\n${text}`);
    }
    await runDocbuild({ repository: source, out, cache: join(folder, 'cache'), args: ['--single'] });
  };
  try {
    const start = performance.now();
    const urls = Array.from({ length: PAGES }, (_, i) => `${server.url}/page-${i}.html`);
    const seen = await readWhilePublishing({ urls, publish, publishes: PUBLISHES, readers: 8 });
    const ms = performance.now() - start;
    if (seen.marks < PUBLISHES / 2) throw new Error(`Readers saw ${seen.marks} of ${PUBLISHES} publishes`);
    const note = `${seen.answers} answers (${seen.notModified} not modified) during ${PUBLISHES} builds, ${seen.errors.length} wrong${seen.errors[0] === undefined ? '' : `: ${seen.errors[0]}`}`;
    return {
      rows: [{ name: 'readers during builds', ms: findSpread([ms]), note }],
      targets: [{ name: 'wrong, stale or mixed answers', value: seen.errors.length, limit: 0, unit: '' }],
    };
  } finally {
    await server.stop();
  }
}

function writePage(path: string): void {
  const line = '<p>A paragraph of the page, about as long as they usually are in documentation.</p>\n';
  const begin = '<!doctype html>\n<html lang="en"><head><title>Page</title></head><body>\n';
  const text = (begin + line.repeat(PAGE_BYTES / line.length)).padEnd(PAGE_BYTES, ' ').slice(0, PAGE_BYTES);
  writeFileSync(path, text);
  if (statSync(path).size !== PAGE_BYTES) throw new Error('The page has another size than was meant');
}
