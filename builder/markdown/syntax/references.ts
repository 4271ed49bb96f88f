import type { StateCore, StateInline, Token } from 'markdown-it';
import { createLineCounter } from '../html/open-addresses.ts';
import type { Parser } from '../page/extension.ts';
import { getPage, type PageState, warnOnce } from '../page/page-state.ts';
import { createSlug, findOtherSlug } from '../slug.ts';

/** Reports references that have no definition and therefore stay text: `[text][label]`, `[text][]` and `[^1]`. */
export function addReferenceChecks({ md }: Parser): void {
  md.core.ruler.before('text_join', 'reference_checks', (state: StateCore) => {
    if (!/\]\[|\[\^/.test(state.src)) return;
    const page = getPage(state.env);
    const { refs } = (state.env.footnotes ?? {}) as { readonly refs?: object };
    let line = 0;
    for (const { type, content, children, map } of state.tokens) {
      if (map) line = map[0];
      if (type !== 'inline' || children === null || !/\]\[|\[\^/.test(content)) continue;
      const text = collectText(children);
      reportLinks(page, text, line);
      reportNotes(page, text, line, refs !== undefined);
    }
  });
}

/** Stands for text that is not looked at: code, and signs after a backslash. */
const OTHER = '\u{FFFC}';

/** Returns the text of inline tokens as it was written, as far as it is only text. */
function collectText(children: readonly Token[]): string {
  let text = '';
  for (const { type, content } of children) {
    if (type === 'text') text += content;
    else if (type === 'softbreak' || type === 'hardbreak') text += '\n';
    else if (type === 'text_special' || type === 'code_inline' || type === 'image') text += OTHER;
  }
  return text;
}

/** No word stands right before it: `list[first][second]` is code. Lengths are bounded, so the search is linear. */
const LINK = /(?<![\p{L}\p{N}\])_])\[([^[\]]{1,200})\]\[([^[\]]{0,100})\]/gu;
const NOTE = /\[\^([\p{L}\p{M}\p{N}_-]{1,100})\](?![*+?{])/gu;

function reportLinks(page: PageState, text: string, line: number): void {
  const lineOf = createLineCounter(text, line);
  for (const { 0: whole, 1: words, 2: label, index } of text.matchAll(LINK)) {
    // Placeholders of commands and parts of formulas are short or have no words.
    const isMeant = label === '' ? /\p{L}{3}/u.test(words!) : /\p{L}{2}/u.test(words!) && /^[\p{L}\p{N}]/u.test(label!);
    if (!isMeant || whole.includes(OTHER)) continue;
    report(page, lineOf(index), (label || words)!);
  }
}

/** The beginning of ranges in a pattern, `[^a-z]`, `[^A-Za-z0-9]`. */
const RANGE = /(?<!\p{Ll})\p{Ll}-\p{Ll}(?!\p{Ll})|\p{Lu}-\p{Lu}|\p{N}-\p{N}|\p{Lo}-\p{Lo}/u;

/** `[^a-z]` and `[^aeiou]` may be parts of a pattern, unless the page has footnotes. */
function reportNotes(page: PageState, text: string, line: number, hasNotes: boolean): void {
  const lineOf = createLineCounter(text, line);
  for (const { 1: label, index } of text.matchAll(NOTE)) {
    const isMeant =
      /^\d+$/.test(label!) ||
      (hasNotes ? /^\p{L}[\p{L}\p{N}_]/u : /^(?=.*[^aeiou\d_-])\p{L}[\p{L}\p{M}\p{N}_-]{3,}$/iu).test(label!);
    if (isMeant && (hasNotes || !RANGE.test(label!))) report(page, lineOf(index), `^${label}`);
  }
}

function report(page: PageState, line: number, label: string): void {
  warnOnce(page, line, 'undefined-reference', `Reference "[${label.replaceAll('\n', ' ')}]" has no definition`);
}

/** Before a reference; after a word, brackets are code: `list[first][second]`. */
const NO_START = /[\p{L}\p{N}\])_!\\]/u;
const MAX_LABEL = 200;

/**
 * Adds references to headings of any page where a plugin of MkDocs resolves them (autorefs, mkdocstrings): `[text][id]`, and
 * `[Heading][]`. Those with a definition are links as always.
 */
export function addPageReferences({ rules }: Parser): void {
  rules.inline('[', parseReference);
}

function parseReference(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  if (!getPage(state.env).input.hasReferences || state.linkLevel > 0) return false;
  if (pos > 0 && NO_START.test(src[pos - 1]!)) return false;
  const end = state.md.helpers.parseLinkLabel(state, pos, true);
  if (end < 0 || src[end + 1] !== '[') return false;
  const text = src.slice(pos + 1, end);
  const length = src.slice(end + 2, Math.min(posMax, end + 2 + MAX_LABEL)).indexOf(']');
  if (length < 0) return false;
  const label = src.slice(end + 2, end + 2 + length).trim();
  const references = (state.env.references ?? {}) as Readonly<Record<string, unknown>>;
  if (Object.hasOwn(references, state.md.utils.normalizeReference(label || text))) return false;
  if (text.startsWith('^') || !/[\p{L}\p{N}]/u.test(text) || !/^[\p{L}\p{N}_]?(?:[^[\]\n]|\n(?!\n))*$/u.test(label))
    return false;
  if (!silent) {
    state.pos = pos + 1;
    state.posMax = end;
    const open = state.push('link_open', 'a', 1);
    open.attrs = [['href', '']];
    open.meta = { ids: listIds(label, text) };
    state.linkLevel++;
    state.md.inline.tokenize(state);
    state.linkLevel--;
    state.push('link_close', 'a', -1);
    state.posMax = posMax;
  }
  state.pos = end + 2 + length + 1;
  return true;
}

/** Returns the ids that a reference may mean, the likeliest first. */
function listIds(label: string, text: string): readonly string[] {
  const words = (label || text.replace(/[`*]/g, '')).replace(/\s+/g, ' ').trim();
  const slug = createSlug(words);
  return [...new Set([words, slug, findOtherSlug(words, slug)])].filter(
    (id) => id !== undefined && id !== '',
  ) as string[];
}
