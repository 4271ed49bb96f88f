import type { ExecutionContext } from 'ava';
import type { Page, ViewportSize } from 'playwright-core';
import { createHistory, say } from '../helpers/create-history.ts';
import { createSite } from '../helpers/create-site.ts';
import { serveFolder } from '../helpers/serve-folder.ts';
import { browserTest, findThemeViolations, openPage, shareBrowser } from '../helpers/share-browser.ts';

const getBrowser = shareBrowser();
const version = '.switch-menu:first-child';

const home = (title: string): string => `# ${title}\n\n${say('home')}`;
const setup = `# Setup\n\n${say('setup')}`;
const proxy = `\n\n## Proxy {#80%}\n\n${say('proxy')}`;
const guide = `# Guide\n\n${say('guide')}`;

/** Publishes two versions as a static export: a page that moved, a section that did, one that is gone. */
async function publish(t: ExecutionContext): Promise<string> {
  const repository = createHistory(t, {
    'v1.0': {
      'index.md': home('Home'),
      'guide/index.md': guide,
      'guide/setup.md': setup + proxy,
      'guide/gone.md': `# Gone & lost\n\n${say('gone')}`,
    },
    'v1.1': {
      'index.md': home('Home'),
      'guide/index.md': `${guide}\n\n## Behind a proxy\n\n${say('proxy')}`,
      'install.md': setup,
    },
  });
  const site = createSite(t);
  await site.build(repository.folder);
  const { url, close } = await serveFolder(site.out);
  t.teardown(close);
  return url;
}

async function open(
  t: ExecutionContext,
  url: string,
  viewport: ViewportSize = { width: 1280, height: 800 },
): Promise<Page> {
  const page = await openPage(t, getBrowser(), { viewport, reducedMotion: 'reduce' });
  await page.goto(url);
  return page;
}

/** Waits until the menu of versions leads to `place`; it may still show where it led to before. */
const waitForLink = async (page: Page, name: string, place: string): Promise<void> => {
  await page.click(`${version} summary`);
  await page.locator(`${version} li a[href$="${place}"]`, { hasText: name }).first().waitFor();
  await page.click(`${version} summary`);
};

browserTest('moved pages: the menu of versions leads to where a page and its sections went, and back', async (t) => {
  const url = await publish(t);
  const page = await open(t, `${url}/en/v1.0/guide/setup.html`);
  await waitForLink(page, 'v1.1', '/en/v1.1/install.html');
  for (const [hash, place] of [
    ['#80%', 'guide/#behind-a-proxy'],
    ['#80%25', 'guide/#behind-a-proxy'],
    ['#90%', 'install.html#90%'],
  ]) {
    await page.goto(`${url}/en/v1.0/guide/setup.html${hash}`);
    await waitForLink(page, 'v1.1', `/en/v1.1/${place}`);
  }
  await page.goBack();
  const link = page.locator(`${version} li a[href$="/en/v1.1/guide/#behind-a-proxy"]`, { hasText: 'v1.1' });
  await link.waitFor({ state: 'attached' });
  t.false(await link.isVisible(), 'a menu follows the address before it is opened');
  await page.goto(`${url}/en/latest/install.html`);
  await waitForLink(page, 'v1.0', '/en/v1.0/guide/setup.html');
});

browserTest('moved pages: old addresses lead on in a static export', async (t) => {
  const url = await publish(t);
  const page = await open(t, `${url}/en/latest/guide/setup.html`);
  await page.waitForURL(`${url}/en/latest/install.html`);
  t.regex(await page.title(), /^Setup/);
});

for (const [name, viewport] of [
  ['desktop', { width: 1280, height: 800 }],
  ['phone', { width: 390, height: 844 }],
] as const) {
  browserTest(`moved pages: on a ${name}, the page nearest to one that is gone says so, once`, async (t) => {
    const url = await publish(t);
    const page = await open(t, `${url}/en/v1.0/guide/gone.html`, viewport);
    await page.click(`${version} summary`);
    const link = page.locator(`${version} li a`, { hasText: 'v1.1' }).first();
    t.regex(await link.innerText(), /not available/);
    await link.click();
    await page.waitForURL(`${url}/en/v1.1/guide/`);
    const notice = page.locator('main > .notice[role=status]');
    t.is(await notice.innerText(), '“Gone & lost” is not available here. This is the closest page.');
    t.deepEqual(await findThemeViolations(page), []);
    await page.reload();
    t.is(await notice.count(), 0);
  });
}
