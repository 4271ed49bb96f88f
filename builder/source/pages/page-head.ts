import { isWebUrl } from '../../../lib/url-text.ts';
import { type Data, type LineOf, map, own, text } from '../text/data-values.ts';
import type { FrontMatterProblem } from '../text/front-matter.ts';

/** An element for a page's `<head>` that can neither run, load nor restyle anything. */
export interface HeadElement {
  readonly tag: 'meta' | 'link';
  readonly attributes: readonly (readonly [name: string, value: string])[];
}

const MAX_ELEMENTS = 50;
const MAX_VALUE = 1_000;

/** What `name` or `property` of a `<meta>` may be: facts for search engines and link previews. */
const META_NAME =
  /^(?:author|description|keywords|robots|googlebot|bingbot|theme-color|application-name|apple-mobile-web-app-title|google-site-verification|msvalidate\.01|yandex-verification|(?:og|article|book|profile|fb|twitter|dc|dcterms|citation)[:._-][\w:.-]{1,60})$/i;
/** Links that say something about the page; browsers load none of them. */
const LINK_RELS = new Set(['alternate', 'author', 'canonical', 'help', 'license', 'me']);
const LINK_ATTRIBUTES = new Set(['rel', 'href', 'hreflang', 'title', 'type']);
const META_ATTRIBUTES = new Set(['name', 'property', 'content']);

/**
 * Returns the allowed elements of `head` as VitePress (`[tag, attributes]`) and Starlight (`{tag, attrs}`) write them; the
 * others are problems.
 */
export function readHead(
  value: unknown,
  lineOf: LineOf,
): { readonly head: readonly HeadElement[]; readonly problems: readonly FrontMatterProblem[] } {
  const head: HeadElement[] = [];
  const problems: FrontMatterProblem[] = [];
  const items = Array.isArray(value) ? value : [];
  for (const [at, item] of items.slice(0, MAX_ELEMENTS).entries()) {
    const found = readElement(item);
    if (typeof found !== 'string') head.push(found);
    else problems.push({ line: lineOf(['head', at]), message: `Element of "head" left out: ${found}` });
  }
  if (items.length > MAX_ELEMENTS) {
    const message = `"head" has more than ${MAX_ELEMENTS} elements; the others are left out`;
    problems.push({ line: lineOf(['head']), message });
  }
  return { head, problems };
}

/** Returns an element, or the reason why it is not allowed. */
function readElement(item: unknown): HeadElement | string {
  const [tag, attributes] = Array.isArray(item) ? item : [own(map(item) ?? {}, 'tag'), own(map(item) ?? {}, 'attrs')];
  const given = map(attributes) ?? {};
  const name = typeof tag === 'string' ? tag.slice(0, 40).toLowerCase() : '';
  if (name === 'meta') return readMeta(given);
  if (name === 'link') return readLink(given);
  return name === ''
    ? 'it must name an element and its attributes'
    : `only "meta" and "link" are allowed, not "${name}"`;
}

function readMeta(given: Data): HeadElement | string {
  const name = text(own(given, 'name')) ?? text(own(given, 'property'));
  if (name === undefined || text(own(given, 'content')) === undefined) {
    return 'a "meta" needs "name" or "property", and "content"';
  }
  if (!META_NAME.test(name)) return `a "meta" named "${name.slice(0, 60)}" is not allowed`;
  return { tag: 'meta', attributes: pick(given, META_ATTRIBUTES) };
}

function readLink(given: Data): HeadElement | string {
  const [rel, href] = [text(own(given, 'rel'))?.toLowerCase() ?? '', text(own(given, 'href'))];
  if (!LINK_RELS.has(rel)) return `a "link" with rel "${rel.slice(0, 60)}" is not allowed`;
  if (href === undefined || !isWebUrl(href)) return 'the "href" of a "link" must be an absolute URL';
  return { tag: 'link', attributes: pick(given, LINK_ATTRIBUTES) };
}

function pick(given: Data, names: ReadonlySet<string>): HeadElement['attributes'] {
  return [...names].flatMap((name) => {
    const value = text(own(given, name));
    return value === undefined ? [] : [[name, value.slice(0, MAX_VALUE)] as const];
  });
}
