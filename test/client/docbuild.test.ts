import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import type { Page, ViewportSize } from 'playwright-core';
import { packageFile } from '../../lib/package-file.ts';
import { type ButtonServer, type ButtonServerOptions, serveButton } from '../helpers/serve-button.ts';
import { browserTest, findThemeViolations, findViolations, openPage, shareBrowser } from '../helpers/share-browser.ts';

const phone = { width: 390, height: 844 };
const install = '/en/v1.1/guide/install.html';
/** The notice of an old version: our pages above the header, foreign ones beside the button. */
const notice = '.version-notice a, docbuild-button nav > a';

const getBrowser = shareBrowser();

/** Messages of the browser and the page on the console, and exceptions; each test must end with none. */
const complaints: string[] = [];
test.afterEach((t) => t.deepEqual(complaints.splice(0), []));

interface Visit {
  readonly page: Page;
  readonly server: ButtonServer;
}

interface VisitOptions extends ButtonServerOptions {
  readonly viewport?: ViewportSize;
  /** Messages of the browser about failed requests are expected. */
  readonly fails?: boolean;
}

/** Notes breaches of the policy and how much moves. */
const NOTES = `
  window.breaches = [];
  document.addEventListener('securitypolicyviolation', (event) => breaches.push(event.violatedDirective));
  window.shift = 0;
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value; })
    .observe({ type: 'layout-shift', buffered: true });
`;

/** Opens a page that wants the button; a breach of the policy, an exception or a message on the console fails the test. */
async function visit(t: ExecutionContext, path: string, options: VisitOptions = {}): Promise<Visit> {
  const server = await serveButton(t, { asksForButton: true, ...options });
  const { viewport = { width: 1280, height: 800 } } = options;
  const page = await openPage(t, getBrowser(), { viewport, reducedMotion: 'reduce', script: NOTES });
  page.on('console', (message) => {
    const isBrowsers = options.fails && message.text().startsWith('Failed to load resource');
    if (!isBrowsers) complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(server.origin + path);
  return { page, server };
}

/** The types of the page that functions running in it need, which Node's do not have. */
interface Anchor {
  readonly hreflang: string;
  querySelector(selector: string): { readonly lang: string };
  getAttribute(name: string): string | null;
}
declare const getComputedStyle: (element: unknown) => Readonly<Record<string, string>>;

const toggle = 'docbuild-button button';
const link = (name: string): string => `docbuild-button li a:has-text("${name}")`;

async function open(page: Page): Promise<void> {
  await page.click(toggle);
  await page.waitForSelector('docbuild-button li a');
}

/** Returns the links of the panel as `text → path`, in order. */
async function listLinks(page: Page): Promise<readonly string[]> {
  return page.locator('docbuild-button li a').evaluateAll((links) =>
    links.map((found) => {
      const { textContent, href } = found as unknown as { textContent: string; href: string };
      const url = new URL(href);
      const path = url.host.startsWith('127.') ? url.pathname + url.search + url.hash : href;
      return `${textContent} | ${decodeURI(path)}`;
    }),
  );
}
const isOpen = (page: Page): Promise<boolean> => page.isVisible('docbuild-button nav > div');
/** Waits until an expression holds; the policy of the page keeps it from being evaluated by the page itself, again and again. */
async function until(page: Page, expression: string): Promise<void> {
  while (!(await page.evaluate(expression))) await page.waitForTimeout(20);
}

const untilClosed = (page: Page): Promise<unknown> =>
  page.waitForSelector('docbuild-button nav > div', { state: 'hidden' });
/** Returns the text of the element in the shadow root that has the focus; '' = it has not. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(
    '(() => { const e = document.activeElement?.shadowRoot?.activeElement; return e?.textContent || e?.ariaLabel || ""; })()',
  );

/** Returns the time after which nothing more is to be expected of an idle page. */
async function waitForIdle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.evaluate('new Promise((resolve) => requestIdleCallback(() => requestIdleCallback(resolve)))');
}

const text =
  (body: string, type = 'application/json') =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': type });
    response.end(body);
  };
const json = (body: unknown) => text(JSON.stringify(body));

