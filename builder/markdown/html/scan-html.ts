import { decodeHTML } from 'entities';

/** Takes the parts of a page in their order. Names of elements are in lower case. */
export interface HtmlReader {
  /** Text without entities; never empty. */
  text(text: string): void;
  /** The number of a slot between texts; NaN where it is none. */
  slot(slot: number): void;
  /** `attributes` is what stands between the name and the end of the tag, `classes` the value of its attribute `class`. */
  open(element: string, attributes: string, classes: string): void;
  close(element: string): void;
}

/** Elements whose content is not read. */
const UNREAD = new Set(['script', 'style', 'template', 'textarea', 'iframe', 'noscript', 'svg', 'math', 'object']);
/** Elements that stand inside a line; all others part words. */
export const INLINE: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo cite code data del dfn em i ins kbd mark q s samp small span strong sub sup time u var wbr'.split(
    ' ',
  ),
);
const CLASSES = /\sclass="([^"]*)"/;
const TAG_NAME = /\/?([a-zA-Z][\w-]*)/y;
/** A whole tag whose quotes end: its name, and what stands behind it. Millions of quotes would exceed the stack of an expression. */
const TAG = /<(\/?[a-zA-Z][\w-]*)(?![\w-])([^"'>]*(?:"[^"]*"[^"'>]*|'[^']*'[^"'>]*){0,100})>/y;

/** Reads the HTML of a draft in a single pass, without its comments and the content of scripts and the like; never throws. */
export function scanHtml(html: string, readers: readonly HtmlReader[]): void {
  let hasOpenQuote = false;
  const tell = (text: string): void => {
    if (text === '') return;
    const decoded = decodeText(text);
    for (const reader of readers) reader.text(decoded);
  };
  const takeText = (text: string): void => {
    if (!text.includes('\0')) {
      tell(text);
      return;
    }
    const pieces = text.split('\0');
    for (let at = 0; at < pieces.length; at++) {
      const piece = pieces[at]!;
      if (at % 2 === 0) tell(piece);
      else for (const reader of readers) reader.slot(Number(piece));
    }
  };
  const close = (element: string): void => {
    for (const reader of readers) reader.close(element);
  };

  /** Returns where to read on. */
  const openAndSkip = (element: string, attributes: string, end: number): number => {
    const classes = attributes.includes('class="') ? (CLASSES.exec(attributes)?.[1] ?? '') : '';
    for (const reader of readers) reader.open(element, attributes, classes);
    return UNREAD.has(element) ? findClosing(html, element, end) : end;
  };
  /**
   * Returns the position after a tag; quotes that do not end are taken for text from there on, so that each is looked
   * for once.
   */
  const findTagEnd = (start: number): number => {
    for (let at = start; !hasOpenQuote && at < html.length; at++) {
      const sign = html[at];
      if (sign === '>') return at + 1;
      if (sign !== '"' && sign !== "'") continue;
      at = html.indexOf(sign, at + 1);
      if (at < 0) hasOpenQuote = true;
      if (at < 0) break;
    }
    const end = html.indexOf('>', start);
    return end < 0 ? html.length : end + 1;
  };

  for (let at = 0; at < html.length; ) {
    const start = html.indexOf('<', at);
    if (start !== at) takeText(start < 0 ? html.slice(at) : html.slice(at, start));
    if (start < 0) break;
    TAG.lastIndex = start;
    const tag = hasOpenQuote ? null : TAG.exec(html);
    if (tag) {
      at = TAG.lastIndex;
      const name = tag[1]!.toLowerCase();
      if (name.startsWith('/')) close(name.slice(1));
      else at = openAndSkip(name, tag[2]!, at);
      continue;
    }
    TAG_NAME.lastIndex = start + 1;
    const name = TAG_NAME.exec(html)?.[1]?.toLowerCase();
    if (html.startsWith('<!--', start)) {
      const end = html.indexOf('-->', start);
      at = end < 0 ? html.length : end + 3;
    } else if (name === undefined) {
      takeText('<');
      at = start + 1;
    } else {
      at = findTagEnd(start + 1);
      if (html[start + 1] === '/') close(name);
      else at = openAndSkip(name, html.slice(start + 1 + name.length, at), at);
    }
  }
}

/** Returns whether an element says nothing to those who cannot see it. */
export function isHidden(attributes: string): boolean {
  return attributes.length >= HIDDEN.length && attributes.includes(HIDDEN) && /\saria-hidden="true"/.test(attributes);
}

const HIDDEN = 'aria-hidden="true"';

/** Returns where the content of an element ends that is not read; the end of the text where it does not end. */
function findClosing(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}`, 'gi');
  closing.lastIndex = from;
  return closing.exec(html)?.index ?? html.length;
}

const ESCAPED: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };

/** Replaces the entities of a text. Most texts hold only what the renderer escapes. */
function decodeText(text: string): string {
  if (!text.includes('&')) return text;
  const isPlain = !/&(?!(?:lt|gt|quot|amp);)/.test(text);
  return isPlain ? text.replace(/&(?:lt|gt|quot|amp);/g, (entity) => ESCAPED[entity]!) : decodeHTML(text);
}
