import { TokenType, tokenizer } from '@csstools/css-tokenizer';
import { escapeHtml } from '../../../lib/html-text.ts';
import { trimCharacters } from '../../../lib/trim-characters.ts';
import type { LinkSlot } from '../../model.ts';

/**
 * Returns the marker to write in place of a URL, or undefined for one that stays as it is. `at` is its position in the
 * given text; `use` says what CSS uses it for, if not for a picture.
 */
export type Mark = (
  kind: LinkSlot['kind'],
  url: string,
  at: number,
  use?: 'style sheet' | 'font',
) => string | undefined;

/** An attribute of HTML or SVG, its value with character references decoded. */
export interface AddressAttribute {
  /** In lower case. */
  readonly element: string;
  /** In lower case. */
  readonly name: string;
  readonly value: string;
  /** Value of the attribute `rel` of the same element. */
  readonly rel?: string | undefined;
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Attributes whose value is the URL of a file, by element. */
const FILES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['img', words('src')],
  ['source', words('src')],
  ['video', words('src poster')],
  ['audio', words('src')],
  ['track', words('src')],
  ['embed', words('src')],
  ['iframe', words('src')],
  ['frame', words('src')],
  ['script', words('src href xlink:href')],
  ['input', words('src')],
  ['object', words('data')],
  ...[...words('body table thead tbody tfoot tr th td')].map((name) => [name, words('background')] as const),
  ...[...words('use image feimage pattern lineargradient radialgradient textpath mpath tref cursor filter mask')].map(
    (name) => [name, words('href xlink:href')] as const,
  ),
]);

/** Attributes of SVG whose value is CSS. `style` is one of every element. */
const STYLES = words('fill stroke filter mask clip-path marker marker-start marker-mid marker-end cursor');

/** Relations of `<link>` that fetch a file for the page; others (`canonical`, `alternate`, `next` …) are navigation. */
export const FETCHED_RELATIONS = words(
  'stylesheet icon apple-touch-icon apple-touch-icon-precomposed mask-icon manifest preload modulepreload prefetch',
);

/** Returns an attribute's value with markers, escaped for double quotes; undefined if nothing is marked. */
export function openAttribute(attribute: AddressAttribute, mark: Mark): string | undefined {
  const { element, name, value } = attribute;
  const isStyle = name === 'style' || STYLES.has(name);
  if (isStyle || isSourceSet(element, name)) {
    let isMarked = false;
    const note: Mark = (kind, url, at) => {
      const marker = mark(kind, url, at);
      if (marker !== undefined) isMarked = true;
      return marker;
    };
    const opened = isStyle ? openStyles(value, note) : openSourceSet(value, note);
    return isMarked ? escapeHtml(opened) : undefined;
  }
  const kind = kindOfAttribute(attribute);
  const url = value.trim();
  return kind === 'link' || (kind && isFile(url)) ? mark(kind, url, 0) : undefined;
}

function kindOfAttribute({ element, name, rel }: AddressAttribute): 'link' | 'image' | undefined {
  if (FILES.get(element)?.has(name)) return 'image';
  if (name !== 'href' && name !== 'xlink:href') return undefined;
  if (element === 'a' || element === 'area') return 'link';
  if (element !== 'link') return undefined;
  const relations = rel?.toLowerCase().trim().split(/\s+/);
  return relations === undefined || relations.some((word) => FETCHED_RELATIONS.has(word)) ? 'image' : 'link';
}

function isSourceSet(element: string, name: string): boolean {
  return name === 'srcset' ? element === 'img' || element === 'source' : name === 'imagesrcset' && element === 'link';
}

/** Marks the images of a list such as `a.png 1x, b.png 640w`, read as browsers do: a URL may contain commas. */
function openSourceSet(value: string, mark: Mark): string {
  const candidate = /[\s,]*([^\s,]\S*)/y;
  const descriptors = /[^,(]*(?:\([^)]*\)?[^,(]*)*/y;
  let opened = '';
  let copied = 0;
  for (let match = candidate.exec(value); match !== null; match = candidate.exec(value)) {
    const end = candidate.lastIndex;
    const start = end - match[1]!.length;
    const url = trimCharacters(match[1]!, ',');
    const marker = isFile(url) ? mark('image', url, start) : undefined;
    if (marker !== undefined) {
      opened += value.slice(copied, start) + marker;
      copied = start + url.length;
    }
    descriptors.lastIndex = end;
    // A comma at the end of a URL ends the candidate, which then has no descriptor.
    if (start + url.length === end) descriptors.exec(value);
    candidate.lastIndex = descriptors.lastIndex;
  }
  return opened + value.slice(copied);
}

/** CSS functions that take URLs as strings. */
const IMAGE_SETS = words('image-set -webkit-image-set');

/** Returns CSS with a marker in place of each URL: `url()`, `src()`, `@import "…"` and `image-set("…")`. */
export function openStyles(css: string, mark: Mark): string {
  if (!/url|import|src|image-set|\\/i.test(css)) return css;
  const { nextToken, endOfFile } = tokenizer({ css });
  const functions: string[] = [];
  let opened = '';
  let copied = 0;
  let expectsString = false;
  let use: 'style sheet' | 'font' | undefined;
  while (!endOfFile()) {
    const [type, , start, end, data] = nextToken();
    if (type === TokenType.Whitespace || type === TokenType.Comment) continue;
    const isAddress = type === TokenType.URL || (type === TokenType.String && (expectsString || isInImageSet()));
    if (isAddress) {
      const url = data.value.trim();
      const marker = isFile(url) ? mark('style', url, start, use) : undefined;
      if (marker !== undefined) {
        opened += css.slice(copied, start) + (type === TokenType.URL ? `url("${marker}")` : `"${marker}"`);
        copied = end + 1;
      }
    }
    expectsString = false;
    if (type === TokenType.Function) {
      const name = data.value.toLowerCase();
      functions.push(name);
      expectsString = name === 'url' || name === 'src';
    } else if (type === TokenType.AtKeyword) {
      const name = data.value.toLowerCase();
      expectsString = name === 'import';
      use = expectsString ? 'style sheet' : name === 'font-face' ? 'font' : undefined;
    } else if (type === TokenType.CloseCurly || (type === TokenType.Semicolon && use === 'style sheet'))
      use = undefined;
    else if (type === TokenType.OpenParen) functions.push('');
    else if (type === TokenType.CloseParen) functions.pop();
  }
  return opened + css.slice(copied);

  function isInImageSet(): boolean {
    return IMAGE_SETS.has(functions.at(-1) ?? '');
  }
}

/** `#icon` alone names a part of the same document, which scripts may add. */
function isFile(url: string): boolean {
  return url !== '' && !url.startsWith('#');
}

/**
 * Returns a function that returns the line of a position in a text, given the number of its first line; positions must
 * not decrease.
 */
export function createLineCounter(text: string, first = 1): (at: number) => number {
  let line = first;
  let next = text.indexOf('\n');
  return (at) => {
    for (; next >= 0 && next < at; next = text.indexOf('\n', next + 1)) line++;
    return line;
  };
}
