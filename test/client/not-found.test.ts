import { createRepository } from '../helpers/create-repository.ts';
import { createServer } from '../helpers/create-server.ts';
import { createSite } from '../helpers/create-site.ts';
import { failTest } from '../helpers/fail-test.ts';
import { serveFolder } from '../helpers/serve-folder.ts';
import { browserTest, findViolations, hideHeader, openPage, shareBrowser } from '../helpers/share-browser.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const getBrowser = shareBrowser();

browserTest(
  '404 page: looks and works the same below /docs/<project>/ and on a host of the project’s own, at any depth',
  async (t) => {
    const repository = createRepository(t);
    commitFiles(repository, {
      '.docbuild.yml': 'theme: {accent: "#0a7", logo: docs/logo.svg, links: [{title: Start, url: en/latest/a.html}]}\n',
      'docs/logo.svg':
        '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>',
      'docs/en/index.md': '# Home\n',
      'docs/en/a.md': '# Page\n',
      'docs/fr/index.md': '# Accueil\n',
    });
    repository.git('branch', 'v1');
    const server = await createServer(t, 'docs: {domain: localhost}\n');
    await server.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
    const { id } = await server.operations.build({ name: 'guide', all: true });
    t.is((await server.operations.waitForBuild({ id })).status, 'passing');
    const { port } = new URL(server.origin);
    const page = await openPage(t, getBrowser(), { viewport: { width: 1280, height: 720 } });
    page.on('pageerror', (error) => failTest(t, String(error)));
    for (const root of [`http://guide.localhost:${port}/`, `http://127.0.0.1:${port}/docs/guide/`]) {
      for (const [path, language, home] of [
        ['none', 'en', 'en/latest/'],
        ['en/v1/a/b/c/d', 'en', 'en/latest/'],
        ['fr/latest/x/', 'fr', 'fr/latest/'],
      ] as const) {
        const failed: string[] = [];
        const onResponse = (answer: { status(): number; url(): string }) => {
          if (answer.status() >= 400) failed.push(answer.url());
        };
        page.on('response', onResponse);
        await page.goto(root + path, { waitUntil: 'load' });
        t.deepEqual(failed, [root + path], 'nothing but the page itself is missing');
        page.off('response', onResponse);
        t.is(await page.evaluate('document.documentElement.lang'), language);
        const [red, green, blue] = String(
          await page.evaluate('getComputedStyle(document.querySelector("a.button")).backgroundColor'),
        )
          .match(/\d+/g)!
          .map(Number);
        t.true(green! > red! && green! > blue!, 'the accent is that of the project');
        t.is(await page.evaluate('document.querySelector(".site-title img").naturalWidth'), 8);
        t.is(await page.evaluate('document.styleSheets.length > 0 && getComputedStyle(document.body).margin'), '0px');
        const links = (await page.evaluate(
          '[...document.querySelectorAll("header a[href], main a[href]")].map((a) => a.href)',
        )) as string[];
        t.true(links.includes(root + home), links.join(' '));
        await hideHeader(page);
        await page.locator('docbuild-button button').first().press('Enter');
        await page.waitForSelector('docbuild-button ul a');
        await page.click('main a.button');
        await page.waitForURL(root + home);
      }
      // The path that was asked for counts, but no page is the current one.
      await page.goto(`${root}en/v1/nope/x`);
      await hideHeader(page);
      await page.locator('docbuild-button button').first().press('Enter');
      await page.waitForSelector('docbuild-button ul a');
      t.is(await page.textContent('docbuild-button button'), 'v1 · English');
      t.is(await page.locator('docbuild-button [aria-current]').count(), 0);
    }
  },
);

browserTest('404 page: names the page that was probably meant, and shows the navigation', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/index.md': '# Home\n',
    'docs/en/guide/index.md': '# Guide\n',
    'docs/en/guide/getting-started.md': '# Getting started\n',
    'docs/en/reference.md': '# Reference\n',
    'docs/fr/index.md': '# Accueil\n',
  });
  repository.git('branch', 'v1');
  const server = await createServer(t);
  await server.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  const { id } = await server.operations.build({ name: 'guide', all: true });
  t.is((await server.operations.waitForBuild({ id })).status, 'passing');
  const root = `${server.origin}/docs/guide/`;
  const page = await openPage(t, getBrowser(), { viewport: { width: 1280, height: 720 } });
  page.on('pageerror', (error) => failTest(t, String(error)));
  for (const path of [
    'en/latest/guide/geting-started.html',
    'en/v1/guide/getting-start',
    'en/v9/guide/getting-started.html',
  ]) {
    await page.goto(root + path);
    const nearest = page.locator('.nearest a');
    await nearest.waitFor();
    t.is(await nearest.textContent(), 'Getting started', path);
    t.is(await page.locator('.all-pages a').count(), 4);
    t.deepEqual(await findViolations(page), []);
  }
  await page.click('.nearest a');
  await page.waitForURL(`${root}en/latest/guide/getting-started.html`);
  await page.goto(`${root}en/latest/zzzzzz/qqqqqq.html`);
  await page.locator('.all-pages a').first().waitFor();
  t.false(await page.locator('.nearest').isVisible(), 'nothing is like it');
});

browserTest(
  '404 page: names a page in the version and language of the address, where a host has one such page for all',
  async (t) => {
    const repository = createRepository(t);
    commitFiles(repository, {
      'docs/ar/index.md': '# الرئيسية\n',
      'docs/ar/guide.md': '# دليل\n',
      'docs/en/index.md': '# Home\n',
      'docs/en/guide.md': '# Guide\n',
      '.docbuild.yml': 'lang: [en, ar]\n',
    });
    repository.git('tag', 'v1');
    const site = createSite(t);
    await site.build(repository.folder);
    const { url, close } = await serveFolder(site.out);
    t.teardown(close);
    const page = await openPage(t, getBrowser(), { viewport: { width: 1280, height: 720 } });
    for (const [path, title] of [
      ['ar/v1', 'دليل'],
      ['en/v1', 'Guide'],
      ['ar/latest', 'دليل'],
    ] as const) {
      await page.goto(`${url}/${path}/giude.html`);
      const nearest = page.locator('.nearest a');
      await nearest.waitFor();
      t.is(await nearest.textContent(), title);
      t.is(await nearest.getAttribute('href'), `${url}/${path}/guide.html`);
    }
  },
);
