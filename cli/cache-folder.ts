import { join } from 'node:path';
import { findHomeFolder } from '../platform/config/home-folder.ts';

/** Returns the user's cache folder (XDG base directories); undefined for a user without a home folder. */
export function findCacheFolder(): string | undefined {
  const home = findHomeFolder();
  const folder = process.env.XDG_CACHE_HOME || (home && join(home, '.cache'));
  return folder && join(folder, 'docbuild');
}
