import type { StateCore, Token } from 'markdown-it';
import { parseFenceInfo } from '../code/parse-fence-info.ts';
import { cutTwoslash } from '../code/twoslash.ts';
import type { CodeSpan } from '../draft.ts';
import type { Parser } from '../page/extension.ts';
import { getPage } from '../page/page-state.ts';
import { pushFenceTabs } from '../syntax/tabs.ts';

/**
 * Adds what the sites of frameworks that render Markdown by code of their own have inside code blocks, where no generator is recognised:
 * names of files above the code (`/// file: a.js`, `@@filename(a)`), the same code in a second language below `@@switch`, what was added,
 * removed and is to be seen (`+++a+++`, `---a---`, `:::a:::`), and what is there for a type checker only.
 */
export function addSiteCode({ md }: Parser): void {
  md.core.ruler.after('block', 'site_code', (state: StateCore) => {
    if (getPage(state.env).input.generator !== undefined) return;
    const { tokens } = state;
    if (!tokens.some(mayHaveNotations)) return;
    const result: Token[] = [];
    for (const token of tokens) {
      if (mayHaveNotations(token)) pushBlock(state, token, result);
      else result.push(token);
    }
    state.tokens = result;
  });
}

const NOTATION = /@@(?:filename|switch)|^(?:\/\/\/|<!---|###)[ \t]*(?:file|link|copy):|\+\+\+|---|:::|^\/\/ @\w/m;

function mayHaveNotations({ type, content }: Token): boolean {
  return type === 'fence' && NOTATION.test(content);
}

/** `@@filename(cats.service)` of Nest's documentation. */
const NEST_FILE = /^@@filename\(([^()\n]{0,300})\)[ \t]*\n/;
const NEST_SWITCH = /^[ \t]*@@switch[ \t]*\n/m;

function pushBlock(state: StateCore, token: Token, result: Token[]): void {
  const { language } = parseFenceInfo(state.md.utils.unescapeAll(token.info));
  const named = NEST_FILE.exec(token.content);
  const text = token.content.slice(named?.[0].length ?? 0);
  const parts = NEST_SWITCH.exec(text);
  const stem = named?.[1]?.trim() ?? '';
  if (parts && isScript(language)) {
    const [typed, plain] = [text.slice(0, parts.index), text.slice(parts.index + parts[0].length)];
    pushFenceTabs(state, result, [
      [createFence(state, token, { info: 'typescript', content: typed, title: addEnding(stem, 'ts') }), 'TypeScript'],
      [createFence(state, token, { info: 'javascript', content: plain, title: addEnding(stem, 'js') }), 'JavaScript'],
    ]);
    return;
  }
  if (named) {
    token.content = text;
    if (stem !== '') token.meta = { ...token.meta, title: addEnding(stem, ENDINGS.get(language)) };
  } else if (MARKED_LANGUAGES.has(language)) readSvelte(token);
  result.push(token);
}

/** The site adds what the names leave out. */
const ENDINGS = new Map([
  ...['ts', 'typescript'].map((language) => [language, 'ts'] as const),
  ...['js', 'javascript'].map((language) => [language, 'js'] as const),
]);

function addEnding(stem: string, ending: string | undefined): string | undefined {
  return stem === '' || ending === undefined ? stem || undefined : `${stem}.${ending}`;
}

function isScript(language: string): boolean {
  return ENDINGS.has(language);
}

function createFence(
  state: StateCore,
  { map, markup, level }: Token,
  { info, content, title }: { readonly info: string; readonly content: string; readonly title: string | undefined },
): Token {
  const fence = new state.Token('fence', 'code', 0);
  Object.assign(fence, { info, content: `${content.trim()}\n`, map, markup, level });
  if (title !== undefined) fence.meta = { title };
  return fence;
}

/** Languages in which three equal signs, twice, are no code. */
const MARKED_LANGUAGES = new Set(
  'js javascript mjs cjs jsx ts typescript mts cts tsx dts svelte vue html css scss less postcss json jsonc json5'.split(
    ' ',
  ),
);
/** `/// file: a.js`, `<!--- file: a.svelte --->`; the last one may lack a sign. */
const SETTING = /^(?:\/\/\/|<!---)[ \t]*(file|link|copy):[ \t]*([^\n]{0,300}?)[ \t]*(?:-{2,3}>)?[ \t]*$/;
/** Lines at the top among which settings are. */
const TOP_LINES = 12;

/** Reads the notations of Svelte's documentation. */
function readSvelte(token: Token): void {
  let lines = token.content.split('\n');
  for (const [at, line] of lines.slice(0, TOP_LINES).entries()) {
    const [, key, value = ''] = /^(?:\/\/\/|<!---)/.test(line) ? (SETTING.exec(line) ?? []) : [];
    if (key === undefined) continue;
    if (key === 'file' && value !== '') token.meta = { ...token.meta, title: value };
    lines[at] = '\0';
  }
  lines = lines.filter((line) => line !== '\0');
  const isChecked = lines.some((line) => /^\s*\/\/ (?:---cut---|@(?:noErrors|errors\b.*))\s*$/.test(line));
  const text = isChecked ? cutTwoslash(lines.join('\n')).replace(/^\n+/, '') : lines.join('\n');
  const { content, spans } = takeMarks(text);
  token.content = content;
  if (spans.length > 0) token.meta = { ...token.meta, spans };
}

const TAG_OF_SIGN = new Map<string, CodeSpan[3]>([
  ['+++', 'ins'],
  ['---', 'del'],
  [':::', 'mark'],
]);
const MAX_MARKS = 1_000;

/**
 * Removes the signs around what is marked, `let a = +++$state(1)+++;`; it may have several lines, and neither begins nor ends with
 * a blank. Signs in quotes, and after the sign of a comment, are code.
 */
function takeMarks(text: string): { readonly content: string; readonly spans: readonly CodeSpan[] } {
  const signs = [...text.matchAll(/(?<!\+)\+{3}(?!\+)|(?<!-)-{3}(?!-)|(?<!:):{3}(?!:)/g)].slice(0, 2 * MAX_MARKS);
  /** Where the next sign of its kind is, for each. */
  const ends: (number | undefined)[] = [];
  const nearest = new Map<string, number>();
  for (let at = signs.length - 1; at >= 0; at--) {
    const { 0: sign, index } = signs[at]!;
    ends[at] = nearest.get(sign);
    nearest.set(sign, index);
  }
  let content = '';
  let copied = 0;
  const ranges: Range[] = [];
  for (const [at, { 0: sign, index }] of signs.entries()) {
    if (index < copied) continue;
    const end = ends[at];
    const inside = text.slice(index + sign.length, end);
    if (end === undefined || /^(?:[ \n]|$)|[ \n]$/.test(inside) || !isMark(text, index)) continue;
    content += text.slice(copied, index);
    ranges.push([content.length, content.length + inside.length, TAG_OF_SIGN.get(sign)!]);
    content += inside;
    copied = end + sign.length;
  }
  content += text.slice(copied);
  return { content, spans: toSpans(content, ranges) };
}

type Range = readonly [start: number, end: number, tag: CodeSpan[3]];

function isMark(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 20), at);
  const after = text[at + 3] ?? '';
  return !/(?:\/\/|\/\*|<!|#)[ \t]*$/.test(before) && !(/["'`]/.test(after) && before.endsWith(after));
}

/** Returns the parts of ranges in the lines of a text. */
function toSpans(text: string, ranges: readonly Range[]): readonly CodeSpan[] {
  if (ranges.length === 0) return [];
  const spans: CodeSpan[] = [];
  let start = 0;
  let next = 0;
  for (const [number, line] of text.split('\n').entries()) {
    const end = start + line.length;
    for (let at = next; at < ranges.length && ranges[at]![0] < end; at++) {
      const [from, to, tag] = ranges[at]!;
      const first = Math.max(from - start, line.length - line.trimStart().length);
      const last = Math.min(to - start, line.trimEnd().length);
      if (first < last) spans.push([number, first, last, tag]);
      if (to > end) break;
      next = at + 1;
    }
    start = end + 1;
  }
  return spans;
}