test('docbuild.js is at most 4 KB with gzip', (t) => {
  const size = gzipSync(readFileSync(packageFile('dist/client/docbuild.js')), { level: 9 }).length;
  t.log(`${size} bytes`);
  t.true(size <= 4096, `${size} bytes`);
});

test('docbuild.js is read as UTF-8 whatever the page and the server say', (t) => {
  t.deepEqual([...readFileSync(packageFile('dist/client/docbuild.js')).subarray(0, 3)], [0xef, 0xbb, 0xbf]);
});

for (const kind of ['api', 'static'] as const) {
  browserTest(
    `docbuild: ${kind}: the panel leads to the same page or its nearest ancestor, with query and hash`,
    async (t) => {
      const visited = await visit(t, `${install}?x=1#code`, { kind });
      await open(visited.page);
      t.deepEqual(await listLinks(visited.page), [
        'English | /en/v1.1/guide/install.html?x=1#code',
        '中文（中国） | /zh_CN/v1.1/guide/install.html?x=1#code',
        'العربية not available | /ar/v1.1/guide/?x=1#code',
        'main | /en/main/guide/install.html?x=1#code',
        'feature/x not available | /en/feature-x/guide/?x=1#code',
        'latest → v2.0 | /en/latest/guide/install.html?x=1#code',
        'v2.0 | /en/v2.0/guide/install.html?x=1#code',
        'v1.1 | /en/v1.1/guide/install.html?x=1#code',
        'v1.0 not available | /en/v1.0/guide/?x=1#code',
        'https://github.example/team/demo | https://github.example/team/demo',
      ]);
      t.deepEqual(await visited.page.locator('docbuild-button [aria-current]').allTextContents(), ['English', 'v1.1']);
    },
  );

  browserTest(
    `docbuild: ${kind}: a visit learns once which version is the latest, and names it from then on`,
    async (t) => {
      const asked = kind === 'api' ? '/docbuild/desc/demo?path=/en%2Flatest%2Fguide%2Finstall.html' : '/versions.json';
      const visited = await visit(t, '/en/latest/guide/install.html', { kind });
      const { page, server } = visited;
      const version = '.site-header [data-version]';
      await until(page, `document.querySelector('${version}').textContent === 'v2.0'`);
      t.is(await page.textContent(toggle), 'latest · English');
      await open(page);
      await until(
        page,
        `document.querySelector('docbuild-button').shadowRoot.textContent.startsWith('v2.0 · English')`,
      );
      await page.click(toggle);
      await untilClosed(page);
      await open(page);
      t.deepEqual(server.asked, [asked]);
      t.is(await page.locator(notice).count(), 0);
      // Other pages know it before anything is requested.
      await page.goto(new URL('/zh_CN/latest/guide/install.html', page.url()).href);
      t.is(await page.textContent(version), 'v2.0');
      t.regex((await page.textContent(toggle))!, /^v2\.0 · /);
      await waitForIdle(page);
      t.deepEqual(server.asked, [asked]);
      // After a while it may be another one.
      await page.evaluate(`for (const key of Object.keys(sessionStorage))
        if (/ latest$/.test(key)) sessionStorage.setItem(key, JSON.stringify(['v1.9', Date.now() - 3e5]))`);
      await page.reload();
      await until(page, `document.querySelector('${version}').textContent === 'v2.0'`);
      t.is(server.asked.length, 2);
    },
  );

  browserTest(`docbuild: ${kind}: an old version says so, and leads to the newest copy of the page`, async (t) => {
    const visited = await visit(t, `${install}?x=1#top`, { kind });
    const { page, server } = visited;
    await page.waitForSelector(notice);
    t.is(await page.textContent('.version-notice'), 'You are reading v1.1. The newest version is v2.0.');
    t.is(await page.getAttribute(notice, 'href'), `${server.origin}/en/latest/guide/install.html?x=1#top`);
    await page.click('#jump');
    await until(page, `document.querySelector('.version-notice a').hash === '#code'`);
    t.is(await page.locator('docbuild-button nav > a').count(), 0, 'it is said once');
    t.is(server.asked.length, 1);
  });

  browserTest(`docbuild: ${kind}: a language whose code is not its tag is named, too`, async (t) => {
    const pages = new Map([['cn', ['index.html']]]);
    const versions = ['v2.0', 'v1.1'].map((name) => ({ name, kind: 'tag', slug: name, pages }) as const);
    const index = { languages: ['cn'], versions };
    const { page } = await visit(t, '/cn/v1.1/', { kind, lang: 'zh-CN', index });
    t.is(await page.textContent(toggle), 'v1.1 · 中文（中国）');
    await page.waitForSelector(notice);
    t.regex((await page.textContent('.version-notice'))!, /v1\.1.* v2\.0/);
    t.is(await page.textContent(toggle), 'v1.1 · 中文（中国）');
  });

  browserTest(`docbuild: ${kind}: a missing page counts by the path asked for`, async (t) => {
    const visited = await visit(t, '/en/v1.1/guide/nope/deeper.html', { kind });
    // Its own header does the same.
    t.false(await visited.page.isVisible(toggle));
    await visited.page.evaluate("document.querySelector('.site-header').remove()");
    await open(visited.page);
    const links = await listLinks(visited.page);
    t.true(links.includes('v2.0 not available | /en/v2.0/guide/'), links.join('\n'));
    t.true(links.includes('中文（中国） not available | /zh_CN/v1.1/guide/'), links.join('\n'));
    t.deepEqual(await findThemeViolations(visited.page), []);
  });

  browserTest(`docbuild: ${kind}: names with letters of all kinds are found and lead back`, async (t) => {
    const path = '/zh_CN/v1.1/gr%C3%B6%C3%9Fe%201%25.html';
    const visited = await visit(t, path, { kind, lang: 'zh-CN' });
    await open(visited.page);
    const href = await visited.page.getAttribute(link('v2.0'), 'href');
    t.is(href, `${visited.server.origin}/zh_CN/latest/gr%C3%B6%C3%9Fe%201%25.html`);
  });
}

