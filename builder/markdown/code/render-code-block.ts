import type { CodeSlot } from '../draft.ts';
import { escapeHtml } from '../html/escape-html.ts';
import { addAuthorId, addSlot, type PageState, warn, warnOnce } from '../page-state.ts';
import { isOverHighlightLimit } from './highlight-limits.ts';
import { isKnownLanguage } from './known-languages.ts';
import type { FenceInfo } from './parse-fence-info.ts';
import { readNotations } from './read-notations.ts';

/** A code block as the rules hand it over. */
export interface CodeBlockSource {
  readonly info: FenceInfo;
  readonly text: string;
  /** Line in the page's text, from 0. */
  readonly line: number;
  /** The title stands elsewhere, e.g. on a tab. */
  readonly hideTitle: boolean;
}

/** Returns a code block's HTML with a slot where the code goes, and warns of what keeps it from being highlighted. */
export function renderCodeBlock(page: PageState, source: CodeBlockSource): string {
  const { info, line } = source;
  const { text, classes: notated } = readNotations(source.text.replace(/\n$/, ''), hasMagicComments(page));
  const { language } = info;
  if (!isKnownLanguage(language)) {
    warnOnce(page, line, 'unknown-language', `Unknown language "${language}"; its code is not highlighted`);
  } else if (language !== '' && isOverHighlightLimit(text)) {
    warn(page, line, 'highlight-limit', 'Code block is too long to highlight');
  }
  const slot: CodeSlot = { kind: 'code', block: { language, text }, marks: collectMarks(info, text, notated) };
  const numbers = info.numbersFrom === undefined ? '' : renderNumbers(text, info.numbersFrom);
  const title =
    info.title === undefined || source.hideTitle ? '' : `<div class="code-title">${escapeHtml(info.title)}</div>`;
  const kind = language === '' ? '' : ` data-language="${escapeHtml(language)}"`;
  const classes = `code-block${numbers === '' ? '' : ' numbered'}`;
  if (info.id !== undefined) addAuthorId(page, info.id, line);
  const id = info.id === undefined ? '' : ` id="${escapeHtml(info.id)}"`;
  return `<div${id} class="${classes}"${kind}>${title}<pre tabindex="0">${numbers}<code>${addSlot(page, slot)}</code></pre></div>\n`;
}

/** Comments that only Docusaurus reads are left alone on pages of other generators. */
function hasMagicComments({ input }: PageState): boolean {
  return input.generator === undefined || input.generator === 'docusaurus';
}

function collectMarks(
  info: FenceInfo,
  text: string,
  notated: ReadonlyMap<number, readonly string[]>,
): readonly (readonly [number, string])[] {
  if (info.highlighted.length === 0 && notated.size === 0) return [];
  const count = countLines(text);
  const classes = new Map<number, Set<string>>();
  const add = (line: number, name: string) => {
    if (!classes.has(line)) classes.set(line, new Set());
    classes.get(line)!.add(name);
  };
  for (const [first, last] of info.highlighted) {
    for (let line = Math.max(first, 1); line <= Math.min(last, count); line++) add(line - 1, 'highlighted');
  }
  for (const [line, names] of notated) for (const name of names) add(line, name);
  if ([...classes.values()].some((names) => names.has('focused'))) {
    for (let line = 0; line < count; line++) if (!classes.get(line)?.has('focused')) add(line, 'dimmed');
  }
  return [...classes].sort((a, b) => a[0] - b[0]).map(([line, names]) => [line, [...names].join(' ')]);
}

function renderNumbers(text: string, first: number): string {
  const numbers = Array.from({ length: countLines(text) }, (_, index) => first + index);
  return `<span class="line-numbers" aria-hidden="true">${numbers.join('\n')}</span>`;
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
