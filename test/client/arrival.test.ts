import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import { createRepository } from '../helpers/create-repository.ts';
import { createSite } from '../helpers/create-site.ts';
import { failTest } from '../helpers/fail-test.ts';
import { RECORD_SHIFTS } from '../helpers/record-shifts.ts';
import { serveFolder } from '../helpers/serve-folder.ts';
import { browserTest, openPage, shareBrowser } from '../helpers/share-browser.ts';
import { shareSetup } from '../helpers/share-setup.ts';
import { commitFiles } from '../helpers/write-pages.ts';

/**
 * A page arrives in parts, by the network or because the browser takes a break. Whatever they end with, what has been
 * drawn stays where it is.
 */

const getBrowser = shareBrowser();

const HOME = `---
layout: home
hero:
  name: Kettle
  text: Boils water
  tagline: ${'As it is. '.repeat(15)}
  image: {src: ./picture.svg, alt: A kettle}
  actions:
    - {text: Start, link: ./guide/page-1}
features:
${'  - {title: Fast, icon: ⚡, details: It boils quickly}\n'.repeat(4)}---
`;
const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"><rect width="300" height="300"/></svg>';

/** A site of two releases in two languages, with groups in its sidebar; `old` is a page of the older one. */
const serveReleases = shareSetup(async (t) => {
  const repository = createRepository(t);
  const files: Record<string, string> = { '.docbuild.yml': 'theme: {feedback: event}\n' };
  for (const lang of ['en', 'ar']) {
    files[`docs/${lang}/index.md`] = HOME;
    files[`docs/${lang}/picture.svg`] = PICTURE;
    for (const group of ['guide', 'tools']) {
      for (let page = 1; page <= 4; page++) {
        // No figures: the browser reports of those that end a right-to-left line that they move, where they do not.
        const title = lang === 'ar' ? `صفحة ${'أبجد'[page - 1]}` : `${group} ${page}`;
        files[`docs/${lang}/${group}/page-${page}.md`] = `# ${title}\n\n## Part of it\n`;
      }
    }
  }
  commitFiles(repository, files);
  commitFiles(repository, { 'docs/en/old.md': '# Old\n' });
  repository.git('tag', 'v1.0');
  repository.git('rm', '--quiet', 'docs/en/old.md');
  commitFiles(repository, { 'docs/en/guide/page-2.md': '# guide 2\n\n## Another part of it\n\nText.\n' });
  repository.git('tag', 'v2.0');
  const site = createSite(t);
  await site.build(repository.folder, { latest: 'v2.0', lang: ['en', 'ar'] });
  const { url, close } = await serveFolder(site.out);
  t.teardown(close);
  return url;
});

/** Serves the site so that of each page `state.first` bytes come at once, and the others when there was time to draw. */
async function serveInParts(t: ExecutionContext, url: string) {
  const state = { first: Number.POSITIVE_INFINITY };
  const server = createServer(async (request, response) => {
    const answer = await fetch(url + request.url!, { headers: { 'Accept-Encoding': 'identity' } });
    const type = answer.headers.get('Content-Type') ?? 'text/plain';
    const body = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, { 'Content-Type': type });
    const isCut = type.startsWith('text/html') && state.first < body.length;
    if (isCut) response.write(body.subarray(0, state.first));
    setTimeout(() => response.end(body.subarray(isCut ? state.first : 0)), isCut ? 150 : 0);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, state };
}

/**
 * Returns places at which tags begin or end, in bytes: all of them from the sidebar's last entries to the title, and some of the
 * whole page. A text arrives letter by letter.
 */
function listEnds(html: string): readonly number[] {
  const ends: number[] = [];
  for (const { index, 0: tag } of html.matchAll(/<[^>]+>/g)) {
    if (index < html.indexOf('<body')) continue;
    if (html.slice(0, index).trimEnd().endsWith('>')) ends.push(index);
    ends.push(index + tag.length);
  }
  const step = Math.ceil(ends.length / 12);
  const sidebar = html.indexOf('id="_sidebar"');
  const from = sidebar < 0 ? html.indexOf('<main') : html.indexOf('</nav>', sidebar) - 60;
  const title = html.indexOf('</h1>');
  return ends
    .filter((end, at) => at % step === 0 || (end > from && end < title))
    .map((end) => Buffer.byteLength(html.slice(0, end)));
}

for (const [name, path, late] of [
  ['home page', '/en/latest/', ''],
  ['page', '/en/latest/guide/page-2.html', ''],
  ['page of an old version', '/en/v1.0/guide/page-2.html', '.version-notice a'],
  ['right-to-left page', '/ar/latest/guide/page-2.html', ''],
  ['page of changes', '/_docbuild/changes/en.html', '.changes select'],
  ['changes of a version', '/_docbuild/changes/en/v2.0.html', ''],
  ['board of translations', '/_docbuild/translations/ar.html', '.board-choices:not([hidden])'],
  ['404 page that another version has', '/en/latest/old.html', '.elsewhere a'],
  ['404 page with a page like it', '/en/latest/guide/pag-2.html', '.nearest a[href]'],
] as const) {
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ]) {
    browserTest(`${name}: nothing moves where it arrives in parts, ${viewport.width}`, async (t) => {
      const url = await serveReleases();
      const { origin, state } = await serveInParts(t, url);
      const page = await openPage(t, getBrowser(), { viewport, script: RECORD_SHIFTS });
      page.on('pageerror', (error) => failTest(t, String(error)));
      await page.goto(`${origin}/en/latest/guide/page-1.html`);
      // The groups that the reader has closed are closed when they are drawn.
      const tools = page.locator('.sidebar details:has(> summary:text-is("Tools"))');
      const hasClosed = viewport.width > 1000;
      if (hasClosed) await tools.locator('> summary').click();
      const html = await (await fetch(url + path)).text();
      const ends = listEnds(html);
      t.true(ends.length > 10);
      for (const end of ends) {
        state.first = end;
        await page.goto(origin + path);
        // What scripts add late.
        if (late !== '') await page.waitForSelector(late);
        await page.waitForTimeout(60);
        const part = String(Buffer.from(html).subarray(end - 60, end));
        t.deepEqual(await page.evaluate('moved'), [], part);
        t.is(await page.evaluate('shift'), 0, part);
        if (hasClosed && html.includes('class="layout-doc"'))
          t.false(await tools.evaluate((group) => group.hasAttribute('open')), part);
      }
    });
  }
}
