import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import Koa from 'koa';
import type { Page } from 'playwright-core';
import { createSiteServer } from '../../api/sites/serve-sites.ts';
import { openFolderSite } from '../../platform/sites/folder-sites.ts';
import { createRepository } from '../helpers/create-repository.ts';
import { createSite } from '../helpers/create-site.ts';
import { failTest } from '../helpers/fail-test.ts';
import { browserTest, openPage, shareBrowser } from '../helpers/share-browser.ts';
import { shareSetup } from '../helpers/share-setup.ts';
import { waitInPage } from '../helpers/wait-in-page.ts';
import { waitUntil } from '../helpers/wait-until.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const getBrowser = shareBrowser();

/** More pages than are requested ahead on one page, whose links a pointer can rest on in turn. */
const MANY = Array.from({ length: 16 }, (_, at) => `many-${at}`);

/** A site as docbuild's server serves it, and as others may, with a policy of their own. */
const build = shareSetup(async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, {
    '.docbuild.yml': 'theme: {styles: brand.css}\n',
    'brand.css':
      '@media (prefers-reduced-motion: no-preference) {\n  @view-transition {\n    navigation: auto;\n  }\n}\n',
    'docs/en/index.md':
      '# Home\n\n[Next](next.md) [Here](#there) [File](file.zip) [Elsewhere](https://example.com/a.html) [Markdown](next.md#part)\n\n## There\n\nText.\n',
    'docs/en/next.md': '# Next page\n\n[Home](index.md)\n\n## Part\n\nText.\n',
    'docs/en/file.zip': 'zip',
    ...Object.fromEntries(MANY.map((name) => [`docs/en/${name}.md`, `# ${name}\n`])),
  });
  const site = createSite(t);
  await site.build(repository.folder, { title: 'Kettle' });
  return openFolderSite(site.out);
});

interface Served {
  readonly page: Page;
  readonly url: string;
  /** Requests that reached the server, the opened page's own left out: paths, with a mark where they came before a click. */
  readonly asked: string[];
}

async function open(
  t: ExecutionContext,
  options: {
    readonly script?: string;
    readonly policy?: string;
    readonly hasTouch?: boolean;
    readonly reducedMotion?: 'reduce' | 'no-preference';
  } = {},
): Promise<Served> {
  const files = await build();
  const { policy, ...context } = options;
  const asked: string[] = [];
  const app = new Koa();
  app.use((ctx, next) => {
    if (/(?:\/|\.html|\.zip)$/.test(ctx.path)) asked.push(`${ctx.path}${ctx.get('Sec-Purpose') && ' ahead'}`);
    if (policy) ctx.set('Content-Security-Policy', policy);
    return next();
  });
  const site = { files, basePath: '', languages: ['en'], isShared: false };
  app.use(createSiteServer({ findSite: () => site }).middleware);
  const listener = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => listener.once('listening', resolve));
  t.teardown(() => {
    listener.close();
    listener.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/en/latest/`;
  const page = await openPage(t, getBrowser(), { viewport: { width: 1280, height: 800 }, ...context });
  page.on('console', (message) => {
    if (message.type() === 'error' && !/favicon/.test(message.location().url)) failTest(t, message.text());
  });
  page.on('pageerror', (error) => failTest(t, String(error)));
  await page.goto(url, { waitUntil: 'load' });
  asked.length = 0;
  return { page, url, asked };
}

const link = (name: string): string => `main a >> text="${name}"`;

/** Follows what is focused or pointed at, and returns how the browser got the page. */
async function readDelivery(page: Page): Promise<string> {
  await page.waitForSelector('h1:has-text("Next page")');
  return page.evaluate(
    "(([{ deliveryType, transferSize }]) => [deliveryType, transferSize].join(' '))(performance.getEntriesByType('navigation'))",
  );
}

browserTest(
  'pages: one that a pointer rests on is requested before the click, which needs no other request',
  async (t) => {
    const { page, asked } = await open(t);
    await page.hover(link('Next'));
    await waitUntil(() => asked.length > 0);
    await waitInPage(
      page,
      "performance.getEntriesByType('resource').some(({ name, responseEnd }) => name.endsWith('/next.html') && responseEnd > 0)",
    );
    await page.click(link('Next'));
    t.is(await readDelivery(page), 'cache 0');
    t.deepEqual(asked, ['/en/latest/next.html ahead']);
  },
);

browserTest('pages: the keyboard and a finger request a page ahead, too', async (t) => {
  const { page, asked } = await open(t, { hasTouch: true });
  await page.focus(link('Next'));
  await waitUntil(() => asked.length > 0);
  t.deepEqual(asked.splice(0), ['/en/latest/next.html ahead']);
  await page.dispatchEvent('#_sidebar a[href$="many-1.html"]', 'pointerdown');
  await waitUntil(() => asked.length > 0);
  t.deepEqual(asked, ['/en/latest/many-1.html ahead']);
});

browserTest(
  'pages: nothing is requested ahead but pages of the site, one time each, and a dozen at most',
  async (t) => {
    const { page, asked } = await open(t);
    for (const name of ['Here', 'File', 'Elsewhere']) {
      await page.dispatchEvent(link(name), 'pointerdown');
    }
    await page.dispatchEvent('.site-header a', 'pointerdown');
    for (const name of MANY) {
      await page.dispatchEvent(`#_sidebar a[href$="${name}.html"]`, 'pointerdown');
      await page.dispatchEvent(`#_sidebar a[href$="${name}.html"]`, 'pointerdown');
    }
    await waitUntil(() => asked.length >= 12);
    await page.goto('about:blank');
    t.is(asked.length, 12);
    t.is(new Set(asked).size, 12);
    t.true(
      asked.every((path) => /^\/en\/latest\/many-\d+\.html ahead$/.test(path)),
      asked.join(' '),
    );
  },
);

