import { type BigIntStats, lstatSync } from 'node:fs';
import { type FileStamp, isAbsent } from './site-files.ts';

/** A path inside a site, safe to append to its folder. */
export interface SitePath {
  /** Decoded; begins with `/`; no part is empty or begins with a dot, except `.well-known` as the first. */
  readonly path: string;
  /** Whether it ends with `/`, which requests a folder. */
  readonly isFolder: boolean;
}

/** Why a path leads nowhere, as HTTP status: malformed, not found, too long. */
type RefusedPath = 400 | 404 | 414;

const MAX_LENGTH = 4_096;
const PLAIN = /^\/(?:[\w~-][\w.~-]*\/)*(?:[\w~-][\w.~-]*)?$/;

/**
 * Parses a path as received. It is decoded once; malformed paths (invalid or overlong encoding, NUL, other control characters,
 * backslashes, encoded slashes, `.` and `..` in any encoding) are a 400, names that are never served a 404.
 */
export function parseSitePath(raw: string): SitePath | RefusedPath {
  if (raw.length > MAX_LENGTH) return 414;
  if (PLAIN.test(raw)) return { path: raw, isFolder: raw.endsWith('/') };
  const names = raw.split('/').slice(1);
  const decoded = names.map(decodeName);
  if (!raw.startsWith('/') || decoded.includes(undefined)) return 400;
  const isFolder = decoded.at(-1) === '';
  const parts = (isFolder ? decoded.slice(0, -1) : decoded) as readonly string[];
  const isServed = parts.every(
    (name, i) => name !== '' && (!name.startsWith('.') || (i === 0 && name === '.well-known')),
  );
  return isServed ? { path: `/${decoded.join('/')}`, isFolder } : 404;
}

/** Decodes a name; undefined for one that no honest client sends. */
function decodeName(raw: string): string | undefined {
  let name: string;
  try {
    // Bytes above ASCII that are received unencoded stand for themselves.
    name = decodeURIComponent(raw.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`));
  } catch {
    return undefined;
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it searches for them
  return name === '.' || name === '..' || /[\x00-\x1f\x7f/\\]/.test(name) ? undefined : name;
}

/** What a path of a site leads to; `path` is that of the file. */
type FoundFile =
  | { readonly kind: 'file'; readonly path: string; readonly stamp: FileStamp }
  /** The path of a folder without the final `/`. */
  | { readonly kind: 'folder' }
  /** The path of a page with a final `/`. */
  | { readonly kind: 'page' }
  | { readonly kind: 'missing' };

const MISSING: FoundFile = { kind: 'missing' };
const FOLDER: FoundFile = { kind: 'folder' };
const PAGE: FoundFile = { kind: 'page' };
const MAX_TRIES = 4;

/**
 * Finds the file for a path: the file itself, the page of this name without its `.html`, or the folder's `index.html`. Symbolic
 * links do not count. The search is repeated if the site was exchanged meanwhile.
 */
export function findSiteFile(folder: string, asked: SitePath): FoundFile {
  const found = findOnce(folder, asked);
  if (found.kind !== 'missing') return found;
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const before = look(folder)?.ino;
    const again = findOnce(folder, asked);
    if (again.kind !== 'missing' || look(folder)?.ino === before) return again;
  }
  return MISSING;
}

function findOnce(folder: string, { path, isFolder }: SitePath): FoundFile {
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

/** Takes 3 µs; the asynchronous call takes 20 and more. nginx blocks here, too. */
function look(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
