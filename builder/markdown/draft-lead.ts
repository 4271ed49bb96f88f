import { trimCharacters } from '../../lib/trim-characters.ts';
import type { Draft } from './draft.ts';
import { type HtmlReader, isHidden } from './html/scan-html.ts';

/** Elements whose paragraphs are no part of the running text. */
const ASIDE = new Set(
  'blockquote details table ul ol dl figure figcaption nav pre section aside footer form h1 h2 h3 h4 h5 h6'.split(' '),
);
/** Classes of what the renderer makes of other syntax, in `div` and `p`. */
const ASIDE_CLASS =
  /\b(?:callout|callout-title|container|container-title|tabs|code-block|diagram|formula|toc|missing-include|table-scroll)\b/;
/** Classes of markup that the engine itself adds to a line. */
const ADDED = new Set(['anchor', 'footnote-ref', 'footnote-back']);

/** Fewer columns are a signature, a date or the like. A sign of Chinese takes two. */
const MIN_COLUMNS = 30;
/** Search engines show about as many columns. */
const MAX_COLUMNS = 180;
/** A sentence that ends before is too little. */
const MIN_SENTENCE = 70;

/**
 * Creates the reader of a draft that finds what stands for the page in a list: its first paragraph of running text, as plain text
 * in one line, shortened at the end of a sentence or word. `finish` returns '' where there is none.
 */
export function createLeadReader(slots: Draft['slots']): HtmlReader & { finish(): string } {
  let lead: string | undefined;
  /** The paragraph that is open. */
  let text: string | undefined;
  /** The element that is not read, and how many of its name are open. */
  let unread: { readonly element: string; depth: number } | undefined;

  const endParagraph = (): void => {
    const line = text?.replace(/\s+/g, ' ').trim() ?? '';
    text = undefined;
    if (/\p{L}/u.test(line) && measure(line) >= MIN_COLUMNS) lead = shorten(line);
  };
  return {
    text(piece) {
      if (text !== undefined && !unread) text += piece;
    },
    slot(number) {
      const slot = slots[number];
      if (text !== undefined && !unread && slot?.kind === 'formula') text += slot.tex;
    },
    open(element, attributes, classes) {
      if (lead !== undefined) return;
      if (unread) {
        if (element === unread.element) unread.depth++;
        return;
      }
      const isAside = text === undefined && (ASIDE.has(element) || (classes !== '' && ASIDE_CLASS.test(classes)));
      if (isAside || ADDED.has(classes) || isHidden(attributes)) unread = { element, depth: 1 };
      else if (element === 'p') text = '';
      else if (element === 'br' && text !== undefined) text += ' ';
    },
    close(element) {
      if (lead !== undefined) return;
      if (unread) {
        if (element === unread.element && --unread.depth === 0) unread = undefined;
      } else if (element === 'p' && text !== undefined) endParagraph();
    },
    finish: () => lead ?? '',
  };
}

/** Returns the width of a text in Latin letters. */
function measure(text: string): number {
  let columns = 0;
  for (const sign of text) columns += widthOf(sign);
  return columns;
}

function widthOf(sign: string): number {
  return /[\u1100-\u11ff\u2e80-\uffdc]/.test(sign) ? 2 : 1;
}

/** Shortens a text to what search engines show: after a sentence that is long enough, else after a word. */
function shorten(text: string): string {
  let columns = 0;
  let end = 0;
  let [sentence, word] = [0, 0];
  for (const sign of text) {
    columns += widthOf(sign);
    if (columns > MAX_COLUMNS) break;
    end += sign.length;
    const isWide = widthOf(sign) === 2;
    const isLast = /[.!?]/.test(sign) ? text[end] === ' ' : /[。！？]/.test(sign);
    if (isLast && columns >= MIN_SENTENCE) sentence = end;
    if (isWide || text[end] === ' ') word = end;
  }
  if (end === text.length) return text;
  if (sentence > 0) return text.slice(0, sentence);
  return `${trimCharacters(text.slice(0, word || end), ' \n,;:，、；：')}…`;
}
