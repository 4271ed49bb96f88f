import type { SitePath } from './site-storage.ts';

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