browserTest('docbuild: static: a folder without file, a page without ending and the site root are found', async (t) => {
  for (const [path, expected] of [
    ['/en/v1.1/', '/en/main/'],
    ['/en/v1.1', '/en/main/'],
    ['/en/v1.1/guide/', '/en/main/guide/'],
    ['/en/v1.1/guide/install', '/en/main/guide/install.html'],
    ['/', '/en/main/'],
    ['/somewhere/else/entirely.html', '/en/main/'],
  ] as const) {
    const visited = await visit(t, path, { kind: 'static' });
    await open(visited.page);
    t.true((await listLinks(visited.page)).includes(`main | ${expected}`), path);
  }
});

browserTest('docbuild: static: a site with one version has its default language at the root', async (t) => {
  const pages = ['index.html', 'guide/install.html'];
  const main = {
    name: 'main',
    kind: 'branch',
    slug: 'main',
    pages: new Map([
      ['en', pages],
      ['de', pages],
    ]),
  } as const;
  const index = { single: true, latest: 'main', versions: [main], languages: ['en', 'de'] };
  for (const [path, lang, current] of [
    ['/guide/install.html', 'en', 'English'],
    ['/de/guide/install.html', 'de', 'Deutsch'],
  ] as const) {
    const visited = await visit(t, path, { kind: 'static', index, lang });
    await open(visited.page);
    const links = await listLinks(visited.page);
    t.deepEqual(links.slice(0, 2), ['English | /guide/install.html', 'Deutsch | /de/guide/install.html']);
    t.is(await visited.page.textContent('docbuild-button ul:first-child [aria-current]'), current);
  }
});

