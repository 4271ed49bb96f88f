import { existsSync } from 'node:fs';
import { manifestPath, readMarker, stateFolder } from './site-manifest.ts';

/**
 * Tells whether a folder is a site as a build left it, from two small files: false for one that is missing, and for a copy,
 * which may have been made while a build changed it. Throws what the file system throws.
 */
export function isWholeSite(folder: string): boolean {
  const build = readMarker(folder);
  return build !== undefined && existsSync(manifestPath(stateFolder(folder), folder, build));
}
