import { type BigIntStats, lstatSync } from 'node:fs';
import type { FileStamp } from './file-stamp.ts';
import { isAbsent } from './open-site-file.ts';
import type { SitePath } from './parse-site-path.ts';

/** What a path of a site leads to; `path` is that of the file. */
export type FoundFile =
  | { readonly kind: 'file'; readonly path: string; readonly stamp: FileStamp }
  /** The path is a folder's and lacks the final `/`. */
  | { readonly kind: 'folder' }
  /** There is no such folder, but a page of this name, which has no final `/`. */
  | { readonly kind: 'page' }
  | { readonly kind: 'missing' };

const MISSING: FoundFile = { kind: 'missing' };
const FOLDER: FoundFile = { kind: 'folder' };
const PAGE: FoundFile = { kind: 'page' };
const MAX_TRIES = 4;

/**
 * Finds the file for a path: itself, the page of this name without its `.html`, or the folder's `index.html`. Symbolic links
 * are not there. What seems missing is looked for again if the site was exchanged meanwhile.
 */
export function findSiteFile(folder: string, asked: SitePath): FoundFile {
  const found = find(folder, asked);
  if (found.kind !== 'missing') return found;
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const before = look(folder)?.ino;
    const again = find(folder, asked);
    if (again.kind !== 'missing' || look(folder)?.ino === before) return again;
  }
  return MISSING;
}

function find(folder: string, { path, isFolder }: SitePath): FoundFile {
  if (isFolder) {
    const index = findFile(folder, `${path}index.html`);
    if (index) return index;
    return path !== '/' && findFile(folder, `${path.slice(0, -1)}.html`) ? PAGE : MISSING;
  }
  const stats = look(folder + path);
  if (stats?.isFile()) return { kind: 'file', path, stamp: stats };
  const page = findFile(folder, `${path}.html`);
  if (page) return page;
  return stats?.isDirectory() && findFile(folder, `${path}/index.html`) ? FOLDER : MISSING;
}

function findFile(folder: string, path: string): FoundFile | undefined {
  const stamp = look(folder + path);
  return stamp?.isFile() ? { kind: 'file', path, stamp } : undefined;
}

/** Costs 3 µs, where the asynchronous way costs twenty and more; nginx blocks here, too. */
function look(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