browserTest('docbuild: works by keyboard alone', async (t) => {
  const visited = await visit(t, install, { lang: 'en' });
  const { page } = visited;
  await page.focus('.pager a:last-child');
  for (let count = 0; count < 5 && (await focused(page)) === ''; count++) await page.keyboard.press('Tab');
  t.is(await focused(page), 'v1.1 · English');
  t.false(await isOpen(page));
  await page.keyboard.press('Enter');
  await page.waitForSelector('docbuild-button li a');
  t.is(await page.getAttribute(toggle, 'aria-expanded'), 'true');
  t.is(await focused(page), 'v1.1 · English');
  await page.keyboard.press('Space');
  await untilClosed(page);
  t.is(await page.getAttribute(toggle, 'aria-expanded'), 'false');
  await page.keyboard.press('Space');
  for (let count = 0; count < 3 && (await focused(page)) !== 'English'; count++) await page.keyboard.press('Tab');
  t.is(await focused(page), 'English');
  t.not(await page.evaluate('getComputedStyle(document.activeElement.shadowRoot.activeElement).outlineStyle'), 'none');
  await page.keyboard.press('Escape');
  await untilClosed(page);
  t.is(await focused(page), 'v1.1 · English');
});

browserTest('docbuild: closes when the focus leaves it, in both directions, and on a click beside it', async (t) => {
  const visited = await visit(t, '/en/latest/guide/install.html');
  const { page } = visited;
  await open(page);
  await page.keyboard.press('Shift+Tab');
  await untilClosed(page);
  await open(page);
  for (let count = 0; count < 20 && (await isOpen(page)); count++) await page.keyboard.press('Tab');
  t.false(await isOpen(page));
  await open(page);
  await page.mouse.click(300, 300);
  await untilClosed(page);
});

browserTest('docbuild: stays open when the panel itself is clicked', async (t) => {
  const visited = await visit(t, '/en/latest/guide/install.html');
  await open(visited.page);
  const box = (await visited.page.locator('docbuild-button nav > div').boundingBox())!;
  await visited.page.mouse.click(box.x + 3, box.y + 3);
  await visited.page.keyboard.press('Tab');
  t.true(await isOpen(visited.page));
});

browserTest('docbuild: does not open on hover', async (t) => {
  const visited = await visit(t, '/en/latest/guide/install.html');
  await visited.page.hover(toggle);
  await waitForIdle(visited.page);
  t.false(await isOpen(visited.page));
});

const many = Array.from({ length: 12 }, (_, place) => ({
  name: `v1.${11 - place}`,
  kind: 'tag' as const,
  slug: `v1.${11 - place}`,
  pages: new Map([['en', ['index.html']]]),
}));

browserTest('docbuild: above ten versions a box filters them, without leaving the page', async (t) => {
  const visited = await visit(t, '/en/latest/', {
    kind: 'static',
    index: { versions: many, latest: 'v1.11', languages: ['en'] },
  });
  const { page } = visited;
  await open(page);
  await page.getByRole('searchbox', { name: 'Branches, Tags' }).fill('V1.1');
  t.deepEqual(await page.locator('docbuild-button ul[aria-label="Tags"] a:visible').allTextContents(), [
    'latest → v1.11',
    'v1.11',
    'v1.10',
    'v1.1',
  ]);
  t.true(await page.isVisible(link('English')));
  await page.keyboard.press('Enter');
  t.is(new URL(page.url()).pathname, '/en/latest/');
  t.deepEqual(await findViolations(page), []);
});

browserTest('docbuild: ten versions need no filter', async (t) => {
  const index = { versions: many.slice(0, 9), latest: 'v1.11', languages: ['en'] };
  const visited = await visit(t, '/en/latest/', { kind: 'static', index });
  await open(visited.page);
  t.is(await visited.page.locator('docbuild-button input').count(), 0);
});

for (const [viewport, name] of [
  [phone, 'phone'],
  [{ width: 1280, height: 800 }, 'desktop'],
  [{ width: 640, height: 400 }, '200 %'],
] as const) {
  for (const lang of ['en', 'ar']) {
    browserTest(`docbuild: axe finds nothing, ${name}, ${lang}, light and dark, closed and open`, async (t) => {
      const visited = await visit(t, `/${lang}/v1.1/guide/`, { viewport, lang });
      const { page } = visited;
      await page.waitForSelector(notice);
      t.deepEqual(await findThemeViolations(page), [], 'closed');
      await open(page);
      t.deepEqual(await findThemeViolations(page), [], 'open');
    });
  }
}

