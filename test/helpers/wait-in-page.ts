import type { Page } from 'playwright-core';
import { waitUntil } from './wait-until.ts';

/**
 * Waits until an expression is true in a page. `page.waitForFunction` evaluates it by a script of the page, which a
 * Content-Security-Policy forbids from the second time on.
 */
export async function waitInPage(page: Page, expression: string): Promise<void> {
  await waitUntil(async () => {
    try {
      return Boolean(await page.evaluate(expression));
    } catch (error) {
      // The page has gone to another one meanwhile.
      if (/Execution context was destroyed|Cannot find context/.test(String(error))) return false;
      throw error;
    }
  });
}
