import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { createRepository } from '../helpers/create-repository.ts';
import { createServer } from '../helpers/create-server.ts';
import { createSite } from '../helpers/create-site.ts';
import { failTest } from '../helpers/fail-test.ts';
import { RECORD_SHIFTS } from '../helpers/record-shifts.ts';
import { serveFolder } from '../helpers/serve-folder.ts';
import { browserTest, findThemeViolations, findViolations, openPage, shareBrowser } from '../helpers/share-browser.ts';
import { shareSetup } from '../helpers/share-setup.ts';
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
const serveBook = shareSetup((t) => {
  const files: Record<string, string> = { 'docs/index.md': '# Home\n' };
  for (const group of ['alpha', 'beta', 'gamma']) {
    for (let page = 1; page <= 9; page++) files[`docs/${group}/page-${page}.md`] = `# ${group} ${page}\n`;
    files[`docs/${group}/inner/deep.md`] = `# Deep in ${group}\n`;
  }
  files['docs/beta/index.md'] = '# Beta\n';
  return serve(t, files);
});

/** Opens a window that records layout shifts, and fails the test for errors. */
async function openWindow(t: ExecutionContext, viewport = desktop): Promise<Page> {
  const page = await openPage(t, getBrowser(), { viewport, script: RECORD_SHIFTS });
  page.on('pageerror', (error) => failTest(t, String(error)));
  return page;
}

/** The group whose title, or whose page's link, has this text. */
const group = (page: Page, title: string) =>
  page.locator(`.sidebar li:has(> details > summary:text-is("${title}"), > a:text-is("${title}")) > details`).first();
const isOpen = (page: Page, title: string) => group(page, title).evaluate((element) => element.hasAttribute('open'));

browserTest(
  'sidebar: a long navigation shows the section at hand; a click on another one leads to its first page, and nothing moves',
  async (t) => {
    const files: Record<string, string> = { 'docs/index.md': '# Home\n', '.docbuild.yml': 'title: Book\n' };
    for (let part = 1; part <= 9; part++) {
      for (let page = 1; page <= 9; page++) files[`docs/part-${part}/page-${page}.md`] = `# Page ${part}.${page}\n`;
    }
    const url = await serve(t, files);
    const page = await openWindow(t);
    await page.goto(`${url}/en/latest/part-5/page-3.html`);
    const list = () => page.locator('.sidebar a, .sidebar summary').allTextContents();
    const around = ['Part 1', 'Part 2', 'Part 3', 'Part 4'];
    const pages = (part: number): readonly string[] => Array.from({ length: 9 }, (_, at) => `Page ${part}.${at + 1}`);
    t.deepEqual(await list(), ['Home', ...around, 'Part 5', ...pages(5), 'Part 6', 'Part 7', 'Part 8', 'Part 9']);
    await page.click('.sidebar a:text-is("Part 7")');
    await page.waitForURL('**/part-7/page-1.html');
    t.deepEqual(await list(), ['Home', ...around, 'Part 5', 'Part 6', 'Part 7', ...pages(7), 'Part 8', 'Part 9']);
    t.is(await page.textContent('.sidebar [aria-current="page"]'), 'Page 7.1');
    t.is(await page.evaluate<number>('window.shift'), 0);
    t.deepEqual(await findThemeViolations(page), []);
    const whole = await serve(t, { ...files, '.docbuild.yml': 'title: Book\nsidebar: all\n' });
    await page.goto(`${whole}/en/latest/part-5/page-3.html`);
    t.is((await list()).length, 1 + 9 * 10);
  },
);

browserTest('sidebar: groups stay as the reader left them, on later pages and visits, and nothing moves', async (t) => {
  const url = await serveBook();
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
});

browserTest(
  'sidebar: the place that it is scrolled to stays, unless the current page would be out of sight',
  async (t) => {
    const url = await serveBook();
    const page = await openWindow(t, { width: 1280, height: 500 });
    await page.goto(`${url}/en/latest/gamma/page-1.html`);
    const top = () => page.evaluate<number>('Math.round(document.querySelector(".sidebar").scrollTop)');
    // A reader has seen the page before, and the page hears of it with the next frame.
    const frames = () =>
      page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    await frames();
    await page.evaluate('document.querySelector(".sidebar").scrollTop = 700');
    await frames();
    const before = await top();
    t.true(before > 300);
    await page.goto(`${url}/en/latest/gamma/page-2.html`);
    // It is put there before the first frame, which a busy machine may be late with.
    await frames();
    t.is(await top(), before);
    t.is(await page.evaluate('window.shift'), 0);
    await page.goto(`${url}/en/latest/alpha/page-2.html`);
    const box = (await page.locator('.sidebar [aria-current="page"]').boundingBox())!;
    t.true(box.y > 50 && box.y < 500);
  },
);

