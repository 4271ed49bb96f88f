import type { StateBlock, Token } from 'markdown-it';
import { type BlockRule, type Parser, takeBlockRule } from '../page/extension.ts';
import { getPage } from '../page/page-state.ts';

/** Wraps tables so that they scroll separately, and sets alignment by class: a strict content policy forbids `style`. */
export function addTables({ md }: Parser): void {
  const parseTable = takeBlockRule(md, 'table');
  const parse: BlockRule = (state, startLine, endLine, silent) =>
    mayHidePipes(state, startLine, endLine)
      ? parseWithHiddenPipes(parseTable, state, [startLine, endLine, silent])
      : parseTable(state, startLine, endLine, silent);
  md.block.ruler.at('table', parse, { alt: ['paragraph', 'reference'] });
  const { rules } = md.renderer;
  rules.table_open = (tokens, index, _options, _env, renderer) =>
    `<div class="table-scroll" tabindex="0"><table${renderer.renderAttrs(tokens[index]!)}>\n`;
  rules.table_close = () => '</table></div>\n';
  for (const cell of ['th_open', 'td_open'])
    rules[cell] = (tokens, index, options, _env, renderer) => {
      setAlignment(tokens[index]!);
      return renderer.renderToken(tokens, index, options);
    };
}

function setAlignment(token: Token): void {
  const style = token.attrGet('style');
  if (typeof style !== 'string') return;
  token.attrs = token.attrs!.filter(([name]) => name !== 'style');
  token.attrJoin('class', `align-${style.slice('text-align:'.length)}`);
}

/** Stands for a pipe that separates no cells; the text of a page has none. */
const HIDDEN = '\0';
const DELIMITERS = /^[|:\- \t]+$/;

/** Python-Markdown and kramdown take no pipe inside code for the end of a cell; for GitHub it is one, unless a backslash stands before it. */
function mayHidePipes(state: StateBlock, startLine: number, endLine: number): boolean {
  if (startLine + 1 >= endLine || !getPage(state.env).dialect.hasCodePipes) return false;
  const start = state.bMarks[startLine + 1]! + state.tShift[startLine + 1]!;
  const delimiters = state.src.slice(start, state.eMarks[startLine + 1]!);
  return delimiters.includes('-') && DELIMITERS.test(delimiters);
}

/** Texts whose pipes in code are hidden, made once for each; of the same length as the texts. */
const hiddenTexts = new WeakMap<StateBlock, string>();

function parseWithHiddenPipes(
  parseTable: BlockRule,
  state: StateBlock,
  [startLine, endLine, silent]: readonly [number, number, boolean],
): boolean {
  const { src, tokens } = state;
  const hidden = hiddenTexts.get(state) ?? src.split('\n').map(hideInCode).join('\n');
  hiddenTexts.set(state, hidden);
  const from = tokens.length;
  state.src = hidden;
  const isTable = parseTable(state, startLine, endLine, silent);
  state.src = src;
  for (let at = from; at < tokens.length; at++) {
    const { content } = tokens[at]!;
    if (content.includes(HIDDEN)) tokens[at]!.content = content.replaceAll(HIDDEN, '|');
  }
  return isTable;
}

/** Replaces the pipes in the code of a row. */
function hideInCode(row: string): string {
  if (!row.includes('`') || !row.includes('|')) return row;
  // A backslash before backticks makes text of them, as does a backslash before it.
  const runs = [...row.matchAll(/\\[\\`]|`+/g)].filter(([run]) => run.startsWith('`'));
  const later = new Map<number, number>();
  const ends = runs.map(() => -1);
  for (let at = runs.length - 1; at >= 0; at--) {
    const { length } = runs[at]![0];
    ends[at] = later.get(length) ?? -1;
    later.set(length, at);
  }
  let result = '';
  let copied = 0;
  for (let at = 0; at < runs.length; at++) {
    const end = ends[at]!;
    if (end < 0) continue;
    const { index } = runs[at]!;
    const to = runs[end]!.index;
    result += row.slice(copied, index) + row.slice(index, to).replaceAll('|', HIDDEN);
    copied = to;
    at = end;
  }
  return result + row.slice(copied);
}
