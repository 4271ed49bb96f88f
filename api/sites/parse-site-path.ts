/** A path inside a site, fit to be appended to its folder. */
export interface SitePath {
  /** Decoded; begins with `/`; no part is empty, `.` or `..`, or begins with a dot, save `.well-known` as the first. */
  readonly path: string;
  /** Ends with `/`: asks for a folder. */
  readonly isFolder: boolean;
}

/** Why a path leads nowhere, as HTTP status: malformed, not there, too long. */
export type RefusedPath = 400 | 404 | 414;

const MAX_LENGTH = 4_096;
const PLAIN = /^\/(?:[\w~-][\w.~-]*\/)*(?:[\w~-][\w.~-]*)?$/;

/**
 * Reads a path as it came in. It is decoded once; what is malformed (broken or overlong encoding, NUL, other control
 * characters, backslashes, encoded slashes, `.` and `..` in any encoding) gives 400, names that are never served 404.
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

/** Returns the name, or undefined for one that no honest client sends. */
function decodeName(raw: string): string | undefined {
  let name: string;
  try {
    // Bytes above ASCII that came in as they are stand for themselves.
    name = decodeURIComponent(raw.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`));
  } catch {
    return undefined;
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return name === '.' || name === '..' || /[\x00-\x1f\x7f/\\]/.test(name) ? undefined : name;
}

/** Returns the path in the encoding of URLs. */
export function encodeSitePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
