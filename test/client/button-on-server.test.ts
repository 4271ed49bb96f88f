import { createRepository } from '../helpers/create-repository.ts';
import { createServer } from '../helpers/create-server.ts';
import { browserTest, shareBrowser } from '../helpers/share-browser.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const getBrowser = shareBrowser();

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
    repository.git('branch', 'feature/x');
    commitFiles(repository, { 'docs/en/guide/a.md': '# New\n', 'docs/en/guide/b.md': '# Only new\n' });
    const server = await createServer(t);
    await server.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
    const { id } = await server.operations.build({ name: 'guide', all: true });
    t.is((await server.operations.waitForBuild({ id })).status, 'passing');
    const page = await getBrowser().newPage({ viewport: { width: 390, height: 844 } });
    page.on('pageerror', (error) => t.fail(String(error)));
    await page.goto(`${server.origin}/docs/guide/en/latest/guide/a.html?a=1#new`);
    const openPanel = async (): Promise<void> => {
      await page.locator('docbuild-button button').first().press('Enter');
      await page.waitForSelector('docbuild-button ul a');
    };
    await openPanel();
    await page.locator('docbuild-button a', { hasText: /^feature\/x/ }).click();
    await page.waitForURL(`${server.origin}/docs/guide/en/feature-x/guide/a.html?a=1#new`);
    t.regex(await page.textContent('h1').then((text) => text ?? ''), /Old/);
    await page.goto(`${server.origin}/docs/guide/en/latest/guide/b.html`);
    await openPanel();
    const missing = page.locator('docbuild-button a', { hasText: /^v1\.0/ });
    t.is(await missing.getAttribute('href'), `${server.origin}/docs/guide/en/v1.0/guide/`);
    await page.locator('docbuild-button a', { hasText: 'français' }).click();
    await page.waitForURL(`${server.origin}/docs/guide/fr/latest/**`);
  },
);