browserTest('sidebar: without storage it is as it was built', async (t) => {
  const url = await serveBook();
  const page = await openWindow(t);
  const refusal = await page.addInitScript(
    'for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { get() { throw new DOMException("no", "SecurityError"); } });',
  );
  t.teardown(() => refusal.dispose());
  await page.goto(`${url}/en/latest/alpha/page-1.html`);
  await group(page, 'Gamma').locator('> summary').click();
  await page.goto(`${url}/en/latest/alpha/page-2.html`);
  t.true(await isOpen(page, 'Gamma'));
  await page.selectOption('.theme-switch select', 'dark');
  t.is(await page.getAttribute('html', 'data-theme'), 'dark');
});

browserTest('sidebar: in the drawer of a phone groups are remembered as well', async (t) => {
  const url = await serveBook();
  const page = await openWindow(t, phone);
  await page.goto(`${url}/en/latest/alpha/page-1.html`);
  await page.click('.menu-button');
  await group(page, 'Gamma').locator('> summary').click();
  await page.goto(`${url}/en/latest/alpha/page-2.html`);
  await page.click('.menu-button');
  t.false(await isOpen(page, 'Gamma'));
});

const PAGE = { 'docs/index.md': '# Home\n', 'docs/a.md': '# A & B\n\nText.\n' };

browserTest('feedback: nobody is asked unless the project wants it', async (t) => {
  const url = await serve(t, PAGE);
  const page = await openWindow(t);
  await page.goto(`${url}/en/latest/a.html`);
  t.is(await page.locator('[data-feedback]').count(), 0);
});

for (const viewport of [desktop, phone]) {
  browserTest(`feedback: a click opens the address with the answer, and only then, ${viewport.width}`, async (t) => {
    const feedback = 'https://answers.test/form?helpful={answer}&page={url}&title={title}&lang={language}&x={other}';
    const url = await serve(t, { ...PAGE, '.docbuild.yml': `title: Kettle\ntheme:\n  feedback: "${feedback}"\n` });
    const page = await openWindow(t, viewport);
    const asked: string[] = [];
    await page.context().route('https://answers.test/**', (route) => {
      asked.push(route.request().url());
      return route.fulfill({ contentType: 'text/html', body: '<title>Form</title>' });
    });
    await page.goto(`${url}/en/latest/a.html?x=1#y`, { waitUntil: 'networkidle' });
    t.deepEqual(await findThemeViolations(page), []);
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
  });
}

browserTest('feedback: a script of the project hears of it, and without scripts nobody is asked', async (t) => {
  const url = await serve(t, { ...PAGE, '.docbuild.yml': 'theme: {feedback: event}\n' });
  const page = await openWindow(t);
  await page.goto(`${url}/en/latest/a.html`);
  await page.evaluate('document.addEventListener("docbuild:feedback", ({ detail }) => { window.told = detail; })');
  await page.getByRole('button', { name: 'Yes' }).press('Enter');
  t.like(await page.evaluate('told'), { answer: 'yes', url: `${url}/en/latest/a.html`, language: 'en' });
  t.is(page.context().pages().length, 1);
  const plain = await openPage(t, getBrowser(), { viewport: desktop, javaScriptEnabled: false });
  await plain.goto(`${url}/en/latest/a.html`);
  t.false(await plain.isVisible('.feedback'));
});

/** A site of three releases in two languages; `b` is a page of the newest, `old` one of the others. */
async function createReleases(t: ExecutionContext) {
  const repository = createRepository(t);
  const paragraph = 'Text. '.repeat(200);
  commitFiles(repository, {
    'docs/en/index.md': `# Home\n\n${paragraph}\n`,
    'docs/en/a.md': `# A\n\n${paragraph}\n\n## Part\n`,
    'docs/en/old.md': '# Old\n',
    'docs/ar/index.md': `# الصفحة\n\n${paragraph}\n`,
    'docs/ar/a.md': '# ألف\n',
  });
  for (const tag of ['v1.0', 'v1.1']) repository.git('tag', tag);
  repository.git('rm', '--quiet', 'docs/en/old.md');
  commitFiles(repository, { 'docs/en/b.md': '# B\n', 'docs/ar/b.md': '# باء\n' });
  repository.git('tag', 'v2.0');
  return repository;
}

const SETTINGS = { latest: 'v2.0', lang: ['en', 'ar'] };

/** Publish the releases as a static export, and by a server below `/docs/guide/`; return the URL of the site. */
const serveReleases = {
  static: shareSetup(async (t) => {
    const repository = await createReleases(t);
    const site = createSite(t);
    await site.build(repository.folder, SETTINGS);
    const { url, close } = await serveFolder(site.out);
    t.teardown(close);
    return `${url}/`;
  }),
  served: shareSetup(async (t) => {
    const repository = await createReleases(t);
    const server = await createServer(t);
    await server.operations.createProject({ name: 'guide', settings: { url: repository.folder, ...SETTINGS } });
    const { id } = await server.operations.build({ name: 'guide', all: true });
    await server.operations.waitForBuild({ id });
    return `${server.origin}/docs/guide/`;
  }),
};

const notice = '.version-notice';

