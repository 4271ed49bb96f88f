import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
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

/** Returns what axe finds wrong with a page as it is now: a rule and the elements that break it. */
export async function findViolations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  });
}
