import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { serveFolder } from '../../test/helpers/serve-folder.ts';
import { type BenchCase, getCorpus, type Row } from '../bench-case.ts';
import { NEWEST_PAGES } from '../corpus/open-corpus.ts';
import { openSlowLink } from '../measure/slow-link.ts';
import { startSiteServer } from '../measure/start-server.ts';
import { findSpread } from '../measure/statistics.ts';
import { expectPages, runDocbuild } from '../run-docbuild.ts';

const BROWSER = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
/** Folder of a site that VitePress has built of the same pages in English, with its local search, to be measured beside. */
const VITEPRESS = process.env['BENCH_VITEPRESS'];
const ROUNDS = 7;
const SLOWDOWN = 4;
const LINK = { roundTripMs: 150, kbits: 1_600 };
/** From when a reader's pointer rests on a link until it is pressed, and how long that takes. */
const REST_MS = 200;
const PRESS_MS = 60;
const KEY_MS = 60;
/** A page that was clicked for is looked at after this time. */
const SHOWN_MS = 1_500;
const QUERY = 'front matter';

/** How to read a site. */
interface Site {
  readonly name: string;
  readonly url: string;
  readonly page: string;
  readonly link: string;
  readonly input: string;
}

/** Times of one visit, ms. */
interface Visit {
  /** From a click to the next page on the screen. */
  readonly click: number;
  /** From the key to the search's dialog on the screen, right after the page was loaded. */
  readonly open: number;
  /** Main thread's time of the most expensive key. */
  readonly key: number;
  /** From any key to what it changes on the screen, at the longest. */
  readonly slowest: number;
  /** What stands in the field after typing. */
  readonly typed: string;
  readonly shift: number;
}

/** A reader at work: follows a link, opens the search, types. */
export const readingCase: BenchCase = {
  name: 'reading',
  title: `A reader's click, search and keys, ${ROUNDS} times, ${SLOWDOWN} × slower CPU, ${LINK.kbits} kbit/s, ${LINK.roundTripMs} ms`,
  needsCorpus: true,
  async run(bench) {
    if (!existsSync(BROWSER)) {
      bench.say(`SKIPPED: needs Chromium: "${BROWSER}" does not exist; set CHROMIUM_PATH`);
      return { rows: [], targets: [] };
    }
    const { repository, newestTag } = getCorpus(bench);
    const [out, cache] = [join(bench.folder, 'site'), join(bench.folder, 'cache')];
    expectPages(await runDocbuild({ repository, out, cache, args: ['--refs', newestTag] }), NEWEST_PAGES);
    const server = await startSiteServer('site', out);
    const link = await openSlowLink(Number(new URL(server.url).port), LINK);
    const closing: (() => unknown)[] = [link.close, () => server.stop()];
    const pathname = new URL(server.url).pathname.replace(/\/$/, '');
    const sites: Site[] = [
      {
        name: 'docbuild',
        url: `http://127.0.0.1:${link.port}${pathname}`,
        page: '/en/latest/guide/markdown.html',
        link: '#_sidebar a[href$="deploy.html"]',
        input: 'dialog[open] input[role=combobox]',
      },
    ];
    if (VITEPRESS) {
      const other = await serveFolder(VITEPRESS);
      const otherLink = await openSlowLink(Number(new URL(other.url).port), LINK);
      closing.push(otherLink.close, other.close);
      sites.push({
        name: 'VitePress',
        url: `http://127.0.0.1:${otherLink.port}`,
        page: '/guide/markdown.html',
        link: '.VPSidebar a[href$="/guide/deploy.html"]',
        input: '.VPLocalSearchBox input',
      });
    }
    const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox', '--disable-gpu'] });
    closing.unshift(() => browser.close());
    const visits = new Map<string, Visit[]>(sites.map(({ name }) => [name, []]));
    try {
      for (let round = 0; round < ROUNDS; round++) {
        for (const site of round % 2 === 0 ? sites : sites.toReversed()) {
          visits.get(site.name)!.push(await measureVisit(browser, site));
        }
      }
    } finally {
      for (const close of closing) await close();
    }
    const medianOf = (name: string, part: 'click' | 'open' | 'key' | 'slowest'): number =>
      findSpread(visits.get(name)!.map((visit) => visit[part])).median;
    const rows = sites.flatMap(({ name }) =>
      (['click', 'open', 'key', 'slowest'] as const).map((part): Row => {
        const own = visits.get(name)!;
        const lost = own.filter(({ typed }) => typed !== QUERY).length;
        const note =
          part === 'key'
            ? `${lost} of ${ROUNDS} lost letters`
            : part === 'click'
              ? `layout shift ${Math.max(...own.map(({ shift }) => shift)).toFixed(3)} at most`
              : '';
        return { name: `${part}, ${name}`, ms: findSpread(own.map((visit) => visit[part])), note };
      }),
    );
    const lost = visits.get('docbuild')!.filter(({ typed }) => typed !== QUERY).length;
    return {
      rows,
      targets: [
        { name: 'click', value: medianOf('docbuild', 'click'), limit: 200, unit: 'ms' },
        { name: 'search visible', value: medianOf('docbuild', 'open'), limit: 100, unit: 'ms' },
        { name: 'main thread for a key', value: medianOf('docbuild', 'key'), limit: 24, unit: 'ms' },
        { name: 'slowest key until it shows', value: medianOf('docbuild', 'slowest'), limit: 200, unit: 'ms' },
        { name: 'visits that lost letters', value: lost, limit: 0, unit: '' },
      ],
    };
  },
};

