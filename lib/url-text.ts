import { domainToUnicode } from 'node:url';
import { trimCharacters } from './trim-characters.ts';

/** Checks whether a text begins like an absolute web URL: `http://` or `https://`, in any case. */
export function isWebUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** Checks whether a URL leads to another site from wherever it stands: it has a scheme, or begins with `//`. */
export function isAbsoluteUrl(url: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(url);
}

/** Returns the host of a URL for comparison: lower case, without port, brackets of IPv6 and the final dot of a name. */
export function hostOf({ hostname }: URL): string {
  return trimCharacters(hostname.replace(/^\[(.*)\]$/, '$1'), '.');
}

/** Returns a host, or that of a URL, in its own letters; '' unless it is in punycode. */
export function readableHost(text: string): string {
  const host = isWebUrl(text) && URL.canParse(text) ? hostOf(new URL(text)) : text;
  const readable = /^(?:[^/]*\.)?xn--/.test(host) ? domainToUnicode(host) : '';
  // A host that is no punycode after all comes back as it is, or as nothing, by version of Node.js.
  return readable === host ? '' : readable;
}

/** Percent-encodes each segment of a path; slashes remain. */
export function encodePath(path: string): string {
  // As most paths are.
  if (/^[\w.~!*'()/-]*$/.test(path)) return path;
  return path.split('/').map(encodeURIComponent).join('/');
}

/** Returns where the segment of a path ends that begins at `start`: at the next slash, or with the path. */
export function endOfSegment(path: string, start: number): number {
  const end = path.indexOf('/', start);
  return end < 0 ? path.length : end;
}

/** Returns an address of a site that is one page, as Docsify makes them, as one of pages: `#/guide?id=install` → `/guide#install`. */
export function unfoldHashRoute(url: string): string {
  const route = url.replace(/^#(?=\/)/, '');
  const [, path, query = ''] = /^([^?#]*)\?([^#]*)$/.exec(route) ?? [];
  const id = /(?:^|&)id=([^&]*)/.exec(query)?.[1];
  return id === undefined ? route : `${path}#${id}`;
}