for (const [name, script] of [
  ['save data', "Object.defineProperty(navigator, 'connection', { value: { saveData: true } });"],
  // Chromium knows the preference by name only.
  [
    'prefer little data',
    "const { matchMedia } = window; window.matchMedia = (query) => query === '(prefers-reduced-data: reduce)' ? { matches: true } : matchMedia.call(window, query);",
  ],
  ['have a browser without it', 'DOMTokenList.prototype.supports = () => false;'],
] as const) {
  browserTest(`pages: readers who ${name} request a page when they open it`, async (t) => {
    const { page, asked } = await open(t, { script });
    await page.dispatchEvent(link('Next'), 'pointerdown');
    await page.click(link('Next'));
    await page.waitForSelector('h1:has-text("Next page")');
    t.deepEqual(asked, ['/en/latest/next.html']);
  });
}

browserTest('pages: a pointer that only passes requests nothing', async (t) => {
  const { page, asked } = await open(t);
  await page.evaluate(`(() => {
    const [next] = [...document.querySelectorAll('main a')].filter((one) => one.textContent === 'Next');
    next.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
    next.parentElement.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
  })()`);
  await page.dispatchEvent(`#_sidebar a[href$="many-1.html"]`, 'pointerdown');
  await page.focus(`#_sidebar a[href$="many-2.html"]`);
  await waitUntil(() => asked.length >= 2);
  t.deepEqual(asked, ['/en/latest/many-1.html ahead', '/en/latest/many-2.html ahead']);
});

for (const policy of [
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'",
  "script-src 'self'; style-src 'self'",
  "default-src 'self'",
]) {
  browserTest(`pages: none requested ahead breaks the policy ${policy}`, async (t) => {
    const { page, asked } = await open(t, { policy });
    await page.hover(link('Next'));
    await waitUntil(() => asked.length > 0);
    await page.click(link('Next'));
    await page.waitForSelector('h1:has-text("Next page")');
    t.deepEqual(asked, ['/en/latest/next.html ahead']);
  });
}

browserTest(
  'pages: where a style sheet asks for it, they fade into each other, but not for readers who want no motion',
  async (t) => {
    for (const reducedMotion of ['no-preference', 'reduce'] as const) {
      const script =
        "addEventListener('pagereveal', ({ viewTransition }) => { window.fades = viewTransition !== null; });";
      const { page } = await open(t, { script, reducedMotion });
      await page.click(link('Next'));
      await page.waitForSelector('h1:has-text("Next page")');
      t.is(await page.evaluate('window.fades'), reducedMotion === 'no-preference');
    }
  },
);
