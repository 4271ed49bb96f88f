import type { StateBlock, Token } from 'markdown-it';
import { spendWork } from '../page-costs.ts';
import { getPage } from '../page-state.ts';

/** Lines that an element holds. */
export interface InnerText {
  readonly text: string;
  /** Line of its first line in the text around it, from 0. */
  readonly line: number;
}

/** Parses text as Markdown inside the block being parsed; lines count on from the text around it. */
export function parseNested(state: StateBlock, { text, line }: InnerText): void {
  const page = getPage(state.env);
  spendWork(page.costs, text.length);
  const tokens: Token[] = [];
  const inner = new state.md.block.State(text, state.md, state.env, tokens);
  inner.level = state.level;
  page.baseLine += line;
  state.md.block.tokenize(inner, 0, inner.lineMax);
  page.baseLine -= line;
  for (const token of tokens) {
    if (token.map && !page.included.has(token)) token.map = [token.map[0] + line, token.map[1] + line];
    state.tokens.push(token);
  }
}

/**
 * Returns what stands between two places of a block's text, the first line's beginning at `start`: without the indentation
 * that all its lines share, or with `keepsIndent` without that of the block alone.
 */
export function sliceInner(
  state: StateBlock,
  place: { readonly start: number; readonly startLine: number; readonly end: number; readonly endLine: number },
  keepsIndent = false,
): InnerText {
  const { start, startLine, end, endLine } = place;
  if (startLine === endLine) return { text: state.src.slice(start, end).trim(), line: startLine };
  const first = state.src.slice(start, state.eMarks[startLine]!).trim();
  const lines: string[] = [];
  let indent = Number.POSITIVE_INFINITY;
  for (let line = startLine + 1; line <= endLine; line++) {
    const isLast = line === endLine;
    const text = isLast
      ? state.src.slice(state.bMarks[line]!, end)
      : state.src.slice(state.bMarks[line]!, state.eMarks[line]!);
    if (isLast && text.trim() === '') break;
    lines.push(text);
    if (text.trim() !== '') indent = Math.min(indent, state.sCount[line]!);
  }
  const shared = keepsIndent ? state.blkIndent : indent;
  const dedented = lines.map((text) => removeColumns(text, shared));
  if (first === '') return { text: dedented.join('\n'), line: startLine + 1 };
  return { text: [first, ...dedented].join('\n'), line: startLine };
}

/** Takes up to so many columns of space off a line. */
function removeColumns(text: string, columns: number): string {
  let column = 0;
  let at = 0;
  for (; at < text.length && column < columns; at++) {
    if (text[at] === ' ') column++;
    else if (text[at] === '\t') column += 4 - (column % 4);
    else break;
  }
  return ' '.repeat(Math.max(column - columns, 0)) + text.slice(at);
}
