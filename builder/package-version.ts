import { readFileSync } from 'node:fs';
import { packageFile } from './package-file.ts';

/** Returns docbuild's own version from its package.json. */
export function readPackageVersion(): string {
  const text = readFileSync(packageFile('package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
