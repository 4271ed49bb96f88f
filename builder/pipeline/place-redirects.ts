import { judgeEntryName } from '../source/entry-name.ts';
import type { PathClaims } from './path-claims.ts';

/** A redirect as the author wrote it. */
export interface Redirect {
  readonly from: string;
  readonly to: string;
}

/** Redirects by the path of the file each becomes, and why others are left out. */
export interface PlacedRedirects {
  readonly redirects: ReadonlyMap<string, Redirect>;
  readonly problems: readonly string[];
}

/** Longest path in bytes, as for files. */
const MAX_PATH_BYTES = 700;

/** Places redirects where a path is free, and takes those paths. */
export function placeRedirects(redirects: Readonly<Record<string, string>>, claims: PathClaims): PlacedRedirects {
  const placed = new Map<string, Redirect>();
  const problems: string[] = [];
  for (const [from, to] of Object.entries(redirects)) {
    const output = redirectOutput(from);
    if (output === undefined) problems.push(`Redirect from "${from}" left out: no page can have that address`);
    else if (claims.claim(output)) placed.set(output, { from, to });
    else problems.push(`Redirect from "${from}" left out: that address is taken`);
  }
  return { redirects: placed, problems };
}

function redirectOutput(from: string): string | undefined {
  const path = from.replace(/^\/+/, '').replace(/\.(?:md|html?)$/i, '');
  const parts = path.split('/').slice(0, path.endsWith('/') ? -1 : undefined);
  if (parts.some((part) => judgeEntryName(part).verdict !== 'ok') || Buffer.byteLength(path) > MAX_PATH_BYTES)
    return undefined;
  return path === '' || path.endsWith('/') ? `${path}index.html` : `${path}.html`;
}