/** Runs in every page: notes what keys and clicks take; times are those of the machine's clock, so that they hold across pages. */
const OBSERVER = `(() => {
  const now = () => performance.timeOrigin + performance.now();
  window.bench = { key: 0, slowest: 0, shift: 0, opened: 0 };
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) {
      if (!/^key|input/.test(one.name)) continue;
      bench.key = Math.max(bench.key, one.processingEnd - one.processingStart);
      bench.slowest = Math.max(bench.slowest, one.duration);
    }
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });
  new PerformanceObserver((list) => { for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) bench.shift += value; })
    .observe({ type: 'layout-shift', buffered: true });
  addEventListener('click', () => sessionStorage.setItem('bench', now()), true);
  addEventListener('keydown', ({ key }) => {
    if (key !== '/' || bench.pressed) return;
    bench.pressed = now();
    const look = () => {
      const input = document.querySelector(bench.input);
      if (input && input.getClientRects()[0] && document.activeElement === input) requestAnimationFrame(() => { bench.opened = now(); });
      else requestAnimationFrame(look);
    };
    look();
  }, true);
})()`;

async function measureVisit(browser: Browser, site: Site): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
    await page.addInitScript(OBSERVER);
    await page.goto(site.url + site.page, { waitUntil: 'load' });
    await page.evaluate(`bench.input = ${JSON.stringify(site.input)}`);
    await page.keyboard.type(`/${QUERY}`, { delay: KEY_MS });
    await page.waitForFunction('bench.opened > 0');
    await page.waitForTimeout(1_000);
    const search = await page.evaluate<{ pressed: number; opened: number; key: number; slowest: number }>('bench');
    const typed = await page.locator(site.input).inputValue();
    await page.goto(site.url + site.page, { waitUntil: 'load' });
    await page.waitForTimeout(1_500);
    const click = await measureClick(page, site.link);
    const { shift } = await page.evaluate<{ shift: number }>('bench');
    return { click, open: search.opened - search.pressed, key: search.key, slowest: search.slowest, typed, shift };
  } finally {
    await context.close();
  }
}

/** Rests on a link, presses it, and returns from when it was clicked until the next page shows, ms. */
async function measureClick(page: Page, selector: string): Promise<number> {
  const link = page.locator(selector).first();
  await link.scrollIntoViewIfNeeded();
  const box = (await link.boundingBox())!;
  const heading = await page.locator('h1').first().textContent();
  const began = await page.evaluate<number>('performance.timeOrigin');
  await page.mouse.move(box.x + 10, box.y + box.height / 2);
  await page.waitForTimeout(REST_MS);
  await page.mouse.down();
  await page.waitForTimeout(PRESS_MS);
  const isOther = `(document.querySelector('h1')?.textContent ?? ${JSON.stringify(heading)}) !== ${JSON.stringify(heading)}`;
  await page.evaluate(`(() => {
    const look = () => requestAnimationFrame(() => {
      if (${isOther}) requestAnimationFrame(() => sessionStorage.setItem('shown', performance.timeOrigin + performance.now()));
      else look();
    });
    look();
  })()`);
  await page.mouse.up();
  const paint = `performance.getEntriesByName('first-contentful-paint')[0]`;
  // A page of its own says when it was painted; where only the content was exchanged, that is noted.
  const shown = `(performance.timeOrigin === ${began} ? sessionStorage.getItem('shown') : ${paint} && performance.timeOrigin + ${paint}.startTime)`;
  // Nothing is asked of the page until it has been shown: whoever asks runs a script there, and the browser counts it.
  for (;;) {
    await page.waitForTimeout(SHOWN_MS);
    if (await page.evaluate<boolean>(`Boolean(${isOther} && ${shown})`)) break;
  }
  return page.evaluate<number>(`${shown} - sessionStorage.getItem('bench')`);
}
