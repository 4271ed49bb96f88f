import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { type BenchCase, getCorpus } from '../bench-case.ts';
import { git } from '../corpus/git.ts';
import { findSpread } from '../measure/statistics.ts';

const PAGES = ['deploy', 'markdown', 'routing', 'i18n', 'frontmatter', 'getting-started', 'ssr-compat', 'using-vue'];
const SAVES = 25;
const BROWSER = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
/** Authors do not save more often; what a save leaves to do is done by then. */
const PAUSE_MS = 100;

/** From a save to the text on the screen of a browser that has the page open, with `docbuild dev` on the newest version. */
export const devCase: BenchCase = {
  name: 'dev',
  title: `docbuild dev: from a save to what the browser shows, ${PAGES.length * SAVES} saves of ${PAGES.length} pages, 248 pages`,
  needsCorpus: true,
  async run(bench) {
    const { folder, say } = bench;
    if (!existsSync(BROWSER)) {
      say(`SKIPPED: needs Chromium: "${BROWSER}" does not exist; set CHROMIUM_PATH`);
      return { rows: [], targets: [] };
    }
    const corpus = getCorpus(bench);
    const work = join(folder, 'work');
    git(folder, ['clone', '--quiet', '--branch', corpus.newestTag, corpus.repository, work]);
    const { child, origin } = await start(work, join(folder, 'cache'));
    const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox', '--disable-gpu'] });
    try {
      const page = await browser.newPage();
      const times: number[] = [];
      for (const name of PAGES) {
        await page.goto(`${origin}/en/latest/guide/${name}.html`);
        await page.waitForTimeout(500);
        times.push(...(await measureSaves(page, join(work, `docs/en/guide/${name}.md`))));
        say(`${name}: ${Math.round(findSpread(times.slice(-SAVES)).median)} ms`);
      }
      const p95 = [...times].sort((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1]!;
      return {
        rows: [{ name: 'save to screen', ms: findSpread(times), note: `95 % within ${p95.toFixed(0)} ms` }],
        targets: [{ name: 'save to screen, 95 % within', value: p95, limit: 90, unit: 'ms' }],
      };
    } finally {
      await browser.close();
      child.kill('SIGTERM');
    }
  },
};

/** Starts the command and waits for its first build. */
async function start(work: string, cache: string): Promise<{ readonly child: ChildProcess; readonly origin: string }> {
  const command = fileURLToPath(new URL('../../docbuild.js', import.meta.url));
  const child = spawn(process.execPath, [command, 'dev', work, '--port', '0', '--cache', cache], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  await new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (/ pages in /.test(output)) resolve();
    });
  });
  return { child, origin: /(http:\/\/[^/]+)\//.exec(output)![1]! };
}

async function measureSaves(page: Page, file: string): Promise<readonly number[]> {
  const text = readFileSync(file, 'utf8');
  const times: number[] = [];
  for (let n = 0; n < SAVES; n++) {
    const mark = `Saved${n}x${Date.now()}`;
    // The frame after the one that shows it; until something changes, looking costs the machine nothing.
    const seen = page.evaluate<number>(`new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        if (!document.body.textContent.includes('${mark}')) return;
        observer.disconnect();
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.timeOrigin + performance.now())));
      });
      observer.observe(document, { childList: true, subtree: true, characterData: true });
    })`);
    await page.waitForTimeout(PAUSE_MS);
    const start = performance.timeOrigin + performance.now();
    writeFileSync(file, `${text}\n\n${mark}\n`);
    times.push((await seen) - start);
  }
  return times;
}
