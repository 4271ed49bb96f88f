import { decodeHTMLAttribute } from 'entities';
import { hostOf } from '../../../lib/url-text.ts';
import { FETCHED_RELATIONS, type Mark } from './open-addresses.ts';
import { scanTag } from './scan-tag.ts';

/** What replaces the URL of a style sheet or font that may not be loaded: nothing is asked for it. */
export const NO_RESOURCE = 'data:,';

/** Relations of `<link>` that make a browser connect to a host without fetching a file. */
const CONNECTING = ['preconnect', 'dns-prefetch', 'prerender'];

/**
 * Returns the host that a browser would ask for a URL, unless it is allowed. `allowed` are names, `*.example.com` for all
 * below one, or `*`. Undefined for URLs of the site itself.
 */
export function findForeignHost(url: string, allowed: readonly string[]): string | undefined {
  // Browsers drop line breaks and tabs, and take `\` for `/`.
  const clean = url
    .trim()
    .replace(/[\t\n\r]/g, '')
    .replaceAll('\\', '/');
  const address = clean.startsWith('//') ? `https:${clean}` : clean;
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return undefined;
  const host = hostOf(new URL(address));
  const isAllowed = allowed.some(
    (name) => name === '*' || name === host || (name.startsWith('*.') && host.endsWith(name.slice(1))),
  );
  return isAllowed ? undefined : host;
}

/** Returns the host that a `<script>` or `<link>` would ask for something it is not allowed to; undefined for other tags. */
export function findForeignHostOfTag(html: string, allowed: readonly string[]): string | undefined {
  const tag = scanTag(html, 0, html.length);
  if (typeof tag !== 'object') return undefined;
  const attributeOf = (name: string): string =>
    decodeHTMLAttribute(tag.attributes.find((attribute) => attribute.name.toLowerCase() === name)?.value ?? '');
  const name = tag.name.toLowerCase();
  if (name === 'link') {
    const relations = attributeOf('rel').toLowerCase().trim().split(/\s+/);
    const asks = relations.some((word) => FETCHED_RELATIONS.has(word) || CONNECTING.includes(word));
    return asks ? findForeignHost(attributeOf('href'), allowed) : undefined;
  }
  if (name !== 'script') return undefined;
  const hosts = ['src', 'href', 'xlink:href'].map((key) => findForeignHost(attributeOf(key), allowed));
  return hosts.find((host) => host !== undefined);
}

/**
 * Returns a function that marks URLs in CSS: style sheets and fonts of hosts that are not allowed are left out, and `report`
 * is told; all else is left to `mark`.
 */
export function refuseForeign(
  mark: Mark,
  allowed: readonly string[],
  report: (host: string, at: number) => void,
): Mark {
  return (kind, url, at, use) => {
    const host = use === undefined ? undefined : findForeignHost(url, allowed);
    if (host === undefined) return mark(kind, url, at, use);
    report(host, at);
    return NO_RESOURCE;
  };
}

/** Returns what an author is told about something that is left out. */
export function describeForeign(what: string, host: string): string {
  return `${what} of "${host}" left out: name the host in "allowedHosts" if readers' browsers may ask it`;
}
