import { isAbsolute, join } from 'node:path';
import { findHomeFolder } from '../platform/config/home-folder.ts';

/**
 * Returns the user's cache folder (XDG base directories, by which a relative path counts for nothing); undefined for a user without
 * a home folder.
 */
export function findCacheFolder(): string | undefined {
  const { XDG_CACHE_HOME = '' } = process.env;
  const home = findHomeFolder();
  const folder = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : home && join(home, '.cache');
  return folder && join(folder, 'docbuild');
}
