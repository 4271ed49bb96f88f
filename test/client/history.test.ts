import test, { type ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { createRepository } from '../helpers/create-repository.ts';
import { createSite } from '../helpers/create-site.ts';
import { serveFolder } from '../helpers/serve-folder.ts';
import { browserTest, findThemeViolations, hideHeader, openPage, shareBrowser } from '../helpers/share-browser.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const getBrowser = shareBrowser();

/** What browser and page say on the console, and exceptions; each test must end with none. */
const complaints: string[] = [];
test.afterEach((t) => t.deepEqual(complaints.splice(0), []));

const words = (about: string, count = 40): string =>
  Array.from(
    { length: count },
    (_, at) => `${about}${at} ${['river', 'stone', 'cloud', 'ember', 'leaf'][at % 5]}`,
  ).join(' ');

/** Publishes four versions; in the third, the guide has another path and a new part. Returns the URL of the site. */
async function publish(t: ExecutionContext): Promise<string> {
  const repository = createRepository(t);
  const guide = `# Guide\n\n${words('guide')}\n\n## Use\n\n${words('use')}\n`;
  commitFiles(repository, {
    'docs/index.md': '# Home\n',
    'docs/still.md': `# Still\n\n${words('still')}\n`,
    'docs/guide.md': guide,
    'docs/old.md': `# Old\n\n${words('old')}\n`,
  });
  repository.git('tag', 'v1.0');
  commitFiles(repository, {
    'docs/guide.md': `${guide}\nMore than before.\n`,
    'docs/new.md': `# New\n\n${words('new')}\n`,
  });
  repository.git('tag', 'v1.1');
  repository.git('mv', 'docs/guide.md', 'docs/start.md');
  repository.git('rm', '--quiet', 'docs/old.md');
  commitFiles(repository, { 'docs/start.md': `${guide}\nMore than before.\n\n## Part\n\n${words('part', 10)}\n` });
  repository.git('tag', 'v1.2');
  commitFiles(repository, { 'docs/new.md': `# New\n\n${words('another')}\n` });
  const site = createSite(t);
  await site.build(repository.folder);
  const { url, close } = await serveFolder(site.out);
  t.teardown(close);
  return url;
}

async function open(t: ExecutionContext, url: string, width = 1280): Promise<Page> {
  const page = await openPage(t, getBrowser(), { viewport: { width, height: 800 }, reducedMotion: 'reduce' });
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(url);
  return page;
}

const listHistory = async (page: Page): Promise<readonly string[]> => {
  await page.locator('#_history summary').click();
  await page.locator('#_history li').first().waitFor();
  return page.locator('#_history li').allTextContents();
};

browserTest('the foot of a page tells its history through moves, and loads it when it is opened', async (t) => {
  const url = await publish(t);
  const page = await open(t, `${url}/en/v1.2/start.html`);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname.replace(/\.[\da-f]{8}\./, '.')));
  t.deepEqual(await listHistory(page), [
    'Moved in v1.2, formerly guide.html · Compare',
    'Changed in v1.1 · Compare',
    'What changed between versions',
  ]);
  t.deepEqual([...new Set(requests)].filter((path) => /history|versions/.test(path)).sort(), [
    '/_docbuild/history.js',
    '/_docbuild/history/en/0.json',
    '/versions.json',
  ]);
  const links = await page.locator('#_history li a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  t.deepEqual(
    links.map((link) => link!.replace(url, '')),
    [
      '/en/v1.2/start.html',
      '/en/v1.2/start.html?compare=v1.1',
      '/en/v1.1/guide.html',
      '/en/v1.1/guide.html?compare=v1.0',
      '../../_docbuild/changes/en.html',
    ],
  );
  t.deepEqual(await findThemeViolations(page), []);
});

browserTest('a page of an old version tells what happened later, too, and since when it is as it is', async (t) => {
  const url = await publish(t);
  t.deepEqual(await listHistory(await open(t, `${url}/en/v1.0/guide.html`, 390)), [
    'Moved in v1.2, formerly guide.html · Compare',
    'Changed in v1.1 · Compare',
    'What changed between versions',
  ]);
  t.deepEqual(await listHistory(await open(t, `${url}/en/v1.2/new.html`)), [
    'Unchanged since v1.1',
    'Changed in main · Compare',
    'Added in v1.1',
    'What changed between versions',
  ]);
  t.deepEqual(await listHistory(await open(t, `${url}/en/latest/still.html`)), [
    'Unchanged since v1.0',
    'What changed between versions',
  ]);
});

browserTest('a history that is opened, closed and opened while it loads is shown once', async (t) => {
  const page = await open(t, `${await publish(t)}/en/v1.2/start.html`);
  let go = (): void => {};
  const opened = new Promise<void>((resolve) => {
    go = resolve;
  });
  await page.route('**/history/en/0.json', async (route) => {
    await opened;
    await route.continue();
  });
  const summary = page.locator('#_history summary');
  for (let click = 0; click < 3; click++) {
    await summary.click();
    await page.locator(click % 2 === 0 ? '#_history[open]' : '#_history:not([open])').waitFor();
  }
  go();
  await page.locator('#_history li').first().waitFor();
  await page.waitForLoadState('networkidle');
  t.is(await page.locator('#_history ul').count(), 1);
});