for (const kind of ['static', 'served'] as const) {
  for (const viewport of [desktop, phone]) {
    browserTest(`version notice: ${kind}: above old versions only, and nothing moves, ${viewport.width}`, async (t) => {
      const root = await serveReleases[kind]();
      const page = await openWindow(t, viewport);
      await page.goto(`${root}en/v1.0/a.html?x=1#part`);
      await page.waitForSelector(`${notice} a`);
      t.is(await page.textContent(notice), 'You are reading v1.0. The newest version is v2.0.');
      t.is(await page.getAttribute(`${notice} a`, 'href'), `${root}en/latest/a.html?x=1#part`);
      await page.waitForTimeout(100);
      t.is(await page.evaluate('window.shift'), 0);
      t.deepEqual(await findThemeViolations(page), []);
      await page.goto(`${root}ar/v1.1/`);
      await page.waitForSelector(`${notice} a`);
      t.is(await page.getAttribute(`${notice} a`, 'href'), `${root}ar/latest/`);
      const [close, text] = await Promise.all(
        ['button', 'p'].map(async (part) => (await page.locator(`${notice} ${part}`).boundingBox())!),
      );
      t.true(close!.x + close!.width <= text!.x, 'right to left, it is closed at the left');
      t.true(close!.width >= 44 && close!.height >= 44);
      t.deepEqual(await findThemeViolations(page), []);
      // The newest by its own name: what is not known yet has a place, the next time it has none.
      await page.goto(`${root}en/v2.0/a.html`);
      while (!(await page.evaluate('localStorage.length > 0'))) await page.waitForTimeout(20);
      t.is(await page.textContent(notice), 'You are reading v2.0.');
      await page.waitForTimeout(100);
      t.is(await page.evaluate('window.shift'), 0);
      for (const path of ['en/v2.0/', 'en/latest/', 'en/latest/a.html']) {
        await page.goto(root + path);
        t.false(await page.isVisible(notice), path);
      }
    });
  }

  browserTest(`version notice: ${kind}: closed, it stays away for that version and comes for another`, async (t) => {
    const root = await serveReleases[kind]();
    const page = await openWindow(t);
    await page.goto(`${root}en/v1.0/a.html`);
    await page.waitForSelector(`${notice} a`);
    await page.locator(`${notice} button`).press('Enter');
    t.false(await page.isVisible(notice));
    for (const path of ['en/v1.0/', 'ar/v1.0/a.html']) {
      await page.goto(root + path, { waitUntil: 'networkidle' });
      t.false(await page.isVisible(notice), path);
      t.is(await page.evaluate('window.shift'), 0);
    }
    await page.goto(`${root}en/v1.1/`);
    await page.waitForSelector(`${notice} a`);
    await page.click(`${notice} a`);
    await page.waitForURL(`${root}en/latest/`);
  });

  browserTest(`404 page: ${kind}: names versions and languages that have the page, and offers search`, async (t) => {
    const root = await serveReleases[kind]();
    for (const viewport of [desktop, phone]) {
      const page = await openWindow(t, viewport);
      const list = () =>
        page
          .locator('.elsewhere a')
          .evaluateAll((links) =>
            links.map(
              (one) =>
                `${(one as unknown as { textContent: string }).textContent} ${(one as unknown as { href: string }).href}`,
            ),
          );
      await page.goto(`${root}en/latest/old.html`);
      await page.waitForSelector('.elsewhere a');
      t.deepEqual(await list(), [
        `v1.1 ${root}en/v1.1/old.html`,
        `v1.0 ${root}en/v1.0/old.html`,
        // There it is shown in English; the server looks in the version that was asked for and in the latest.
        ...(kind === 'static' ? [`العربية (v1.1) ${root}ar/v1.1/old.html`] : []),
      ]);
      t.is(await page.evaluate('window.shift'), 0);
      t.deepEqual(await findThemeViolations(page), []);
      await page.goto(`${root}en/v1.0/b.html`);
      await page.waitForSelector('.elsewhere a');
      t.deepEqual(await list(), [
        `latest → v2.0 ${root}en/latest/b.html`,
        `main ${root}en/main/b.html`,
        `v2.0 ${root}en/v2.0/b.html`,
        `العربية (latest) ${root}ar/latest/b.html`,
      ]);
      t.false(await page.isVisible(notice));
      await page.click('main .button[data-search]');
      await page.waitForSelector('.search-dialog input');
      await page.goto(`${root}ar/latest/none.html`, { waitUntil: 'networkidle' });
      t.false(await page.isVisible('.elsewhere'), 'nobody has it');
    }
  });
}

browserTest('version notice: nothing of it is known when the site is built', async (t) => {
  const repository = await createReleases(t);
  const site = createSite(t);
  await site.build(repository.folder, SETTINGS);
  t.is(site.inode('en/v1.0/a.html'), site.inode('en/v1.1/a.html'), 'versions share the page');
  const { url, close } = await serveFolder(site.out);
  t.teardown(close);
  const page = await openPage(t, getBrowser(), { viewport: desktop, javaScriptEnabled: false });
  await page.goto(`${url}/en/v1.0/a.html`);
  t.false(await page.isVisible(notice));
});
