import { decodeHTMLAttribute } from 'entities';
import { describeForeign, findForeignHost, NO_RESOURCE } from '../html/foreign-hosts.ts';
import { FETCHED_RELATIONS, type Mark, openStyles } from '../html/open-addresses.ts';
import { scanTag, type Tag } from '../html/scan-tag.ts';
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

interface ScriptImport {
  readonly url: string;
  /** Position of the URL in the script. */
  readonly at: number;
}

/** Signs that matter outside of strings and comments; `a.from` and `$from` are names like any other. */
const SIGN = /["'`]|\/[/*]|(?<![\w$.#])(?:import|from)(?![\w$])/g;
const SPACES = /\s*/y;
/** May follow `import` or `from` before a URL, besides spaces and comments: `import("…")`. */
const CALL = '(';

/**
 * Returns the modules that a script names by literals: `import "…"`, `import … from "…"`, `export … from "…"`,
 * `import("…")`. Of a template only what comes before its first expression is read. One pass: what looks like an import
 * in a string or a comment is none; of a regular expression with quotes, the rest of its line may be missed.
 */
export function findScriptImports(script: string): readonly ScriptImport[] {
  const found: ScriptImport[] = [];
  const sign = new RegExp(SIGN);
  for (let match = sign.exec(script); match !== null; match = sign.exec(script)) {
    const [word] = match;
    if (word !== 'import' && word !== 'from') {
      sign.lastIndex = word.length === 1 ? findStringEnd(script, match.index) : findCommentEnd(script, match.index);
      continue;
    }
    let at = skipSpaces(script, sign.lastIndex);
    if (word === 'import' && script.startsWith(CALL, at)) at = skipSpaces(script, at + 1);
    sign.lastIndex = at;
    if (!/["'`]/.test(script.charAt(at))) continue;
    const end = findStringEnd(script, at);
    found.push({ url: decodeString(script.slice(at + 1, end - 1)), at: at + 1 });
    sign.lastIndex = end;
  }
  return found;
}

/** Returns the strings of JSON with their positions: those of an import map are names and URLs. */
export function findJsonStrings(json: string): readonly ScriptImport[] {
  const found: ScriptImport[] = [];
  for (let at = json.indexOf('"'); at >= 0; at = json.indexOf('"', at)) {
    const end = findStringEnd(json, at);
    found.push({ url: decodeString(json.slice(at + 1, end - 1)), at: at + 1 });
    at = end;
  }
  return found;
}

function skipSpaces(script: string, start: number): number {
  for (let at = start; ; at = findCommentEnd(script, at)) {
    SPACES.lastIndex = at;
    SPACES.exec(script);
    at = SPACES.lastIndex;
    if (!script.startsWith('//', at) && !script.startsWith('/*', at)) return at;
  }
}

/** Returns the position after a comment; one that does not end takes all. */
function findCommentEnd(script: string, start: number): number {
  const isLine = script.startsWith('//', start);
  const end = script.indexOf(isLine ? '\n' : '*/', start + 2);
  return end < 0 ? script.length : end + (isLine ? 1 : 2);
}

/** Returns the position after a string or template; strings end with their line. */
function findStringEnd(script: string, start: number): number {
  const quote = script.charCodeAt(start);
  for (let at = start + 1; at < script.length; at++) {
    const code = script.charCodeAt(at);
    if (code === 92 /* \ */) at++;
    else if (code === quote || (code === 10 && quote !== 96) /* ` */) return at + 1;
  }
  return script.length;
}

/** Returns what a literal stands for, as far as a URL needs it. */
function decodeString(literal: string): string {
  const fixed = literal.split('${', 1)[0]!;
  return fixed.replace(/\\(?:x([\da-f]{2})|u([\da-f]{4})|u\{0*([\da-f]{1,5})\}|([\s\S]))/gi, (_, x, u, point, sign) =>
    sign === undefined ? String.fromCodePoint(Number.parseInt(x ?? u ?? point, 16)) : sign === '\n' ? '' : sign,
  );
}
