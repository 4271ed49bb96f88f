import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { CORPUS_BUNDLE, openCorpus } from '../../bench/corpus/open-corpus.ts';
import { buildSite } from '../../builder/index.ts';
import { corpusTest } from '../helpers/corpus-test.ts';
import { serveFolder } from '../helpers/serve-folder.ts';
import { browserTest, findViolations, shareBrowser } from '../helpers/share-browser.ts';

const getBrowser = shareBrowser();
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

let site: Awaited<ReturnType<typeof serveFolder>>;
if (corpus) {
  test.before(async () => {
    const out = join(folder, 'out');
    await buildSite({ repository: corpus.repository, out, cacheFolder: join(folder, 'cache'), refs: corpus.newestTag });
    site = await serveFolder(out);
  });
}
test.after.always(async () => {
  site?.close();
  rmSync(folder, { recursive: true, force: true });
});

const builtTest = corpus ? browserTest : corpusTest(CORPUS_BUNDLE);
for (const path of pages) {
  builtTest.serial(
    `built corpus: ${path} asks nobody else, logs no error, and axe finds nothing, light or dark`,
    async (t) => {
      const page = await getBrowser().newPage();
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
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        t.deepEqual(await findViolations(page), [], colorScheme);
      }
      await page.close();
      t.deepEqual(complaints, []);
    },
  );
}
