import { readdirSync } from 'node:fs';

/** Throws when a generator wrote fewer pages than it was given. */
export function expectHtmlFiles(folder: string, atLeast: number): void {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.html'));
  if (files.length < atLeast) throw new Error(`The peer wrote ${files.length} pages instead of ${atLeast}`);
}
