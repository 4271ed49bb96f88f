import type { Target } from './parse-target.ts';

/** Alpha cuts what it is asked here: 38 Chinese characters, each of which counts as 2. */
const MAX_WIDTH = 76;

/**
 * Returns what Alpha is asked: the address, with readable characters where it is too long without, else
 * `site:<host> inurl:<path>`.
 */
export function alphaQueryText({ url }: Target): string {
  if (url.length <= MAX_WIDTH) return url;
  const readable = decode(url);
  if (widthOf(readable) <= MAX_WIDTH) return readable;
  const { hostname, pathname, search } = new URL(url);
  const path = pathname + search;
  return path === '/' ? `site:${hostname}` : `site:${hostname} inurl:${path}`;
}

function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += character < '\u{80}' ? 1 : 2;
  return width;
}

function decode(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url; // percent-encoded, but not as UTF-8
  }
}
