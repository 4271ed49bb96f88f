import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { CORPUS_BUNDLE, openCorpus } from '../../bench/corpus/open-corpus.ts';
import { buildSite } from '../../builder/index.ts';
import { corpusTest } from '../helpers/corpus-test.ts';
import { serveFolder } from '../helpers/serve-folder.ts';
import { browserTest, findThemeViolations, openPage, shareBrowser } from '../helpers/share-browser.ts';

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
  builtTest(
    `built corpus: ${path} asks nobody else, logs no error, and axe finds nothing, light or dark`,
    async (t) => {
      const page = await openPage(t, getBrowser(), { viewport: { width: 1280, height: 720 } });
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
      t.deepEqual(await findThemeViolations(page), []);
      t.deepEqual(complaints, []);
    },
  );
}

/** Returns the paths of the pages with the most headings that can be jumped to. */
function findLongest(count: number): readonly string[] {
  const files = readdirSync(join(folder, 'out/en/latest'), { recursive: true, encoding: 'utf8' });
  const counts = files
    .filter((file) => file.endsWith('.html'))
    .map((file) => {
      const html = readFileSync(join(folder, 'out/en/latest', file), 'utf8');
      return { path: `/en/latest/${file}`, count: html.match(/<h[1-6] id=/g)?.length ?? 0 };
    });
  const sorted = counts.sort((a, b) => b.count - a.count);
  return sorted.slice(0, count).map((one) => one.path);
}

/** Defines how to read the marked entries: the page follows the reading once a frame. */
const READ_MARKED = `const readMarked = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
  const marked = document.querySelectorAll('.page-toc [aria-current]');
  resolve([...marked].map((link) => decodeURIComponent(link.hash.slice(1))).join(' '));
})));`;

builtTest('built corpus: the table of contents of the longest pages is right for all of their targets', async (t) => {
  const page = await openPage(t, getBrowser(), { viewport: { width: 1280, height: 800 } });
  let total = 0;
  for (const path of findLongest(3)) {
    await page.goto(site.url + path);
    const { targets, clicked, again, passed, scrolled } = await page.evaluate<Record<string, string[]>>(`(async () => {
    ${READ_MARKED}
    const listed = new Set([...document.querySelectorAll('.page-toc a')].map((link) => decodeURIComponent(link.hash.slice(1))));
    const headings = [...document.querySelectorAll('main :is(h2, h3, h4, h5, h6)[id]')];
    // Of each target, the entry in whose section it is.
    let entry;
    const targets = headings.map(({ id }) => (entry = listed.has(id) ? id : entry));
    const clicked = [], again = [], scrolled = [];
    for (const heading of headings) {
      heading.querySelector('.anchor').click();
      clicked.push(await readMarked());
    }
    for (const link of [...document.querySelectorAll('.page-toc a')].reverse()) {
      link.click();
      again.push(await readMarked());
    }
    // Jumps to where the address leads already.
    scrollTo(0, document.documentElement.scrollHeight);
    await readMarked();
    document.querySelector('.page-toc a').click();
    await new Promise((resolve) => setTimeout(resolve));
    again.push(await readMarked());
    history.replaceState(null, '', location.pathname);
    const passed = [];
    const end = document.documentElement.scrollHeight - innerHeight;
    for (let y = end - innerHeight; y < end + 40; y += 40) {
      scrollTo(0, y);
      const marked = await readMarked();
      if (passed.at(-1) !== marked) passed.push(marked);
    }
    for (const [at, heading] of headings.entries()) {
      heading.scrollIntoView();
      // Those near to the end cannot be scrolled to their place.
      scrolled.push(scrollY < end - 1 ? await readMarked() : targets[at]);
    }
    return { targets, clicked, again, passed, scrolled };
  })()`);
    const entries = [...new Set(targets)];
    total += targets!.length;
    t.deepEqual(clicked, targets);
    t.deepEqual(again, [...entries.toReversed(), entries[0]!]);
    t.deepEqual(
      passed,
      entries.slice(-passed!.length),
      'at the end, each is marked somewhere on the way down, in order',
    );
    t.true(passed!.length > 1);
    t.deepEqual(scrolled, targets);
    for (const id of [entries[3]!, entries.at(-2)!]) {
      await page.goto('about:blank');
      await page.goto(`${site.url}${path}#${encodeURIComponent(id)}`);
      const top = await page.evaluate<number>('scrollY');
      t.is(await page.evaluate(`(async () => { ${READ_MARKED} return readMarked(); })()`), id);
      t.is(await page.evaluate('scrollY'), top, 'the page is there at once');
    }
  }
  t.log(total);
  t.true(total >= 81);
});
