import type { StateBlock, StateCore, Token } from 'markdown-it';
import type { Parser } from '../page/extension.ts';
import { checkTokens } from '../page/page-costs.ts';
import { getPage, type PageState } from '../page/page-state.ts';

const DEFINITION = /^\*\[([^\]\n]{1,100})\]:[ \t]*(.*)/s;
/** Chinese and Japanese have no spaces: each of their characters counts as a word. */
const WORD = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]|(?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}])[\p{L}\p{N}_])+/gu;
/** Limit of definitions that begin with the same word. */
const MAX_SAME_START = 10;
const MAX_DEFINITIONS = 1_000;

/** Adds abbreviations of PHP Markdown Extra: `*[HTML]: HyperText Markup Language`, anywhere on the page. */
export function addAbbreviations({ md, rules }: Parser): void {
  rules.block('*', parseDefinition);
  md.core.ruler.after('text_join', 'abbreviations', (state: StateCore) => {
    const page = getPage(state.env);
    if (page.abbreviations.size === 0) return;
    for (const token of state.tokens)
      if (token.children?.length) token.children = replaceInline(state, page, token.children);
  });
}

function parseDefinition(state: StateBlock, startLine: number, _endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  if (state.src.charCodeAt(start + 1) !== 91 /* [ */) return false;
  const match = DEFINITION.exec(state.src.slice(start, Math.min(state.eMarks[startLine]!, start + 1_000)));
  const name = match?.[1]?.trim();
  const first = name?.match(WORD)?.[0];
  if (name === undefined || first === undefined || !name.startsWith(first)) return false;
  if (silent) return true;
  const { abbreviations } = getPage(state.env);
  const known = abbreviations.get(first) ?? [];
  if (known.length < MAX_SAME_START && abbreviations.size < MAX_DEFINITIONS) {
    known.push({ name, title: match![2]!.trim() });
    known.sort((a, b) => b.name.length - a.name.length);
    abbreviations.set(first, known);
  }
  state.line = startLine + 1;
  return true;
}

function replaceInline(state: StateCore, page: PageState, children: readonly Token[]): Token[] {
  const result: Token[] = [];
  for (const token of children) {
    if (token.type === 'text') replaceText(state, page, token, result);
    else result.push(token);
  }
  page.costs.tokens += result.length - children.length;
  return result;
}

function replaceText(state: StateCore, page: PageState, token: Token, result: Token[]): void {
  const { content } = token;
  let copied = 0;
  const push = (type: string, text: string, nesting: -1 | 0 | 1 = 0) => {
    const made = new state.Token(type, nesting === 0 ? '' : 'abbr', nesting);
    made.content = text;
    result.push(made);
    return made;
  };
  for (const match of content.matchAll(WORD)) {
    if (match.index < copied) continue;
    const found = page.abbreviations.get(match[0])?.find(({ name }) => isAt(content, name, match.index));
    if (found === undefined) continue;
    if (match.index > copied) push('text', content.slice(copied, match.index));
    push('abbr_open', '', 1).attrs = [['title', found.title]];
    push('text', found.name);
    push('abbr_close', '', -1);
    copied = match.index + found.name.length;
    checkTokens(page.costs, result.length);
  }
  if (copied === 0) result.push(token);
  else if (copied < content.length) push('text', content.slice(copied));
}

const INSIDE_WORD = /(?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}])[\p{L}\p{N}_]){2}/uy;

/** Returns whether a name is at a position of a text, and ends at the end of a word. */
function isAt(text: string, name: string, at: number): boolean {
  INSIDE_WORD.lastIndex = at + name.length - 1;
  return text.startsWith(name, at) && !INSIDE_WORD.test(text);
}
