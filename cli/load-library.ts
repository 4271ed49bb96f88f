import { join } from 'node:path';
import { loadWithCodeCache } from './code-cache.ts';
import type * as library from './library.ts';

// `dist/index.js`, what `import 'docbuild'` loads, is this file: the engine is that of the command, in `dist/command/`. No compiled code
// is kept: a program that imports a package does not expect files in its user's cache folder by that alone.
const path = join(import.meta.dirname, 'command', 'library.cjs');
export const { BuildError, buildSite, formatProblem, inspectRepository } = loadWithCodeCache(
  path,
  undefined,
) as typeof library;
