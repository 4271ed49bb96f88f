import { decodeHTMLAttribute } from 'entities';
import { describeForeign, findForeignHost, NO_RESOURCE } from '../html/foreign-hosts.ts';
import { FETCHED_RELATIONS, type Mark, openStyles } from '../html/open-addresses.ts';
import { scanTag, type Tag } from '../html/scan-tag.ts';
import { findJsonStrings, findScriptImports } from '../html/script-imports.ts';
import { addLinkSlot, type PageState, warnOnce } from '../page/page-state.ts';

/** Relations of `<link>` that make a browser connect to a host without fetching a file. */
const CONNECTING = ['preconnect', 'dns-prefetch', 'prerender'];

/** Returns whether a `<script>` or `<link>` asks a host that it may not ask, with a warning. */
export function isForeign(page: PageState, opening: string, line: number): boolean {
  const host = findForeignHostOfTag(opening, page.options.allowedHosts);
  if (host === undefined) return false;
  const what = /^<script/i.test(opening) ? 'Script' : 'Style sheet, font or icon';
  warnOnce(page, line, 'foreign-host', describeForeign(what, host));
  return true;
}

/** Types of scripts that run. */
const RUN_TYPE = /^(?:module|(?:text|application)\/(?:x-)?(?:java|ecma)script|)$/i;

/**
 * Returns whether a script in a page, or its import map, names modules of hosts that it may not ask, with a warning for
 * each host. What a script computes is not known.
 */
export function importsForeign(page: PageState, tag: Tag, content: string, lineOf: (at: number) => number): boolean {
  const attribute = tag.attributes.find(({ name }) => name.toLowerCase() === 'type')?.value ?? '';
  const type = decodeHTMLAttribute(attribute).trim();
  const isMap = /^importmap$/i.test(type);
  if (!isMap && !RUN_TYPE.test(type)) return false;
  let isFound = false;
  for (const { url, at } of isMap ? findJsonStrings(content) : findScriptImports(content)) {
    const host = findForeignHost(url, page.options.allowedHosts);
    if (host === undefined) continue;
    isFound = true;
    warnOnce(page, lineOf(at), 'foreign-host', describeForeign('Script', host));
  }
  return isFound;
}

/** Returns the text of a `<style>` with slots for URLs, and without style sheets and fonts of hosts that may not be asked. */
export function openStyleBlock(page: PageState, content: string, lineOf: (at: number) => number): string {
  const open = refuseForeign(
    (kind, url, at) => addLinkSlot(page, kind, url, lineOf(at)),
    page.options.allowedHosts,
    (host, at) => warnOnce(page, lineOf(at), 'foreign-host', describeForeign('Style sheet or font', host)),
  );
  return openStyles(content, open);
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
function refuseForeign(mark: Mark, allowed: readonly string[], report: (host: string, at: number) => void): Mark {
  return (kind, url, at, use) => {
    const host = use === undefined ? undefined : findForeignHost(url, allowed);
    if (host === undefined) return mark(kind, url, at, use);
    report(host, at);
    return NO_RESOURCE;
  };
}
