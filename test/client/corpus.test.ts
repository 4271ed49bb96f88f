import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { Browser } from 'playwright-core';
import { openCorpus } from '../../bench/corpus/open-corpus.ts';
import { buildSite } from '../../builder/index.ts';
import { openBrowser } from '../helpers/open-browser.ts';
import { serveFolder } from '../helpers/serve-folder.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'docbuild-client-'));
const corpus = openCorpus(folder);
const pages = [
  '/',
  '/en/latest/guide/what-is-vitepress.html',
  '/en/latest/guide/markdown.html',
  '/en/latest/reference/default-theme-home-page.html',
  '/zh/latest/guide/extending-default-theme.html',
  '/fa/latest/guide/asset-handling.html',
  '/fa/latest/no/such/page.html',
];

if (corpus) {
  let browser: Browser | undefined;
  let site: Awaited<ReturnType<typeof serveFolder>>;
  test.before(async () => {
    const out = join(folder, 'out');
    await buildSite({ repository: corpus.repository, out, cacheFolder: join(folder, 'cache'), refs: corpus.newestTag });
    site = await serveFolder(out);
    browser = await openBrowser();
  });
  test.after.always(async () => {
    await browser?.close();
    site?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const path of pages) {
    test.serial(
      `built corpus: ${path} asks nobody else, logs no error, and axe finds nothing, light or dark`,
      async (t) => {
        if (!browser) return t.pass(); // openBrowser() has said so, and throws where CI is true
        const page = await browser.newPage();
        const complaints: string[] = [];
        page.on('console', (message) => {
          if (['error', 'warning'].includes(message.type()) && !/404 \(Not Found\)/.test(message.text()))
            complaints.push(message.text());
        });
        page.on('pageerror', (error) => complaints.push(error.message));
        page.on('request', (request) => {
          if (new URL(request.url()).origin !== site.url && !request.url().startsWith('data:'))
            complaints.push(`asks ${request.url()}`);
        });
        page.on('response', (response) => {
          if (response.status() >= 400 && response.url() !== site.url + path)
            complaints.push(`${response.status()} ${response.url()}`);
        });
        await page.goto(site.url + path, { waitUntil: 'networkidle' });
        if (path === '/') t.is(page.url(), `${site.url}/en/latest/`);
        await page.evaluate(axe);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          const violations = await page.evaluate(async () => {
            const { axe } = globalThis as unknown as {
              axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
            };
            return (await axe.run()).violations.map(
              ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`,
            );
          });
          t.deepEqual(violations, [], colorScheme);
        }
        await page.close();
        t.deepEqual(complaints, []);
      },
    );
  }
} else {
  test.skip('built corpus in a browser: the corpus is not there (../shared/corpus)', () => {});
}
