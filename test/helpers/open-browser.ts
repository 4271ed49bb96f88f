import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/**
 * Opens a headless Chromium, the one at `CHROMIUM_PATH`, else the system's; the caller closes it. Where there is none,
 * it throws if `CI` is `true`; elsewhere one line says so and undefined is given: the tests then pass unseen.
 */
export async function openBrowser(): Promise<Browser | undefined> {
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  if (existsSync(executablePath)) {
    return chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
  }
  const message = `Browser tests need Chromium: "${executablePath}" does not exist (set CHROMIUM_PATH)`;
  if (process.env.CI === 'true') throw new Error(message);
  console.warn(`SKIPPED ${message}`);
  return undefined;
}
