import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { type BenchCase, getCorpus, type Row, type Target } from '../bench-case.ts';
import { NEWEST_PAGES } from '../corpus/open-corpus.ts';
import { startSiteServer } from '../measure/start-server.ts';
import { findSpread } from '../measure/statistics.ts';
import { COMMAND, expectPages, runDocbuild } from '../run-docbuild.ts';

const PAGES = ['en/latest/guide/markdown', 'en/latest/guide/deploy', 'zh/latest/guide/markdown', 'en/latest/index'];
const BROWSER = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
/** Another checkout, built: its sites are measured in turn with this one's. */
const BEFORE = process.env['BENCH_BEFORE'];
const LOADS = 15;
const SLOWDOWN = 4;
/** Layout shifts come within this time after a page is loaded. */
const REST_MS = 600;

interface Paint {
  readonly lcpMs: number;
  readonly cls: number;
}

/** The wait of readers: the largest contentful paint and layout shifts of first visits, on a slow machine. */
export const paintCase: BenchCase = {
  name: 'paint',
  title: `First visits to ${PAGES.length} pages, ${LOADS} each, ${SLOWDOWN} × slower CPU, no cache`,
  needsCorpus: true,
  async run(bench) {
    if (!existsSync(BROWSER)) {
      bench.say(`SKIPPED: needs Chromium: "${BROWSER}" does not exist; set CHROMIUM_PATH`);
      return { rows: [], targets: [] };
    }
    const commands = { now: COMMAND, ...(BEFORE && { before: join(BEFORE, 'dist/docbuild.js') }) };
    const sites = [];
    for (const [name, command] of Object.entries(commands)) {
      const folder = join(bench.folder, name);
      const { repository, newestTag } = getCorpus(bench);
      const [out, cache] = [join(folder, 'site'), join(folder, 'cache')];
      expectPages(await runDocbuild({ repository, out, cache, args: ['--refs', newestTag], command }), NEWEST_PAGES);
      sites.push({ name, server: await startSiteServer('site', out) });
    }
    const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox', '--disable-gpu'] });
    const paints = new Map<string, Paint[]>();
    try {
      for (let load = 0; load < LOADS; load++) {
        for (const path of PAGES) {
          for (const { name, server } of load % 2 === 0 ? sites : sites.toReversed()) {
            const key = `${path}, ${name}`;
            const found = await measureVisit(browser, `${server.url}/${path}.html`);
            paints.set(key, [...(paints.get(key) ?? []), found]);
          }
        }
      }
    } finally {
      await browser.close();
      for (const { server } of sites) await server.stop();
    }
    const rows = [...paints].map(([name, list]): Row => {
      const worst = Math.max(...list.map(({ cls }) => cls));
      return { name, ms: findSpread(list.map(({ lcpMs }) => lcpMs)), note: `layout shift ${worst.toFixed(3)} at most` };
    });
    const medianOf = (name: string): number =>
      findSpread(PAGES.map((path) => rows.find((row) => row.name === `${path}, ${name}`)!.ms!.median)).median;
    const targets: Target[] = BEFORE
      ? [{ name: 'paint against before', value: medianOf('now') / medianOf('before'), limit: 1.1, unit: '×' }]
      : [];
    const shift = Math.max(...PAGES.flatMap((path) => paints.get(`${path}, now`)!.map(({ cls }) => cls)));
    return { rows, targets: [...targets, { name: 'layout shift', value: shift, limit: 0, unit: '' }] };
  },
};

/** Opens a page as somebody does who has never been on the site. */
async function measureVisit(browser: Browser, url: string): Promise<Paint> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
    await page.addInitScript(`window.paint = { lcpMs: 0, cls: 0 };
      new PerformanceObserver((list) => { paint.lcpMs = list.getEntries().at(-1).startTime; })
        .observe({ type: 'largest-contentful-paint', buffered: true });
      new PerformanceObserver((list) => { for (const { value } of list.getEntries()) paint.cls += value; })
        .observe({ type: 'layout-shift', buffered: true });`);
    await page.goto(url, { waitUntil: 'load' });
    await page.waitForTimeout(REST_MS);
    return await page.evaluate<Paint>('paint');
  } finally {
    await context.close();
  }
}
