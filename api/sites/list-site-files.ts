import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type FileStamp, formatStamp } from './file-stamp.ts';
import { isAbsent } from './open-site-file.ts';

/** A content of a site, at one of its places. */
export interface ListedFile {
  /** Begins with `/`. */
  readonly path: string;
  readonly stamp: FileStamp;
}

/** Files looked at before others get their turn: about 3 ms. */
const AT_ONCE = 500;

/**
 * Lists the regular files that a site serves and `accepts` by their path, each content once, by stamp. Symbolic links are
 * not followed; what goes away meanwhile is left out.
 */
export async function listSiteFiles(
  folder: string,
  accepts: (path: string) => boolean,
): Promise<ReadonlyMap<string, ListedFile>> {
  const files = new Map<string, ListedFile>();
  const folders = [''];
  let count = 0;
  for (const parent of folders) {
    for (const entry of readFolder(folder + parent)) {
      if (++count % AT_ONCE === 0) await nextTurn();
      if (entry.name.startsWith('.') && (parent !== '' || entry.name !== '.well-known')) continue;
      const path = `${parent}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      if (!entry.isFile() || !accepts(path)) continue;
      const stamp = lstatSync(folder + path, { bigint: true, throwIfNoEntry: false });
      if (stamp?.isFile()) files.set(formatStamp(stamp), { path, stamp });
    }
  }
  return files;
}

function readFolder(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}
