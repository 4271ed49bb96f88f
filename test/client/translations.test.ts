import type { ExecutionContext } from 'ava';
import { createRepository } from '../helpers/create-repository.ts';
import { createSite } from '../helpers/create-site.ts';
import { serveFolder } from '../helpers/serve-folder.ts';
import { browserTest, findThemeViolations, openPage, shareBrowser } from '../helpers/share-browser.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const getBrowser = shareBrowser();

async function serveTranslated(t: ExecutionContext) {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/index.md': '# Home\n',
    'docs/fa/index.md': '# خانه\n',
    'docs/en/guide.md': '# Guide\n\nOne.\n\n## Use {#use}\n\nUse it well.\n',
    'docs/fa/guide.md': '# راهنما\n\nیک.\n\n## کاربرد {#use}\n\nدرست.\n',
    'docs/en/rest/a b.md': '# Rest\n\nOne.\n',
    'docs/fa/rest/a b.md': '# بقیه\n\nیک.\n',
  });
  repository.git('tag', 'v1.0.0');
  commitFiles(repository, {
    'docs/en/guide.md': '# Guide\n\nOne.\n\n## Use {#use}\n\nUse it very well.\n',
    'docs/en/rest/a b.md': '# Rest\n\nTwo.\n',
    'docs/en/new.md': '# New\n',
  });
  repository.git('tag', 'v1.1.0');
  const site = createSite(t);
  await site.build(repository.folder);
  const served = await serveFolder(site.out);
  t.teardown(() => served.close());
  return served;
}

browserTest(
  'a page whose original has changed since says so, without moving anything, and leads to what has',
  async (t) => {
    const { url } = await serveTranslated(t);
    for (const viewport of [
      { width: 1280, height: 720 },
      { width: 390, height: 700 },
    ]) {
      const page = await openPage(t, getBrowser(), { viewport });
      await page.goto(`${url}/fa/latest/rest/a%20b.html`);
      const link = page.locator('.original-changed a');
      await link.waitFor();
      t.regex((await link.textContent())!, /متن اصلی \(انگلیسی\)/);
      t.is(await link.getAttribute('href'), '/en/latest/rest/a%20b.html?compare=v1.0.0');
      t.deepEqual(await findThemeViolations(page), []);
      const overlaps = await page.evaluate<number>(`
      document.querySelector('.original-changed').getBoundingClientRect().bottom
        - document.querySelector('main > :not(.original-changed)').getBoundingClientRect().top`);
      t.true(overlaps <= 1, `${overlaps} px over the text`);
      const shifts = await page.evaluate<number>(`new Promise((resolve) => {
      new PerformanceObserver((list) => resolve(list.getEntries().length))
        .observe({ type: 'layout-shift', buffered: true });
      setTimeout(() => resolve(0), 500);
    })`);
      t.is(shifts, 0);
      await page.goto(`${url}/fa/v1.0.0/rest/a%20b.html`, { waitUntil: 'networkidle' });
      t.false(await link.isVisible(), 'in step there');
      await page.close();
    }
  },
);

browserTest('a board shows any version, and the pages in one state', async (t) => {
  const { url } = await serveTranslated(t);
  const page = await openPage(t, getBrowser(), { viewport: { width: 1280, height: 720 } });
  const errors: Error[] = [];
  page.on('pageerror', (error) => errors.push(error));
  await page.goto(`${url}/_docbuild/translations/fa.html`);
  const rows = page.locator('.board tbody tr:not([hidden])');
  const output = page.locator('.board-choices output');
  t.is(await rows.count(), 4);
  t.is(await output.textContent(), '4 / 4');
  t.deepEqual(await findThemeViolations(page), []);
  await page.selectOption('[name="state"]', 'behind');
  t.deepEqual(await rows.evaluateAll((all) => all.map((row) => row.className)), ['behind', 'behind']);
  const before = await rows.evaluateAll((all) => all.map((row) => row.innerHTML.replace(/\s+/g, ' ')));
  await page.selectOption('[name="version"]', 'v1.1.0');
  await page.locator('caption', { hasText: 'v1.1.0' }).waitFor();
  const after = await rows.evaluateAll((all) => all.map((row) => row.innerHTML.replace(/\s+/g, ' ')));
  const plain = (html: string): string =>
    html
      .replaceAll('> <', '><')
      .trim()
      .replaceAll('/main/', '/v1.1.0/')
      .replace(/ dir="\w+"/g, '');
  t.deepEqual(after.map(plain), before.map(plain), 'made in the browser as by the build');
  await page.selectOption('[name="state"]', '');
  await page.locator('a', { hasText: /^v1\.0\.0$/ }).click();
  await page.locator('caption', { hasText: 'v1.0.0' }).waitFor();
  t.is(await output.textContent(), '3 / 3');
  t.deepEqual(await rows.evaluateAll((all) => all.map((row) => row.className)), ['current', 'current', 'current']);
  await page.goto(`${url}/_docbuild/translations/fa.html?version=v1.0.0`);
  await page.locator('caption', { hasText: 'v1.0.0' }).waitFor();
  t.deepEqual(errors, []);
});
