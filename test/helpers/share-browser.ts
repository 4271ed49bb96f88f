import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test, { type ExecutionContext } from 'ava';
import { type Browser, type BrowserContextOptions, chromium, type Page, type ViewportSize } from 'playwright-core';
import { testIf } from './test-if.ts';

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const hasBrowser = existsSync(executablePath);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Declares tests that need Chromium: without one they are skipped, and fail where `CI` is `true`. */
export const browserTest = testIf(hasBrowser, `needs Chromium: "${executablePath}" does not exist; set CHROMIUM_PATH`, {
  isRequiredInCi: true,
});

/**
 * Features that are off: Playwright's own, since only the last such list counts, and the two pages that Chromium loads in each
 * window for suggestions below its address bar, which nobody sees here and which take a second of CPU time.
 */
const DISABLED_FEATURES = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'PaintHolding', 'LensOverlay'],
  ...['HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable', 'AvoidCorsURLLoaderRestartOnRedirect', 'MediaRouter'],
  ...['ThirdPartyStoragePartitioning', 'TcpPortRandomizationWin', 'OptimizationHints', 'NetworkTimeServiceQuerying'],
  ...['AimEnabled', 'PreconnectToSearch', 'WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
];

/**
 * Sites share a renderer: otherwise each test, whose server is another site, starts one, and another in reserve. What a page
 * may read of others is up to their origins, not to processes.
 */
const ARGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  ...['--disable-site-isolation-trials', '--renderer-process-limit=1'],
  `--disable-features=${DISABLED_FEATURES.join(',')}`,
];

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
      browser = await chromium.launch({ executablePath, args: ARGS });
    });
    test.after.always(() => browser?.close());
  }
  return () => {
    if (!browser) throw new Error('The browser is open while tests run, and only in a `browserTest`');
    return browser;
  };
}

/** Longest wait for what a page must show: a busy machine takes seconds for it. Tests have a limit of their own. */
export const PATIENCE_MS = 120_000;

/** The rules of axe that depend on colours, of those that it applies unless told otherwise. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** The pages that were opened, by the options of their contexts. */
const pages = new Map<string, Page>();

/**
 * Opens a page for a test, which has one at a time of the same options: where a context was made with these it is the page of
 * that context again, emptied, since a context takes as much CPU time as most tests. `script` runs before those of each document.
 */
export async function openPage(
  t: ExecutionContext,
  browser: Browser,
  { viewport, script = '', ...options }: PageOptions,
): Promise<Page> {
  const key = JSON.stringify([options, script]);
  const known = pages.get(key);
  if (known && !known.isClosed()) {
    await empty(known);
    await known.emulateMedia({ media: null, colorScheme: options.colorScheme ?? 'light' });
    await known.setViewportSize(viewport);
    await known.bringToFront();
  }
  const page = known && !known.isClosed() ? known : await createPage();
  t.teardown(() => empty(page));
  return page;

  async function createPage(): Promise<Page> {
    const context = await browser.newContext({ viewport, ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    const created = await context.newPage();
    if (script !== '') await created.addInitScript(script);
    pages.set(key, created);
    return created;
  }
}

export interface PageOptions extends BrowserContextOptions {
  readonly viewport: ViewportSize;
  readonly script?: string;
}

/**
 * Leaves a page for an empty one: nobody listens to it or answers for others, it is alone in its context, without cookies and what
 * its document has stored, and the pointer is in the corner.
 */
async function empty(page: Page): Promise<void> {
  page.removeAllListeners();
  if (page.isClosed() || page.url() === 'about:blank') return;
  const context = page.context();
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.evaluate('try { localStorage.clear(); sessionStorage.clear(); } catch { /* The document has none. */ }');
  await page.mouse.move(0, 0);
  await page.goto('about:blank');
  await page.unrouteAll();
  await context.unrouteAll();
  await context.clearCookies();
}

/** Takes the header of a page out of sight, as scrolling does it on low windows; the nav button is there then. */
export async function hideHeader(page: Page): Promise<void> {
  await page.evaluate("document.querySelector('.site-header').style.display = 'none'");
  await page.locator('docbuild-button button').first().waitFor();
}

/** Returns what axe finds wrong with a page as it is now: a rule and the elements that break it. */
export function findViolations(page: Page): Promise<readonly string[]> {
  return runAxe(page, {});
}

/**
 * Returns what axe finds wrong with a page as it is now in light and in dark colours, by the preference of a system; stays light.
 * Rules that are not about colours look at light pages only.
 */
export async function findThemeViolations(page: Page): Promise<readonly string[]> {
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await runAxe(page, { runOnly: COLOUR_RULES });
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await runAxe(page, {});
  return [...dark.map((violation) => `dark: ${violation}`), ...light.map((violation) => `light: ${violation}`)];
}

async function runAxe(page: Page, options: { readonly runOnly?: readonly string[] }): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe);
  return page.evaluate(async (options) => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    // What passes is not described, which would take as long again.
    const { violations } = await axe.run({ resultTypes: ['violations'], ...options });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }, options);
}
