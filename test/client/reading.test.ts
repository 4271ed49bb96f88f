import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { createRepository } from '../helpers/create-repository.ts';
import { createSite } from '../helpers/create-site.ts';
import { serveFolder } from '../helpers/serve-folder.ts';
import { browserTest, findViolations, shareBrowser } from '../helpers/share-browser.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const getBrowser = shareBrowser();
const phone = { width: 390, height: 844 };
const desktop = { width: 1280, height: 800 };

/** Builds a site of these files and serves it; returns its URL. */
async function serve(t: ExecutionContext, files: Readonly<Record<string, string>>): Promise<string> {
  const repository = createRepository(t);
  commitFiles(repository, files);
  const site = createSite(t);
  await site.build(repository.folder, { latest: 'main' });
  const { url, close } = await serveFolder(site.out);
  t.teardown(close);
  return url;
}

/** A site whose sidebar has groups in groups and is longer than the window. */
function serveBook(t: ExecutionContext): Promise<string> {
  const files: Record<string, string> = { 'docs/index.md': '# Home\n' };
  for (const group of ['alpha', 'beta', 'gamma']) {
    for (let page = 1; page <= 9; page++) files[`docs/${group}/page-${page}.md`] = `# ${group} ${page}\n`;
    files[`docs/${group}/inner/deep.md`] = `# Deep in ${group}\n`;
  }
  files['docs/beta/index.md'] = '# Beta\n';
  return serve(t, files);
}

/** Opens a window that notes layout shifts, and fails the test for errors. */
async function openWindow(t: ExecutionContext, viewport = desktop): Promise<Page> {
  const context = await getBrowser().newContext({ viewport });
  t.teardown(() => context.close());
  const page = await context.newPage();
  page.on('pageerror', (error) => t.fail(String(error)));
  await page.addInitScript(
    'window.shift = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.shift += entry.value; }).observe({ type: "layout-shift", buffered: true });',
  );
  return page;
}

/** The group whose title, or whose page's link, has this text. */
const group = (page: Page, title: string) =>
  page.locator(`.sidebar li:has(> details > summary:text-is("${title}"), > a:text-is("${title}")) > details`).first();
const isOpen = (page: Page, title: string) => group(page, title).evaluate((element) => element.hasAttribute('open'));

browserTest.serial(
  'sidebar: groups stay as the reader left them, on later pages and visits, and nothing moves',
  async (t) => {
    const url = await serveBook(t);
    const page = await openWindow(t);
    await page.goto(`${url}/en/latest/alpha/page-1.html`);
    t.true(await isOpen(page, 'Gamma'));
    await group(page, 'Gamma').locator('> summary').click();
    // The button of a group with a page of its own.
    await group(page, 'Beta').locator('> summary').press('Enter');
    t.deepEqual([await isOpen(page, 'Gamma'), await isOpen(page, 'Beta')], [false, false]);
    await group(page, 'Alpha').getByText('Inner').click();
    t.true(await isOpen(page, 'Inner'));
    for (const path of ['alpha/page-2.html', 'alpha/page-3.html']) {
      await page.goto(`${url}/en/latest/${path}`);
      t.deepEqual([await isOpen(page, 'Gamma'), await isOpen(page, 'Beta')], [false, false]);
      t.true(await isOpen(page, 'Inner'), 'the one in Alpha');
      t.false(
        await group(page, 'Gamma')
          .locator('details')
          .evaluate((element) => element.hasAttribute('open')),
      );
      await page.waitForTimeout(100);
      t.is(await page.evaluate('window.shift'), 0);
    }
    await page.goto(`${url}/en/latest/gamma/page-2.html`);
    t.true(await isOpen(page, 'Gamma'), 'the current page is in sight');
    const second = await page.context().newPage();
    await second.goto(`${url}/en/latest/alpha/page-2.html`);
    t.false(await isOpen(second, 'Gamma'), 'in another window, too');
  },
);

browserTest.serial(
  'sidebar: the place that it is scrolled to stays, unless the current page would be out of sight',
  async (t) => {
    const url = await serveBook(t);
    const page = await openWindow(t, { width: 1280, height: 500 });
    await page.goto(`${url}/en/latest/gamma/page-1.html`);
    const top = () => page.evaluate<number>('Math.round(document.querySelector(".sidebar").scrollTop)');
    await page.evaluate('document.querySelector(".sidebar").scrollTop = 700');
    const before = await top();
    t.true(before > 300);
    await page.goto(`${url}/en/latest/gamma/page-2.html`);
    t.is(await top(), before);
    t.is(await page.evaluate('window.shift'), 0);
    await page.goto(`${url}/en/latest/alpha/page-2.html`);
    const box = (await page.locator('.sidebar [aria-current="page"]').boundingBox())!;
    t.true(box.y > 50 && box.y < 500);
  },
);

