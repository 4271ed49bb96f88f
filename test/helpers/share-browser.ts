import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ExecutionContext } from 'ava';
import { type Browser, type BrowserContextOptions, chromium, type Page, type ViewportSize } from 'playwright-core';
import test from './serial-test.ts';
import { testIf } from './test-if.ts';

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const hasBrowser = existsSync(executablePath);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Declares tests that need Chromium: without one they are skipped, and fail where `CI` is `true`. */
export const browserTest = testIf(hasBrowser, `needs Chromium: "${executablePath}" does not exist; set CHROMIUM_PATH`, {
  isRequiredInCi: true,
});

let browser: Browser | undefined;
let isShared = false;

/**
 * Launches one headless Chromium for the tests of a process, the one at `CHROMIUM_PATH` or the system's, and closes it after
 * them. Returns a function that returns it inside of tests; each opens pages or contexts of its own.
 */
export function shareBrowser(): () => Browser {
  if (hasBrowser && !isShared) {
    isShared = true;
    test.before(async () => {
      browser = await chromium.launch({
        executablePath,
        args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
      });
    });
    test.after.always(() => browser?.close());
  }
  return () => {
    if (!browser) throw new Error('The browser is open while tests run, and only in a `browserTest`');
    return browser;
  };
}

/** The page that was opened last, and the options of its context. */
let last: { readonly page: Page; readonly key: string } | undefined;

/**
 * Opens a page for a test, which has one at a time: where the context of the last one was made with the same options it is
 * that page again, emptied, since a context costs more than most tests. `script` runs before those of each document.
 */
export async function openPage(
  t: ExecutionContext,
  browser: Browser,
  { viewport, script = '', ...options }: PageOptions,
): Promise<Page> {
  const key = JSON.stringify([options, script]);
  if (last?.key === key) {
    await empty(last.page);
    await last.page.emulateMedia({ media: null, colorScheme: options.colorScheme ?? 'light' });
    await last.page.setViewportSize(viewport);
  } else {
    await last?.page.context().close();
    const context = await browser.newContext({ viewport, ...options });
    last = { page: await context.newPage(), key };
    if (script !== '') await last.page.addInitScript(script);
  }
  const { page } = last;
  t.teardown(() => empty(page));
  return page;
}

interface PageOptions extends BrowserContextOptions {
  readonly viewport: ViewportSize;
  readonly script?: string;
}

/** Leaves a page for an empty one; nobody listens to it, its storage is empty, and the pointer is in the corner. */
async function empty(page: Page): Promise<void> {
  page.removeAllListeners();
  if (page.isClosed() || page.url() === 'about:blank') return;
  await page.evaluate('try { localStorage.clear(); sessionStorage.clear(); } catch { /* The document has none. */ }');
  await page.mouse.move(0, 0);
  await page.goto('about:blank');
}

/** Returns what axe finds wrong with a page as it is now: a rule and the elements that break it. */
export async function findViolations(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    // What passes is not described, which would take as long again.
    const { violations } = await axe.run({ resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  });
}

/** Returns what axe finds wrong with a page as it is now in light and in dark colours, by the preference of a system; stays light. */
export async function findThemeViolations(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await findViolations(page)).map((violation) => `${colorScheme}: ${violation}`));
  }
  return found;
}