browserTest('in a language in which nothing happened, no file of events is asked for', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/index.md': `# Home\n\n${words('home')}\n`,
    'docs/fa/index.md': `# Home\n\n${words('khane')}\n`,
  });
  repository.git('tag', 'v1.0');
  commitFiles(repository, { 'docs/en/index.md': `# Home\n\n${words('house')}\n` });
  repository.git('tag', 'v1.1');
  const site = createSite(t);
  await site.build(repository.folder);
  const { url, close } = await serveFolder(site.out);
  t.teardown(close);
  const page = await open(t, `${url}/fa/v1.1/`);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  t.deepEqual(await listHistory(page), ['بدون تغییر از v1.0', 'تغییرات میان نسخه‌ها']);
  t.deepEqual(
    requests.filter((path) => path.includes('/history/')),
    [],
  );
  t.regex((await listHistory(await open(t, `${url}/en/v1.1/`)))[0]!, /^Changed in v1\.1/);
});

browserTest('the menu of versions and the nav button lead to the history, which opens', async (t) => {
  const url = await publish(t);
  const page = await open(t, `${url}/en/v1.2/start.html`);
  await page.locator('.switch-menu summary').first().click();
  await page.locator('.switch-more').getByRole('link', { name: 'History of this page' }).click();
  await page.locator('#_history li').first().waitFor();
  t.is(await page.locator('.switch-menu[open]').count(), 0, 'it covers nothing of it');
  await page.goto(`${url}/en/v1.2/start.html?again`);
  await hideHeader(page);
  await page.locator('docbuild-button nav > button').click();
  await page.locator('docbuild-button').getByRole('link', { name: 'History of this page' }).click();
  await page.locator('#_history li').first().waitFor();
  t.true(await page.locator('#_history').evaluate((details) => 'open' in details && details.open === true));
  const other = await open(t, `${url}/en/v1.2/start.html#_history`);
  await other.locator('#_history li').first().waitFor();
});

browserTest('an address that names the history opens it', async (t) => {
  const page = await open(t, `${await publish(t)}/en/v1.2/start.html#_history`);
  await page.locator('#_history li').first().waitFor();
  t.is(await page.locator('#_history[open]').count(), 1);
});

browserTest('what changed is shown for any two versions, and can be linked to', async (t) => {
  const url = await publish(t);
  const page = await open(t, `${url}/_docbuild/changes/en.html`);
  const [from, to] = [page.getByLabel('From'), page.getByLabel('To')];
  const told = async (): Promise<readonly string[]> => {
    await page.locator('form + div:not([aria-busy]) > *').first().waitFor();
    const texts = await page.locator('form + div').locator('h2, li, p').allTextContents();
    return texts.map((text) => text.replace(/\d+%/, 'N%'));
  };
  t.is(await to.inputValue(), 'main');
  t.is(await from.inputValue(), 'v1.2');
  await to.selectOption('v1.2');
  t.deepEqual(await from.locator('option').allTextContents(), ['main', 'v1.1', 'v1.0']);
  await from.selectOption('v1.0');
  await page.waitForURL(/\?from=v1\.0&to=v1\.2$/);
  await page.getByText('Old').waitFor();
  t.deepEqual(await told(), [
    'Added 1',
    'New',
    'Removed 1',
    'Old',
    'Moved 1',
    'Guide guide.html N% of the text · Compare',
  ]);
  const hrefs = await page
    .locator('form + div a')
    .evaluateAll((all) => all.map((link) => `${(link as { href?: string }).href}`));
  t.deepEqual(
    hrefs.map((href) => href.replace(url, '')),
    ['/en/v1.2/new.html', '/en/v1.0/old.html', '/en/v1.2/start.html', '/en/v1.2/start.html?compare=v1.0'],
  );
  t.deepEqual(await findThemeViolations(page), []);
  const again = await open(t, page.url(), 390);
  await again.getByText('Old').waitFor();
  t.is(await again.getByLabel('From').inputValue(), 'v1.0');
  await again.goto(`${url}/_docbuild/changes/en.html?from=v1.2&to=v1.0`);
  await again.getByText('New').waitFor();
  t.deepEqual(await again.locator('form + div').locator('h2, li a').allTextContents(), [
    'Added 1',
    'Old',
    'Removed 1',
    'New',
    'Moved 1',
    'Guide',
    'Compare',
  ]);
});

browserTest('what two versions that come from the same one have changed alike is no change between them', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/index.md': '# Home\n',
    'docs/a.md': `# A\n\n${words('a')}\n`,
    'docs/b.md': `# B\n\n${words('b')}\n`,
  });
  repository.git('tag', 'v1.0.0');
  commitFiles(repository, { 'docs/a.md': `# A\n\n${words('a')} More.\n`, 'docs/b.md': `# B\n\n${words('b')} More.\n` });
  repository.git('tag', 'v1.1.0-rc.1');
  commitFiles(repository, { 'docs/b.md': `# B\n\n${words('b')} Less.\n` });
  repository.git('tag', 'v1.1.0');
  const site = createSite(t);
  await site.build(repository.folder);
  const { url, close } = await serveFolder(site.out);
  t.teardown(close);
  const page = await open(t, `${url}/_docbuild/changes/en.html?from=v1.1.0-rc.1&to=v1.1.0`);
  await page.locator('form + div:not([aria-busy]) > *').first().waitFor();
  t.deepEqual(await page.locator('form + div').locator('h2, li').allTextContents(), ['Changed 1', 'B Compare']);
});

browserTest('a history that cannot be loaded says so, and is asked for again', async (t) => {
  const url = await publish(t);
  const page = await open(t, `${url}/en/v1.2/start.html`);
  await page.route('**/versions.json', (route) => route.abort());
  const summary = page.locator('#_history summary');
  await summary.click();
  await page.getByText('The history could not be loaded').waitFor();
  await page.unroute('**/versions.json');
  await summary.click();
  await summary.click();
  await page.locator('#_history li').first().waitFor();
  t.is(await page.getByText('The history could not be loaded').count(), 0);
  t.true(complaints.splice(0).every((text) => text.includes('ERR_FAILED')));
});
