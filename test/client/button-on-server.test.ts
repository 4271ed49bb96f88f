import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRepository } from '../helpers/create-repository.ts';
import { createServer } from '../helpers/create-server.ts';
import { failTest } from '../helpers/fail-test.ts';
import { browserTest, hideHeader, openPage, shareBrowser } from '../helpers/share-browser.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const getBrowser = shareBrowser();

browserTest(
  'nav button: the tag of the project page puts it on a page of another site, where it leads to where the documentation is',
  async (t) => {
    const repository = createRepository(t);
    commitFiles(repository, {
      'docs/en/index.md': '# Home\n',
      'docs/en/a.md': '# A\n',
      'docs/jp/index.md': '# ホーム\n',
    });
    repository.git('tag', 'v1.0');
    const server = await createServer(t);
    await server.operations.createProject({ name: 'guide', settings: { url: repository.folder, lang: ['en', 'jp'] } });
    const { id } = await server.operations.build({ name: 'guide', all: true });
    t.is((await server.operations.waitForBuild({ id })).status, 'passing');
    const page = await openPage(t, getBrowser(), { viewport: { width: 1280, height: 720 } });
    page.on('pageerror', (error) => failTest(t, String(error)));
    await page.goto(`${server.origin}/docbuild/projects/guide`);
    const tag = await page.locator('#button-html').textContent();
    const html = `<!doctype html><html lang="en"><title>x</title>${tag}<h1>Another site</h1>`;
    const elsewhere = createHttpServer((_, response) => response.setHeader('content-type', 'text/html').end(html));
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    t.teardown(() => {
      elsewhere.close();
      elsewhere.closeAllConnections();
    });
    const origin = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
    for (const [path, target, current] of [
      ['/', 'en/v1.0/', 0],
      ['/reference/', 'en/v1.0/', 0],
      ['/en/latest/a.html?q=1#x', 'en/v1.0/a.html?q=1#x', 2],
    ] as const) {
      await page.goto(origin + path);
      await page.locator('docbuild-button button').click();
      await page.waitForSelector('docbuild-button ul a');
      t.is(await page.locator('docbuild-button [aria-current]').count(), current, path);
      t.is(await page.locator('docbuild-button small').count(), 0);
      t.deepEqual(await page.locator('docbuild-button ul:first-child bdi').allTextContents(), ['English', '日本語']);
      await page.locator('docbuild-button a', { hasText: /^v1\.0/ }).click();
      await page.waitForURL(`${server.origin}/docs/guide/${target}`);
      t.regex((await page.textContent('h1'))!, /^(?:Home|A) /);
    }
  },
);

browserTest(
  'nav button: leads through versions and languages of a site that the server built and serves',
  async (t) => {
    const repository = createRepository(t);
    commitFiles(repository, {
      'docs/en/index.md': '# Home\n',
      'docs/en/guide/index.md': '# Guide\n',
      'docs/en/guide/a.md': '# Old\n',
      'docs/fr/index.md': '# Accueil\n',
    });
    repository.git('tag', 'v1.0');
    repository.git('branch', 'release/2.x');
    commitFiles(repository, { 'docs/en/guide/a.md': '# New\n', 'docs/en/guide/b.md': '# Only new\n' });
    const server = await createServer(t);
    await server.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
    const { id } = await server.operations.build({ name: 'guide', all: true });
    t.is((await server.operations.waitForBuild({ id })).status, 'passing');
    const page = await openPage(t, getBrowser(), { viewport: { width: 390, height: 844 } });
    page.on('pageerror', (error) => failTest(t, String(error)));
    await page.goto(`${server.origin}/docs/guide/en/latest/guide/a.html?a=1#new`);
    const openPanel = async (): Promise<void> => {
      await hideHeader(page);
      await page.locator('docbuild-button button').first().press('Enter');
      await page.waitForSelector('docbuild-button ul a');
    };
    await openPanel();
    await page.locator('docbuild-button a', { hasText: /^release\/2\.x/ }).click();
    await page.waitForURL(`${server.origin}/docs/guide/en/release-2.x/guide/a.html?a=1#new`);
    t.regex(await page.textContent('h1').then((text) => text ?? ''), /Old/);
    await page.goto(`${server.origin}/docs/guide/en/latest/guide/b.html`);
    await openPanel();
    const missing = page.locator('docbuild-button a', { hasText: /^v1\.0/ });
    t.is(await missing.getAttribute('href'), `${server.origin}/docs/guide/en/v1.0/guide/`);
    await page.locator('docbuild-button a', { hasText: 'français' }).click();
    await page.waitForURL(`${server.origin}/docs/guide/fr/latest/**`);
  },
);
