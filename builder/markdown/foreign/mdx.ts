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
  const { at, least } = measureDepths(state);
  const depth = at[startLine]!;
  let firstBlank: number | undefined;
  for (let line = startLine; line < endLine; line++) {
    if (!state.isEmpty(line)) continue;
    if (at[line]! <= depth) return line;
    firstBlank ??= line;
    // Nothing that follows is outside of the brackets.
    if (least[line]! > depth) return firstBlank;
  }
  return at[endLine]! > depth && firstBlank !== undefined ? firstBlank : endLine;
}

/** How many brackets are open where each line of a text begins, and where it ends, and the fewest from each line on. */
interface Depths {
  readonly at: Int32Array;
  readonly least: Int32Array;
}

/** A page may begin any number of modules whose brackets never close: its brackets are counted once. */
const depthsOf = new WeakMap<StateBlock, Depths>();

function measureDepths(state: StateBlock): Depths {
  const known = depthsOf.get(state);
  if (known) return known;
  spendWork(getPage(state.env).costs, state.src.length);
  // Of all lines: in a block quote, `lineMax` is that of its own.
  const lines = state.bMarks.length - 1;
  const at = new Int32Array(lines + 1);
  for (let line = 0; line < lines; line++) {
    let depth = at[line]!;
    for (let place = state.bMarks[line]!; place < state.eMarks[line]!; place++) {
      const sign = state.src[place]!;
      if (sign === '(' || sign === '[' || sign === '{') depth++;
      else if (sign === ')' || sign === ']' || sign === '}') depth--;
    }
    at[line + 1] = depth;
  }
  const least = at.slice();
  for (let line = lines - 1; line >= 0; line--) least[line] = Math.min(least[line]!, least[line + 1]!);
  const found = { at, least };
  depthsOf.set(state, found);
  return found;
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
