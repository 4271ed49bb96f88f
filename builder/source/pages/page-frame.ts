import { isAbsoluteUrl, isWebUrl } from '../../../lib/url-text.ts';
import {
  type Data,
  isFalse,
  isTrue,
  type LineOf,
  list,
  map,
  own,
  ownOf,
  readDate,
  text,
  type WrittenUrl,
} from '../../config/data-values.ts';
import type { FrontMatterRules } from '../../generators/generator.ts';
import type { FrontMatterProblem } from '../text/front-matter.ts';

export interface PageFrame {
  /** On wide screens, the sidebar stands beside the text. */
  readonly hasSidebar: boolean;
  /** Levels of the headings in the table of contents; none if the first is above the second. */
  readonly outline: readonly [from: number, to: number];
  /** Undefined = the neighbours in the navigation; false = none. */
  readonly previous: Neighbour | false | undefined;
  readonly next: Neighbour | false | undefined;
  /** URL of the edit link; undefined = that of the page's file; false = none. */
  readonly edit: string | false | undefined;
  /** The nav button floats above the page whatever its header shows. */
  readonly asksForButton: boolean;
  /** When the page was changed, as ISO 8601 date or date with time; undefined = as git says; false = not shown. */
  readonly updated: string | false | undefined;
  readonly head: readonly HeadElement[];
  /** The image that previews of links show. */
  readonly image: WrittenUrl | undefined;
}

/** The link to a neighbour of a page: what is undefined is as in the navigation. */
export interface Neighbour {
  readonly text: string | undefined;
  readonly link: WrittenUrl | undefined;
}

/** Returns what the front matter of all generators says about what surrounds the text, with its problems. */
export function readFrame(
  data: Data,
  rules: FrontMatterRules,
  lineOf: LineOf,
): { readonly frame: PageFrame; readonly problems: readonly FrontMatterProblem[] } {
  const { head, problems } = readHead(own(data, 'head'), lineOf);
  const frame: PageFrame = {
    hasSidebar: !isFalse(own(data, 'sidebar')) && own(data, 'displayed_sidebar') !== null && !hides(data, 'navigation'),
    outline: readOutline(data),
    previous: readNeighbour(data, ['prev', 'pagination_prev'], rules, lineOf),
    next: readNeighbour(data, ['next', 'pagination_next'], rules, lineOf),
    edit: readEdit(data),
    asksForButton: isTrue(own(data, 'navButton')),
    updated: readUpdated(data),
    head,
    image: readImage(data, lineOf),
  };
  return { frame, problems };
}

/** In Material for MkDocs, `hide` lists parts of the page. */
function hides(data: Data, part: string): boolean {
  return list(own(data, 'hide')).includes(part);
}

const DEEPEST = 6;
const DEFAULT_OUTLINE = [2, 3] as const;
const NO_OUTLINE = [2, 1] as const;

/** VitePress' `outline`, Starlight's `tableOfContents`, the keys of Docusaurus, of Material for MkDocs and of Hugo's themes. */
function readOutline(data: Data): PageFrame['outline'] {
  const value = ownOf(data, ['outline', 'tableOfContents']);
  const hasNone =
    isFalse(value) ||
    isTrue(own(data, 'hide_table_of_contents')) ||
    isFalse(own(data, 'toc')) ||
    isFalse(own(data, 'bookToc')) ||
    isTrue(own(data, 'notoc')) ||
    hides(data, 'toc');
  if (hasNone) return NO_OUTLINE;
  if (value === 'deep') return [2, DEEPEST];
  const [from, to] = listLevels(value, data).map((level) => {
    const number = Number(text(level) ?? Number.NaN);
    return Number.isInteger(number) && number >= 2 && number <= DEEPEST ? number : undefined;
  });
  const first = from ?? DEFAULT_OUTLINE[0];
  return [first, Math.max(first, to ?? DEFAULT_OUTLINE[1])];
}

function listLevels(value: unknown, data: Data): readonly [from: unknown, to: unknown] {
  if (Array.isArray(value)) return [value[0], value[1]];
  const levels = map(value);
  if (levels) return [own(levels, 'minHeadingLevel'), own(levels, 'maxHeadingLevel')];
  if (value !== undefined) return [undefined, value];
  return [own(data, 'toc_min_heading_level'), own(data, 'toc_max_heading_level')];
}

/** A text that can only be meant as a link. */
const LINK = /^(?:\.{0,2}\/|https?:)|\.(?:md|mdx|markdown|html)$/i;
function readNeighbour(
  data: Data,
  keys: readonly string[],
  rules: FrontMatterRules,
  lineOf: LineOf,
): Neighbour | false | undefined {
  const key = keys.find((name) => own(data, name) !== undefined);
  if (key === undefined) return undefined;
  const value = own(data, key);
  const isId = key.startsWith('pagination_');
  if (isFalse(value) || (isId && value === null)) return false;
  const fields = map(value);
  const link = (url: string): WrittenUrl => ({ url, line: lineOf([key]) });
  if (fields) {
    const url = text(ownOf(fields, ['link', 'url']));
    const label = text(ownOf(fields, ['text', 'label', 'title']));
    return url === undefined && label === undefined
      ? undefined
      : { text: label, link: url === undefined ? undefined : link(url) };
  }
  const line = typeof value === 'string' ? text(value) : undefined;
  if (line === undefined) return undefined;
  if (isId) return { text: undefined, link: link(`/${line}`) };
  if (LINK.test(line)) return { text: undefined, link: link(line) };
  return rules.hasNeighbourTexts ? { text: line, link: undefined } : undefined;
}

/** Hugo has a list, Jekyll's plugin a map; in some tools `image` is something else, such as that of a container. */
function readImage(data: Data, lineOf: LineOf): WrittenUrl | undefined {
  for (const key of ['image', 'images']) {
    const value = own(data, key);
    const first = Array.isArray(value) ? value[0] : value;
    const url = typeof first === 'string' ? text(first) : text(own(map(first) ?? {}, 'path'));
    if (url !== undefined && /^[^\s?]+\.(?:png|jpe?g|webp|gif)(?:\?\S*)?$/i.test(url))
      return { url, line: lineOf([key]) };
  }
  return undefined;
}

function readEdit(data: Data): PageFrame['edit'] {
  const keys = ['editLink', 'editUrl', 'custom_edit_url'];
  if (keys.some((key) => isFalse(own(data, key))) || own(data, 'custom_edit_url') === null) return false;
  const url = text(ownOf(data, keys));
  return url !== undefined && isAbsoluteUrl(url) ? url : undefined;
}

const UPDATED_KEYS = [
  'lastUpdated',
  'last_update',
  'last_updated',
  'lastUpdate',
  'lastmod',
  'last_modified_at',
  'updated',
];

/** `lastmod` is Hugo's, `updated` Zola's, `last_modified_at` that of Jekyll's plugins, `last_update` Docusaurus'. */
function readUpdated(data: Data): PageFrame['updated'] {
  const value = ownOf(data, UPDATED_KEYS);
  if (isFalse(value)) return false;
  const written = text(own(map(value) ?? { date: value }, 'date'));
  return written !== undefined && readDate(written) !== undefined ? written.slice(0, 40) : undefined;
}

/** An element for a page's `<head>` that can neither run, load nor restyle anything. */
interface HeadElement {
  readonly tag: 'meta' | 'link';
  readonly attributes: readonly (readonly [name: string, value: string])[];
}

const MAX_ELEMENTS = 50;
const MAX_VALUE = 1_000;

/** Allowed `name` or `property` of a `<meta>`: facts for search engines and link previews. */
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