browserTest.serial('sidebar: without storage it is as it was built', async (t) => {
  const url = await serveBook(t);
  const page = await openWindow(t);
  await page.addInitScript(
    'for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { get() { throw new DOMException("no", "SecurityError"); } });',
  );
  await page.goto(`${url}/en/latest/alpha/page-1.html`);
  await group(page, 'Gamma').locator('> summary').click();
  await page.goto(`${url}/en/latest/alpha/page-2.html`);
  t.true(await isOpen(page, 'Gamma'));
  await page.selectOption('.theme-switch select', 'dark');
  t.is(await page.getAttribute('html', 'data-theme'), 'dark');
});

browserTest.serial('sidebar: in the drawer of a phone groups are remembered as well', async (t) => {
  const url = await serveBook(t);
  const page = await openWindow(t, phone);
  await page.goto(`${url}/en/latest/alpha/page-1.html`);
  await page.click('.menu-button');
  await group(page, 'Gamma').locator('> summary').click();
  await page.goto(`${url}/en/latest/alpha/page-2.html`);
  await page.click('.menu-button');
  t.false(await isOpen(page, 'Gamma'));
});

const PAGE = { 'docs/index.md': '# Home\n', 'docs/a.md': '# A & B\n\nText.\n' };

browserTest.serial('feedback: nobody is asked unless the project wants it', async (t) => {
  const url = await serve(t, PAGE);
  const page = await openWindow(t);
  await page.goto(`${url}/en/latest/a.html`);
  t.is(await page.locator('[data-feedback]').count(), 0);
});

for (const viewport of [desktop, phone]) {
  browserTest.serial(
    `feedback: a click opens the address with the answer, and only then, ${viewport.width}`,
    async (t) => {
      const feedback = 'https://answers.test/form?helpful={answer}&page={url}&title={title}&lang={language}&x={other}';
      const url = await serve(t, { ...PAGE, '.docbuild.yml': `title: Kettle\ntheme:\n  feedback: "${feedback}"\n` });
      const page = await openWindow(t, viewport);
      const asked: string[] = [];
      await page.context().route('https://answers.test/**', (route) => {
        asked.push(route.request().url());
        return route.fulfill({ contentType: 'text/html', body: '<title>Form</title>' });
      });
      await page.goto(`${url}/en/latest/a.html?x=1#y`, { waitUntil: 'networkidle' });
      t.deepEqual(await findViolations(page), []);
      t.deepEqual(asked, []);
      t.is(await page.evaluate('window.shift'), 0);
      const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: 'No' }).click()]);
      await popup.waitForLoadState();
      const query = Object.fromEntries(new URL(popup.url()).searchParams);
      t.deepEqual(query, {
        helpful: 'no',
        page: `${url}/en/latest/a.html`,
        title: 'A & B | Kettle',
        lang: 'en',
        x: '{other}',
      });
      t.is(await popup.evaluate('opener'), null);
      t.is(await page.locator('.feedback button').count(), 0);
      t.true(await page.locator('.feedback [role="status"]:focus').isVisible());
      t.deepEqual(await findViolations(page), []);
      await page.goto(`${url}/en/latest/`);
      t.true(await page.getByRole('button', { name: 'Yes' }).isVisible());
    },
  );
}

browserTest.serial('feedback: a script of the project hears of it, and without scripts nobody is asked', async (t) => {
  const url = await serve(t, { ...PAGE, '.docbuild.yml': 'theme: {feedback: event}\n' });
  const page = await openWindow(t);
  await page.goto(`${url}/en/latest/a.html`);
  await page.evaluate('document.addEventListener("docbuild:feedback", ({ detail }) => { window.told = detail; })');
  await page.getByRole('button', { name: 'Yes' }).press('Enter');
  t.like(await page.evaluate('told'), { answer: 'yes', url: `${url}/en/latest/a.html`, language: 'en' });
  t.is(page.context().pages().length, 1);
  const context = await getBrowser().newContext({ javaScriptEnabled: false });
  t.teardown(() => context.close());
  const plain = await context.newPage();
  await plain.goto(`${url}/en/latest/a.html`);
  t.false(await plain.isVisible('.feedback'));
});
