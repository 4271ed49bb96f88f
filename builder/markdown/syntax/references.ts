import type { StateCore, Token } from 'markdown-it';
import { createLineCounter } from '../html/open-addresses.ts';
import type { Parser } from '../page/extension.ts';
import { getPage, type PageState, warnOnce } from '../page/page-state.ts';

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

/** What stands for text that is not looked at: code, and signs after a backslash. */
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
