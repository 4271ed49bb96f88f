import { readFileSync } from 'node:fs';

/** Gives docbuild's own version from its package.json. */
export function readPackageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
