import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLowdbStore } from '../../data/lowdb/open-lowdb-store.ts';
import type { BenchCase, Row, Target } from '../bench-case.ts';
import { runWrk, type WrkRun } from '../measure/run-wrk.ts';
import { type RunningServer, startScript } from '../measure/start-server.ts';
import { findSpread } from '../measure/statistics.ts';
import { hasProgram } from '../peers/nginx.ts';
import { fillShortUrls } from '../store/fill-short-urls.ts';

const CODES = 100_000;
const ASKED_CODES = 2_000;
const SECONDS = 4;
const CONNECTIONS = 32;
const CREATIONS = 20;
const CREATORS = 50;

/** 100,000 short URLs: opening the store, redirects against bare Koa with a router, creation. */
export const shortUrlsCase: BenchCase = {
  name: 'short-urls',
  title: `${CODES} short URLs: opening, redirects to ${CONNECTIONS} connections, creation`,
  needsCorpus: false,
  async run({ folder, short, say }) {
    const base = join(folder, 'base');
    const codes = await fillShortUrls(join(base, 'store'), CODES);
    const openMs: number[] = [];
    for (let round = 1; round <= short; round++) {
      const start = performance.now();
      const store = await openLowdbStore({ folder: join(base, 'store'), onWarning: say });
      openMs.push(performance.now() - start);
      await store.close();
    }
    const docbuild = await startScript('serve-short-urls', 'docbuild', base);
    const bare = await startScript('serve-short-urls', 'bare');
    try {
      const rows: Row[] = [{ name: 'open', ms: findSpread(openMs) }];
      const targets: Target[] = [{ name: 'open', value: findSpread(openMs).median, limit: 2000, unit: 'ms' }];
      if (hasProgram('wrk')) {
        const script = writeScript(folder, codes);
        const redirects = measureRedirects({ docbuild, bare, script, rounds: short, say });
        rows.push(...redirects.rows);
        targets.push(redirects.target);
      } else say('SKIPPED redirects: wrk not installed');
      rows.push(...(await measureCreation(docbuild)));
      return { rows, targets };
    } finally {
      await docbuild.stop();
      await bare.stop();
    }
  },
};

/** Lets wrk ask for codes in turn. */
function writeScript(folder: string, codes: readonly string[]): string {
  const path = join(folder, 'codes.lua');
  const step = Math.max(1, Math.floor(codes.length / ASKED_CODES));
  const asked = codes.filter((_, i) => i % step === 0).map((code) => `"/t/${code}"`);
  const next = 'function request() i = i % #paths + 1; return wrk.format("GET", paths[i]) end';
  writeFileSync(path, `local paths = {${asked.join(',')}}\nlocal i = 0\n${next}\n`);
  return path;
}

function measureRedirects(options: {
  readonly docbuild: RunningServer;
  readonly bare: RunningServer;
  readonly script: string;
  readonly rounds: number;
  readonly say: (text: string) => void;
}): { readonly rows: readonly Row[]; readonly target: Target } {
  const { docbuild, bare, script, rounds, say } = options;
  const ask = (server: RunningServer): WrkRun =>
    runWrk(server, { path: '/t/', connections: CONNECTIONS, seconds: SECONDS, script });
  const runs: { readonly ours: WrkRun; readonly plain: WrkRun }[] = [];
  for (let round = 1; round <= rounds; round++) {
    const run = { ours: ask(docbuild), plain: ask(bare) };
    runs.push(run);
    say(
      `redirects, round ${round} of ${rounds}: ${run.ours.perSecond.toFixed(0)} against ${run.plain.perSecond.toFixed(0)}`,
    );
  }
  const describe = (name: string, seen: readonly WrkRun[]): Row => {
    const { median, min, max } = findSpread(seen.map(({ perSecond }) => perSecond));
    const p99 = findSpread(seen.map(({ p99Ms }) => p99Ms)).median;
    const cpu = findSpread(seen.map(({ cpuUs }) => cpuUs)).median;
    return {
      name,
      note: `${Math.round(median)} (${Math.round(min)} – ${Math.round(max)}) answers a second, 99 % within ${p99.toFixed(1)} ms, ${cpu.toFixed(0)} µs of CPU each`,
    };
  };
  // Other work on the machine comes and goes: what counts is the ratio inside a round.
  const ratio = findSpread(runs.map(({ ours, plain }) => plain.perSecond / ours.perSecond)).median;
  return {
    rows: [
      describe(
        'redirect',
        runs.map(({ ours }) => ours),
      ),
      describe(
        'bare Koa and router',
        runs.map(({ plain }) => plain),
      ),
    ],
    target: { name: 'bare Koa and router of a redirect', value: ratio, limit: 2, unit: '×' },
  };
}

/** Each answer comes when the new code is on disk. */
async function measureCreation({ url }: RunningServer): Promise<readonly Row[]> {
  let made = 0;
  const create = async (): Promise<number> => {
    const start = performance.now();
    const body = new URLSearchParams({ long_url: `https://new.example/${made++}` });
    const answer = await fetch(`${url}/openservice/shorturl/v1/?Action=shorten`, { method: 'POST', body });
    if (!answer.ok) throw new Error(`Creation was answered with ${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
    return performance.now() - start;
  };
  const one: number[] = [];
  for (let i = 0; i < CREATIONS; i++) one.push(await create());
  const start = performance.now();
  const many = (
    await Promise.all(
      Array.from({ length: CREATORS }, async () => {
        const times: number[] = [];
        for (let i = 0; i < CREATIONS; i++) times.push(await create());
        return times;
      }),
    )
  ).flat();
  const perSecond = (many.length / (performance.now() - start)) * 1000;
  return [
    { name: 'creation, one after the other', ms: findSpread(one) },
    { name: `creation, ${CREATORS} at once`, ms: findSpread(many), note: `${perSecond.toFixed(0)} a second` },
  ];
}
