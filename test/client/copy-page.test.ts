import { createRepository } from '../helpers/create-repository.ts';
import { createSite } from '../helpers/create-site.ts';
import { serveFolder } from '../helpers/serve-folder.ts';
import { browserTest, findViolations, openPage, PATIENCE_MS, shareBrowser } from '../helpers/share-browser.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const getBrowser = shareBrowser();

browserTest('"Copy page" copies the Markdown of the page with absolute links, and says so', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n',
    'docs/guide/a.md': '# A title that takes more than one line on a phone\n\n[B](b.md) `[c](d)`\n',
    'docs/guide/b.md': '# B\n',
  });
  const site = createSite(t);
  await site.build(repository.folder);
  const { url, close } = await serveFolder(site.out);
  t.teardown(close);
  const page = await openPage(t, getBrowser(), {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await page.goto(`${url}/en/latest/guide/a.html`);
  const button = page.locator('.page-tools button');
  await button.tap();
  await page
    .locator('.page-tools [role=status]:text-is("Copied")')
    .waitFor({ state: 'attached', timeout: PATIENCE_MS });
  const address = `${url}/en/latest/guide`;
  t.is(
    await page.evaluate('navigator.clipboard.readText()'),
    `---\nurl: "${address}/a.html"\n${site.read('en/latest/guide/a.md').slice(4).replace('../guide/b.html', `${address}/b.html`)}`,
  );
  t.deepEqual(await findViolations(page), []);
  t.is(await page.locator('.page-tools a').evaluate((link) => (link as unknown as URL).href), `${address}/a.md`);
});
