import { isAbsoluteUrl } from '../../../lib/url-text.ts';
import type { Generator } from '../../model.ts';
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
} from '../text/data-values.ts';
import type { FrontMatterProblem } from '../text/front-matter.ts';
import { type HeadElement, readHead } from './page-head.ts';

/** What front matter says about everything around a page's text. */
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
  generator: Generator | undefined,
  lineOf: LineOf,
): { readonly frame: PageFrame; readonly problems: readonly FrontMatterProblem[] } {
  const { head, problems } = readHead(own(data, 'head'), lineOf);
  const frame: PageFrame = {
    hasSidebar: !isFalse(own(data, 'sidebar')) && own(data, 'displayed_sidebar') !== null && !hides(data, 'navigation'),
    outline: readOutline(data),
    previous: readNeighbour(data, ['prev', 'pagination_prev'], generator, lineOf),
    next: readNeighbour(data, ['next', 'pagination_next'], generator, lineOf),
    edit: readEdit(data),
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
/** Generators in whose themes a text is what the link says; elsewhere, `prev` and `next` may be anything. */
const WITH_TEXTS: ReadonlySet<Generator | undefined> = new Set([undefined, 'vitepress', 'starlight']);

function readNeighbour(
  data: Data,
  keys: readonly string[],
  generator: Generator | undefined,
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
  return WITH_TEXTS.has(generator) ? { text: line, link: undefined } : undefined;
}

/** Hugo has a list, Jekyll's plugin a map; in some tools `image` is something else, such as that of a container. */
function readImage(data: Data, lineOf: LineOf): WrittenUrl | undefined {
  for (const key of ['image', 'images']) {
    const value = own(data, key);
    const first = Array.isArray(value) ? value[0] : value;
    const url = typeof first === 'string' ? text(first) : text(own(map(first) ?? {}, 'path'));
    if (url !== undefined && /^[^\s]+\.(?:png|jpe?g|webp|gif)(?:\?\S*)?$/i.test(url))
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
