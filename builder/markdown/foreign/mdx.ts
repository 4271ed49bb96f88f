import type { StateBlock } from 'markdown-it';
import type { Parser } from '../page/extension.ts';
import { spendWork } from '../page/page-costs.ts';
import { getPage, type PageState } from '../page/page-state.ts';
import { findCommentEnd, findExpressionEnd, warnLeftOut } from './fill-text.ts';
import { parseNested, pushText } from './push-element.ts';
import { evaluateExpression } from './template-tags.ts';

/** Code of modules as it may begin in `.mdx` files. */
const MODULE_START =
  /^(?:import(?:\s*['"{*]|\s+(?:type\s+)?[\w$]+(?:\s*,|\s+from\b|\s*\{))|export(?:\s*[{*]|\s+(?:const|let|var|async|function|class|default|type|interface|enum)\b))/;
/** The same in `.md` files, unless it is the beginning of an English sentence. */
const WHOLE_IMPORT = /^import\s+(?:[\w$*{][^'"]*\sfrom\s+)?(['"])[^'"]+\1\s*(?:;\s*)?$/;
const LISTED_IMPORT = /^import\s+(?:[\w$]+\s*,\s*)?\{[\s\w$,]*$/;
const WHOLE_EXPORT =
  /^export\s+(?:(?:const|let|var)\s+[\w$]+\s*[=:]|(?:default\s+)?(?:async\s+)?function\b[^.]*\(|default\s*\{|\{.*\}\s*(?:;\s*)?$)/;
/** Longer expressions and comments are treated as text. */
const MAX_BLOCK = 20_000;

/** Adds MDX's code between blocks: `import` and `export`, `{/* comments *\/}`, `{expressions}`; and indented blocks. */
export function addMdx({ md, rules }: Parser): void {
  rules.block('ie', parseModule);
  rules.block('{', parseBraces);
  md.block.ruler.before('code', 'mdx_indented', parseIndented);
}

function parseModule(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const page = getPage(state.env);
  const start = state.bMarks[startLine]!;
  if (silent || state.sCount[startLine] !== 0 || state.parentType === 'list' || page.isVerbatim) return false;
  const first = state.src.slice(start, state.eMarks[startLine]!);
  const listed = LISTED_IMPORT.test(first) ? findListEnd(state, startLine, endLine) : undefined;
  const isWhole = WHOLE_IMPORT.test(first) || WHOLE_EXPORT.test(first) || listed !== undefined;
  if (!isWhole && !(page.dialect.jsx && MODULE_START.test(first))) return false;
  const end = listed ?? (WHOLE_IMPORT.test(first) ? startLine + 1 : findModuleEnd(state, startLine, endLine));
  noteImports(page, state.src.slice(start, state.eMarks[end - 1]!));
  state.line = end;
  return true;
}

/** Returns the line after `} from 'x'`. */
function findListEnd(state: StateBlock, startLine: number, endLine: number): number | undefined {
  for (let line = startLine + 1; line < Math.min(endLine, startLine + 50); line++) {
    const text = state.src.slice(state.bMarks[line]!, state.eMarks[line]!);
    if (/^\s*\}\s*from\s+(['"])[^'"]+\1\s*(?:;\s*)?$/.test(text)) return line + 1;
    if (!/^[\s\w$,]*$/.test(text)) return undefined;
  }
  return undefined;
}

/** A module ends at the first blank line outside of brackets, or, with brackets that never close, at the first blank line. */
function findModuleEnd(state: StateBlock, startLine: number, endLine: number): number {
  let depth = 0;
  let firstBlank: number | undefined;
  for (let line = startLine; line < endLine; line++) {
    if (state.isEmpty(line)) {
      if (depth <= 0) return line;
      firstBlank ??= line;
    }
    const text = state.src.slice(state.bMarks[line]!, state.eMarks[line]!);
    spendWork(getPage(state.env).costs, text.length);
    for (const character of text) {
      if ('([{'.includes(character)) depth++;
      else if (')]}'.includes(character)) depth--;
    }
  }
  return depth > 0 && firstBlank !== undefined ? firstBlank : endLine;
}

function noteImports(page: PageState, code: string): void {
  const pattern = /^import\s+([\w$]+)(?:\s*,\s*(?:\{[^{}]*\}|\*\s*as\s+[\w$]+))?\s+from\s+(['"])([^'"\n]+)\2/gm;
  for (const [, name, , path] of code.matchAll(pattern)) page.imports.set(name!, path!.replace(/^.*!/, ''));
}

/** Comments in braces, and expressions on their own lines. */
function parseBraces(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const page = getPage(state.env);
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  if (page.isVerbatim) return false;
  const isComment = state.src.startsWith('/*', start + 1);
  if (!isComment && (!page.dialect.expressions || silent)) return false;
  const max = Math.min(state.eMarks[endLine - 1]!, start + MAX_BLOCK);
  const end = isComment ? findCommentEnd(page, state.src, start, max) : findExpressionEnd(page, state.src, start, max);
  if (end === undefined) return false;
  let line = startLine;
  while (line < endLine && state.eMarks[line]! < end) line++;
  if (line >= endLine || state.skipSpaces(end) < state.eMarks[line]!) return false;
  if (silent) return true;
  if (!isComment) pushExpression(state, page, state.src.slice(start, end), [startLine, line + 1]);
  state.line = line + 1;
  return true;
}

function pushExpression(state: StateBlock, page: PageState, source: string, map: [number, number]): void {
  const value = evaluateExpression(page, source);
  if (value === undefined) warnLeftOut(page, source.replace(/\s+/g, ' '));
  else if (value.trim() !== '') pushText(state, value.replace(/[\\`*_[\]<>&#]/g, '\\$&'), map);
}

/** In JSX, indentation does not make code. */
function parseIndented(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const page = getPage(state.env);
  if (silent || !page.dialect.jsx || state.sCount[startLine]! - state.blkIndent < 4) return false;
  const indent = state.sCount[startLine]!;
  let end = startLine + 1;
  while (end < endLine && (state.isEmpty(end) || state.sCount[end]! >= indent)) end++;
  parseNested(state, { text: state.getLines(startLine, end, indent, false), line: startLine });
  state.line = end;
  return true;
}