browserTest('docbuild: on a phone the panel is a sheet at the bottom, and all targets have 44 pixels', async (t) => {
  const visited = await visit(t, install, { viewport: phone });
  const { page } = visited;
  await open(page);
  const panel = (await page.locator('docbuild-button nav > div').boundingBox())!;
  t.deepEqual([panel.x, panel.width, panel.y + panel.height], [0, phone.width, phone.height]);
  for (const target of await page.locator('docbuild-button :is(a, button)').all()) {
    const { height } = (await target.boundingBox())!;
    t.true(height >= 44, `${await target.textContent()}: ${height}`);
  }
  await page.click(toggle);
  await untilClosed(page);
});

browserTest('docbuild: needs no scrolling to the side at 320 pixels, and stays inside the window', async (t) => {
  const visited = await visit(t, install, { viewport: { width: 320, height: 256 } });
  const { page } = visited;
  await page.waitForSelector(notice);
  await open(page);
  t.true(Number(await page.evaluate('document.documentElement.scrollWidth')) <= 320);
  for (const part of ['button', 'nav > div']) {
    const box = (await page.locator(`docbuild-button ${part}`).boundingBox())!;
    t.true(box.x >= 0 && box.x + box.width <= 320 && box.y >= 0 && box.y + box.height <= 256, part);
  }
});

browserTest('docbuild: stands in the lower corner where lines end, and in the language of the page', async (t) => {
  for (const [lang, isRight] of [
    ['en', true],
    ['ar', false],
  ] as const) {
    const visited = await visit(t, `/${lang}/latest/guide/`, { lang });
    const box = (await visited.page.locator(toggle).boundingBox())!;
    t.is(box.x > 640, isRight);
    t.true(box.y > 700);
    await open(visited.page);
    if (lang === 'ar') {
      t.is(await visited.page.getAttribute(toggle, 'title'), 'اللغات والإصدارات');
      t.is(await visited.page.textContent(toggle), 'v2.0 · العربية');
      t.is(await visited.page.getAttribute('docbuild-button ul:first-child', 'aria-label'), 'اللغات');
    }
    const names = visited.page.locator('docbuild-button ul:first-child a');
    t.deepEqual(await names.evaluateAll((links) => links.map((found) => (found as unknown as Anchor).hreflang)), [
      'en',
      'zh-CN',
      'ar',
    ]);
    t.deepEqual(
      await names.evaluateAll((links) =>
        links.map((found) => {
          const name = (found as unknown as Anchor).querySelector('bdi');
          return `${name.lang},${getComputedStyle(name).direction}`;
        }),
      ),
      ['en,ltr', 'zh-CN,ltr', 'ar,rtl'],
    );
  }
});

browserTest('docbuild: place and colours follow the variables of the page', async (t) => {
  const visited = await visit(t, '/en/latest/');
  await visited.page.evaluate(`
    const { style } = document.documentElement;
    style.setProperty('--docbuild-background', 'rgb(1, 2, 3)');
    style.setProperty('--docbuild-color', 'rgb(4, 5, 6)');
    style.setProperty('--docbuild-bottom', '200px');
    style.setProperty('--docbuild-end', '100px');
  `);
  const box = (await visited.page.locator(toggle).boundingBox())!;
  t.is(box.y + box.height, 600);
  t.true(box.x + box.width <= 1180 && box.x + box.width >= 1150);
  t.deepEqual(
    await visited.page
      .locator(toggle)
      .evaluate((found) => [getComputedStyle(found).backgroundColor, getComputedStyle(found).color]),
    ['rgb(1, 2, 3)', 'rgb(4, 5, 6)'],
  );
});

browserTest('docbuild: is not printed', async (t) => {
  const visited = await visit(t, install);
  await visited.page.waitForSelector(notice);
  await visited.page.emulateMedia({ media: 'print' });
  t.false(await visited.page.isVisible(toggle));
  t.true(await visited.page.isVisible('.version-notice a'), 'paper becomes old as well');
  t.false(await visited.page.isVisible('.version-notice button'));
});

browserTest('docbuild: moves nothing on the page', async (t) => {
  const visited = await visit(t, install);
  await visited.page.waitForSelector(notice);
  await open(visited.page);
  // Fonts of the page itself may move it by a hair; what readers notice begins at 0.1.
  t.true(Number(await visited.page.evaluate('shift')) < 0.001);
});

