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

/** Files of compiled code that are kept; a release of docbuild has some 60 for each version of Node.js, 2 MB. */
const MAX_CODE_FILES = 500;

/**
 * Lets Node.js 22 and later keep what they compile, which takes an eighth of the time of a small build. Where many releases have
 * left theirs, all is removed. Code from a folder of another user is not trusted. Without such a folder nothing is kept.
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
