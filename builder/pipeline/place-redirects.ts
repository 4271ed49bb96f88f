import type { PathClaims } from './path-claims.ts';

/** A redirect as the author wrote it. */
export interface Redirect {
  readonly from: string;
  readonly to: string;
}

/** Longest part of a path and longest path in bytes, as for files. */
const MAX_NAME_BYTES = 240;
const MAX_PATH_BYTES = 700;

/** Gives redirects by the path of the file each becomes, where that is free; takes those paths. */
export function placeRedirects(
  redirects: Readonly<Record<string, string>>,
  claims: PathClaims,
): ReadonlyMap<string, Redirect> {
  const placed = new Map<string, Redirect>();
  for (const [from, to] of Object.entries(redirects)) {
    const output = redirectOutput(from);
    if (output !== undefined && claims.claim(output)) placed.set(output, { from, to });
  }
  return placed;
}

function redirectOutput(from: string): string | undefined {
  const path = from.replace(/^\/+/, '').replace(/\.(?:md|html?)$/i, '');
  const parts = path.split('/').slice(0, path.endsWith('/') ? -1 : undefined);
  if (parts.some(isImpossible) || Buffer.byteLength(path) > MAX_PATH_BYTES) return undefined;
  return path === '' || path.endsWith('/') ? `${path}index.html` : `${path}.html`;
}

function isImpossible(part: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return /^\.{0,2}$|[\\\u0000-\u001F]/.test(part) || Buffer.byteLength(part) > MAX_NAME_BYTES;
}