browserTest('docbuild: foreign pages ask once when idle, by the address of the script', async (t) => {
  const visited = await visit(t, '/en/v1.0/guide/', { kind: 'foreign' });
  const { page, server } = visited;
  await page.waitForSelector(notice);
  await open(page);
  t.deepEqual(server.asked, ['/docbuild/desc/demo?path=/en%2Fv1.0%2Fguide%2F']);
  t.is(await page.getAttribute(link('main'), 'href'), `${server.origin}/en/main/guide/`);
  t.deepEqual(await findViolations(page), []);
});

browserTest('docbuild: foreign pages below /docs/name/ have their root there', async (t) => {
  const visited = await visit(t, '/docs/demo/en/v1.0/guide/', { kind: 'foreign' });
  await open(visited.page);
  t.deepEqual(visited.server.asked, ['/docbuild/desc/demo?path=/en%2Fv1.0%2Fguide%2F']);
  t.is(await visited.page.getAttribute(link('main'), 'href'), `${visited.server.origin}/docs/demo/en/main/guide/`);
});

browserTest('docbuild: styles of a foreign page do not reach it', async (t) => {
  const visited = await visit(t, '/en/latest/', { kind: 'foreign' });
  // The answer names version and language, which makes the button wider.
  await visited.page.locator(toggle).filter({ hasText: ' · ' }).waitFor();
  const before = await visited.page.locator(toggle).boundingBox();
  await visited.page.evaluate(`
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('html { font-size: 50% } body > *, docbuild-button { margin: 20px !important; display: inline-grid; transform: scale(2) !important; visibility: hidden; font-size: 40px; letter-spacing: 9px }');
    document.adoptedStyleSheets = [sheet];
  `);
  t.deepEqual(await visited.page.locator(toggle).boundingBox(), before);
  t.true(await visited.page.isVisible(toggle));
});

browserTest('docbuild: a page that becomes another without loading asks again', async (t) => {
  const visited = await visit(t, '/en/v1.0/guide/', { kind: 'foreign' });
  await visited.page.waitForSelector(notice);
  await visited.page.evaluate('history.pushState(null, "", "/en/latest/guide/install.html")');
  await visited.page.click(toggle);
  await visited.page.waitForSelector(`docbuild-button a[href$="/en/v1.1/guide/install.html"]`);
  t.is(visited.server.asked.length, 2);
  t.is(await visited.page.locator('docbuild-button nav > a').count(), 0);
});

browserTest('docbuild: two scripts on a page make one button and one request', async (t) => {
  const visited = await visit(t, '/en/v1.0/guide/', { kind: 'foreign', scripts: 2 });
  await visited.page.waitForSelector(notice);
  t.is(await visited.page.locator('docbuild-button').count(), 1);
  t.is(visited.server.asked.length, 1);
});

browserTest('docbuild: keeps to a strict policy, trusted types included', async (t) => {
  for (const kind of ['api', 'static', 'foreign'] as const) {
    const policy = "; require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'; object-src 'none'";
    const visited = await visit(t, install, { kind, policy });
    await visited.page.waitForSelector(notice);
    await open(visited.page);
    t.deepEqual(await visited.page.evaluate('breaches'), []);
    t.is(await visited.page.locator(toggle).evaluate((found) => getComputedStyle(found).borderRadius), '12px');
  }
});

browserTest('docbuild: leaves no globals', async (t) => {
  const visited = await visit(t, install);
  await visited.page.waitForSelector(notice);
  const added = await visited.page.evaluate(`(() => {
    const frame = document.body.appendChild(document.createElement('iframe'));
    const names = new Set(Object.getOwnPropertyNames(frame.contentWindow));
    return Object.getOwnPropertyNames(window).filter((name) => !names.has(name) && !/^(__|_?[0-9]|shift$|breaches$|_|top$|code$|jump$)/.test(name));
  })()`);
  t.deepEqual(added, []);
});

