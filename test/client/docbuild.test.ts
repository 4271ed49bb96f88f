import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { packageFile } from '../../builder/package-file.ts';
import { openBrowser } from '../helpers/open-browser.ts';
import { type ButtonServer, type ButtonServerOptions, serveButton } from '../helpers/serve-button.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const phone = { width: 390, height: 844 };
const install = '/en/v1.1/guide/install.html';

let browser: Browser | undefined;
test.before(async () => {
  browser = await openBrowser();
});
test.after.always(() => browser?.close());

interface Visit {
  readonly page: Page;
  readonly server: ButtonServer;
}

interface VisitOptions extends ButtonServerOptions, BrowserContextOptions {
  /** Messages of the browser about failed requests are expected. */
  readonly fails?: boolean;
}

/** Opens a page with the button; a breach of the policy, an exception or a message on the console fails the test. */
async function visit(t: ExecutionContext, path: string, options: VisitOptions = {}): Promise<Visit | undefined> {
  if (browser === undefined) {
    t.pass();
    return undefined;
  }
  const server = await serveButton(t, options);
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    bypassCSP: false,
    ...options,
  });
  t.teardown(() => context.close());
  const page = await context.newPage();
  page.on('console', (message) => {
    const isBrowsers = options.fails && message.text().startsWith('Failed to load resource');
    if (!isBrowsers) t.fail(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => t.fail(String(error)));
  await page.addInitScript(`
    window.breaches = [];
    document.addEventListener('securitypolicyviolation', (event) => breaches.push(event.violatedDirective));
    window.shift = 0;
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.shift += entry.value; })
      .observe({ type: 'layout-shift', buffered: true });
  `);
  t.teardown(() => undefined);
  await page.goto(server.origin + path);
  return { page, server };
}

const toggle = 'docbuild-button button';
const link = (name: string): string => `docbuild-button li a:has-text("${name}")`;

async function open(page: Page): Promise<void> {
  await page.click(toggle);
  await page.waitForSelector('docbuild-button li a');
}

/** Gives the links of the panel as `text → path`, in order. */
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
const focusIsIn = (page: Page): Promise<boolean> =>
  page.evaluate('document.activeElement?.localName === "docbuild-button"');
const isOpen = (page: Page): Promise<string | null> => page.getAttribute(toggle, 'aria-expanded');

test('docbuild.js is at most 4 KB with gzip', (t) => {
  const size = gzipSync(readFileSync(packageFile('dist/client/docbuild.js')), { level: 9 }).length;
  t.log(`${size} bytes`);
  t.true(size <= 4096, `${size} bytes`);
});

for (const kind of ['api', 'static'] as const) {
  test.serial(
    `docbuild: ${kind}: the panel leads to the same page, or its nearest ancestor, with query and hash`,
    async (t) => {
      const visited = await visit(t, `${install}?q=1#code`, { kind });
      if (!visited) return;
      await open(visited.page);
      t.deepEqual(await listLinks(visited.page), [
        'English | /en/v1.1/guide/install.html?q=1#code',
        '中文（中国） | /zh_CN/v1.1/guide/install.html?q=1#code',
        'العربية not available | /ar/v1.1/guide/?q=1#code',
        'main | /en/main/guide/install.html?q=1#code',
        'feature/x not available | /en/feature-x/guide/?q=1#code',
        'latest → v2.0 | /en/latest/guide/install.html?q=1#code',
        'v2.0 | /en/v2.0/guide/install.html?q=1#code',
        'v1.1 | /en/v1.1/guide/install.html?q=1#code',
        'v1.0 not available | /en/v1.0/guide/?q=1#code',
        'View source | https://example.test/edit/guide/install.md',
        'https://github.example/team/demo | https://github.example/team/demo',
      ]);
    },
  );
}
