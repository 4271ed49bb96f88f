import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { findHomeFolder } from '../platform/config/home-folder.ts';

/** Returns the user's cache folder (XDG base directories); undefined for a user without a home folder. */
export function findCacheFolder(): string | undefined {
  const home = findHomeFolder();
  const folder = process.env.XDG_CACHE_HOME || (home && join(home, '.cache'));
  return folder && join(folder, 'docbuild');
}

/** One release of docbuild leaves some 60 files, 2 MB, for each version of Node.js. */
const MAX_CODE_FILES = 500;

/**
 * Makes Node.js 22 and later keep compiled code for the next process, which saves up to an eighth of the time of a small build. A folder
 * with too many files, left by earlier releases, is emptied. Code in a folder that belongs to another user is not trusted.
 */
export function keepCompiledCode(): void {
  const { enableCompileCache } = module as { readonly enableCompileCache?: (folder: string) => unknown };
  const cacheFolder = findCacheFolder();
  if (!enableCompileCache || cacheFolder === undefined) return;
  const folder = join(cacheFolder, 'code');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (statSync(folder).uid !== process.getuid?.()) return;
    if (readdirSync(folder, { recursive: true }).length > MAX_CODE_FILES)
      rmSync(folder, { recursive: true, force: true });
  } catch {
    return;
  }
  enableCompileCache(folder);
}