browserTest('docbuild: hideGit drops the git part', async (t) => {
  const visited = await visit(t, '/en/latest/', { kind: 'static', index: { gitUrl: undefined } });
  await open(visited.page);
  t.is(await visited.page.locator('docbuild-button ul[aria-label="Git"]').count(), 0);
});

browserTest('docbuild: showNav false removes the button', async (t) => {
  const answer = json({ success: true, data: { showNav: false, versions: {}, refs: {} } });
  const visited = await visit(t, install, { answer, kind: 'foreign' });
  await visited.page.waitForSelector('docbuild-button', { state: 'detached' });
  t.is(visited.server.asked.length, 1);
});

const words = 'Languages and versions: not available';
const huge = `{"success":true,"data":"${'x'.repeat(9_000_000)}"}`;
const failures: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'cut off': (response) => void response.destroy(),
  'with status 500': (response) => void response.writeHead(500).end('broken'),
  'as HTML': text('<!doctype html><p>Sign in', 'text/html'),
  'as garbage': text('\u0000{]'),
  'that is empty': text(''),
  'that says no': json({ success: false, message: 'No project "demo"' }),
  'that is null': json(null),
  'with data of other kinds': json({ success: true, data: { versions: { en: 7 }, refs: [], here: { lang: 'en' } } }),
  'without alternates': json({
    success: true,
    data: { versions: { en: ['main'] }, refs: {}, here: { lang: 'en', version: 'main' } },
  }),
  'that is huge': text(huge),
};
/** Cases that a static export reads by itself, where it locates pages; the rest is read by the code that reads the API's answer. */
const ownFailures = ['as HTML', 'with data of other kinds', 'without alternates'];
for (const [name, answer] of Object.entries(failures)) {
  browserTest(`docbuild: an answer ${name} is said in words when the panel is opened, else not at all`, async (t) => {
    for (const kind of ownFailures.includes(name) ? (['api', 'static'] as const) : (['api'] as const)) {
      const visited = await visit(t, install, { kind, answer, fails: true });
      const { page, server } = visited;
      await waitForIdle(page);
      t.is(await page.locator('docbuild-button nav > a').count(), 0);
      await page.click(toggle);
      await until(
        page,
        `document.querySelector('docbuild-button').shadowRoot.querySelector('nav > div').textContent === '${words}'`,
      );
      // Opening it again asks again, unless there was an answer; the first opening may share what the idle page has asked.
      await page.keyboard.press('Escape');
      await page.click(toggle);
      if (/other kinds|without/.test(name)) t.is(server.asked.length, 1);
      else while (server.asked.length < 2) await page.waitForTimeout(20);
    }
  });
}

browserTest('docbuild: after an outage it asks again when it is opened again', async (t) => {
  for (const kind of ['api', 'static', 'foreign'] as const) {
    let isDown = true;
    const versions = { en: ['main'] };
    const data = { versions, refs: { main: { kind: 'branch', slug: 'main' } }, latest: 'main' };
    const answer = (response: ServerResponse): void =>
      isDown ? void response.writeHead(503).end('down') : json(kind === 'static' ? data : { data })(response);
    const { page } = await visit(t, '/en/latest/', { kind, answer, fails: true });
    await page.click(toggle);
    await until(
      page,
      `document.querySelector('docbuild-button').shadowRoot.querySelector('nav > div').textContent === '${words}'`,
    );
    // Foreign pages have asked before, and what was asked during the outage must have failed.
    await page.waitForLoadState('networkidle');
    await page.keyboard.press('Escape');
    isDown = false;
    await open(page);
    t.true(await page.isVisible(link('main')), kind);
  }
});

browserTest('docbuild: a slow answer leaves the button working, and is shown when it comes', async (t) => {
  let release: (() => void) | undefined;
  const versions = { en: ['main'] };
  const data = { versions, refs: { main: { kind: 'branch', slug: 'main' } }, latest: 'main', here: null };
  const visited = await visit(t, '/en/latest/', {
    answer: (response) => {
      release = () => json({ success: true, data })(response);
    },
  });
  const { page } = visited;
  await page.click(toggle);
  while (!release) await page.evaluate('new Promise(requestAnimationFrame)');
  t.true(await isOpen(page));
  await page.keyboard.press('Escape');
  await untilClosed(page);
  await page.click(toggle);
  release();
  await page.waitForSelector(link('main'));
  t.is(visited.server.asked.length, 1);
});

