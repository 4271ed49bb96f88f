import { readFileSync } from 'node:fs';
import { packageFile } from '../lib/package-file.ts';

/** Returns the engine's version as keys of the cache use it: code, packages, and the Unicode data of this Node. */
export function readEngineVersion(): string {
  const { version } = JSON.parse(readFileSync(packageFile('dist/engine.json'), 'utf8')) as {
    version: string;
  };
  return `${version}/${process.versions.icu ?? ''}`;
}
