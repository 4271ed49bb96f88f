import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** Scenes: what a reader does, and for how long its result is shown, ms. */
const SCENES: readonly (readonly [act: (page: Page) => Promise<unknown>, ms: number])[] = [
  [(page) => page.waitForLoadState('networkidle'), 1_500],
  [(page) => page.locator('.switches summary').first().click(), 1_200],
  [(page) => page.getByRole('link', { name: 'v2.0' }).first().hover(), 600],
  [(page) => page.getByRole('link', { name: 'v2.0' }).first().click(), 1_600],
  [(page) => page.locator('.switches summary').first().click(), 900],
  [
    (page) =>
      page
        .getByRole('link', { name: /compare/i })
        .first()
        .click(),
    400,
  ],
  [(page) => page.locator('ins').first().waitFor(), 2_600],
  [(page) => page.keyboard.press('/'), 500],
  [(page) => page.keyboard.type('level fl'), 1_800],
  [(page) => page.keyboard.press('Enter'), 2_200],
];

/** Writes an animated WebP of a reader at work; needs `img2webp` (Debian: `webp`). */
export async function recordAnimation(page: Page, path: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'docbuild-animation-'));
  try {
    const frames: string[] = [];
    for (const [number, [act, ms]] of SCENES.entries()) {
      await act(page);
      await page.waitForLoadState('networkidle');
      await page.waitForTimeout(250);
      const frame = join(folder, `${number}.png`);
      await page.screenshot({ path: frame, caret: 'hide' });
      frames.push('-lossy', '-q', '70', '-d', `${ms}`, frame);
    }
    execFileSync('img2webp', ['-loop', '0', ...frames, '-o', path], { stdio: 'ignore' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