browserTest('docbuild: hostile strings stay text and lead nowhere else', async (t) => {
  const evil = '"><img src=x onerror=alert(1)>';
  const names = ['latest', evil, '__proto__', 'constructor', 'toString'];
  const urls = [
    'javascript:alert(1)',
    '//evil.example/',
    'https://evil.example/',
    '../../..//evil.example/',
    '\\\\evil.example\\x',
  ];
  const alternates = names.map((version, index) => ({ lang: 'en', version, url: urls[index], exists: true }));
  const refs = JSON.parse(`{"__proto__":{"kind":"tag","slug":"p"},"constructor":{"kind":"branch","slug":"c"}}`);
  const data = {
    versions: { en: names },
    refs,
    latest: evil,
    url: 'javascript:alert(2)',
    here: { lang: 'en', version: 'latest', path: '', alternates },
  };
  const visited = await visit(t, install, { answer: json({ success: true, data }) });
  const { page, server } = visited;
  await open(page);
  t.is(await page.locator('docbuild-button img').count(), 0);
  const hrefs = await page
    .locator('docbuild-button a')
    .evaluateAll((links) => links.map((found) => (found as unknown as Anchor).getAttribute('href')));
  for (const href of hrefs) t.true(href === null || href.startsWith(`${server.origin}/`), `${href}`);
  t.deepEqual(await page.locator('docbuild-button ul[aria-label="Tags"] a').allTextContents(), ['__proto__']);
  t.deepEqual(await page.evaluate('breaches'), []);
});

browserTest('docbuild: an answer without places leads to the homes of versions', async (t) => {
  const data = {
    versions: { en: ['latest', 'feature/x', 'v1'] },
    refs: { 'feature/x': { kind: 'branch', slug: 'feature-x' }, v1: { kind: 'tag', slug: 'v1' } },
    latest: 'v1',
    single: false,
    url: 'https://git.example/a/b',
  };
  const visited = await visit(t, '/any/page.html', { kind: 'foreign', answer: json({ success: true, data }) });
  await open(visited.page);
  t.deepEqual(await listLinks(visited.page), [
    'English | /en/latest/',
    'feature/x | /en/feature-x/',
    'latest → v1 | /en/latest/',
    'v1 | /en/v1/',
    'https://git.example/a/b | https://git.example/a/b',
  ]);
});

browserTest(
  'docbuild: a script without attributes, or with one that is no address, adds nothing and says nothing',
  async (t) => {
    for (const attributes of ['', 'data-project=""', 'data-site="http://["', 'data-site="/" data-api="http://["']) {
      const body = `<script src="/docbuild/assets/docbuild.js" ${attributes}></script><p id="end">end</p>`;
      const visited = await visit(t, '/en/latest/', { kind: 'foreign', scripts: 0, body });
      await waitForIdle(visited.page);
      t.is(await visited.page.locator('docbuild-button').count(), 0, attributes);
      t.deepEqual(visited.server.asked, []);
    }
  },
);

browserTest('docbuild: every language of the table is whole, others get English', async (t) => {
  for (const lang of ['en', 'zh-CN', 'es', 'fr', 'de', 'ja', 'ko', 'pt-BR', 'ru', 'fa', 'ar', 'nl', 'constructor']) {
    const visited = await visit(t, '/en/v1.1/guide/', {
      lang,
      kind: 'foreign',
      index: { gitUrl: 'https://git.example/a' },
    });
    await visited.page.waitForSelector(notice);
    await open(visited.page);
    t.regex((await visited.page.textContent(notice))!, /^\S.* v1\.1; \S.* v2\.0/, lang);
    const label = await visited.page.getAttribute(toggle, 'title');
    t.is(label === 'Languages and versions', /^(?:en|nl|constructor)$/.test(lang), lang);
    t.true((await visited.page.textContent('docbuild-button ul[aria-label="Git"] a'))!.trim().length > 0, lang);
  }
});
