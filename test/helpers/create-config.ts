import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { type ConfigFile, readConfigFile } from '../../builder/index.ts';
import { createFolder } from './create-repository.ts';

/** Returns a function that writes a configuration, always to the same file: the text of its list of extensions, and what stands above. */
export function createConfig(t: ExecutionContext): (extensions: string, head?: string) => ConfigFile {
  const path = join(createFolder(t), 'docbuild.config.mjs');
  return (extensions, head = '') => {
    writeFileSync(path, `${head}\nexport default { extensions: [${extensions}] };\n`);
    return readConfigFile(path);
  };
}
