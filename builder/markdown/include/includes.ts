import type { StateBlock, StateCore, Token } from 'markdown-it';
import { escapeHtml } from '../../../lib/html-text.ts';
import type { Parser } from '../page/extension.ts';
import { spendWork } from '../page/page-costs.ts';
import { getPage, type PageState, warn } from '../page/page-state.ts';
import { INCLUDE_LIMITS, type IncludeReference, listIncludePaths, parseIncludeLine } from './include-references.ts';
import { findRegion, findSection, removeRegionMarks, selectLines } from './select-lines.ts';

/** The work of searching a region, see `spendWork`. */
const WORK_OF_CHARACTER = 4;

/**
 * Adds includes: `<<< @/file.js` becomes a code block, `<!--@include: part.md-->` and `--8<-- "part.md"` are read as
 * Markdown where they stand, `[a](file ':include')` is one or the other. As rules of the block parser they are never
 * seen inside code. Failed includes stay as text, with a warning. Everything from an included file has the line of its
 * include.
 */
export function addIncludes({ md, rules }: Parser): void {
  rules.block('<-@![', parseInclude);
  md.core.ruler.after('block', 'include_problems', (state: StateCore) => {
    for (const token of state.tokens) {
      if (token.type !== 'missing_include') continue;
      warn(getPage(state.env), token.map?.[0] ?? 0, 'missing-snippet', String(token.meta?.message));
    }
  });
  md.renderer.rules.missing_include = (tokens, index) =>
    `<p class="missing-include"><code>${escapeHtml(tokens[index]!.content)}</code></p>\n`;
}

function parseInclude(state: StateBlock, startLine: number, _endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  const first = state.src.charCodeAt(start);
  const second = state.src.charCodeAt(start + 1);
  if (first === 60 ? second !== 60 && second !== 33 /* ! */ : first === 45 && second !== 45 && second !== 56 /* 8 */) {
    return false;
  }
  const line = state.src.slice(start, state.eMarks[startLine]!);
  if (first === 91 /* [ */ && !line.includes(':include')) return false;
  const reference = parseIncludeLine(line);
  if (reference === undefined) return false;
  if (silent) return true;
  pushInclude(state, getPage(state.env), reference, startLine, line.trim());
  state.line = startLine + 1;
  return true;
}

/** Adds the content of an include; a failed one stays as its text, `source`. */
export function pushInclude(
  state: StateBlock,
  page: PageState,
  reference: IncludeReference,
  line: number,
  source: string,
): void {
  const problem = pushFile(state, page, reference, line);
  if (problem === undefined) return;
  const token = state.push('missing_include', '', 0);
  token.map = [line, line + 1];
  token.content = source;
  token.meta = { message: problem };
}

/** Adds the target of an include directive; returns the problem if it fails. */
function pushFile(state: StateBlock, page: PageState, reference: IncludeReference, line: number): string | undefined {
  const found = readInclude(page, reference);
  if (typeof found === 'string') return found;
  const { path, text } = found;
  if (reference.kind === 'code') pushCode(state, page, { reference, text, line });
  else pushMarkdown(state, page, { path, text, line });
  return undefined;
}

/** Returns the part of a file that an include means, or the problem. It counts towards the page's limits. */
export function readInclude(page: PageState, reference: IncludeReference): { path: string; text: string } | string {
  const { input, includeStack } = page;
  const problem = (what: string) => `Cannot include "${reference.path}": ${what}`;
  const pagePath = includeStack.at(-1) ?? input.pagePath ?? '';
  const paths = listIncludePaths(reference, { pagePath, sourceDir: input.sourceDir ?? '' });
  const path = paths.find((candidate) => input.includes.has(candidate)) ?? paths[0];
  if (path === undefined) return problem('it is outside the repository');
  const file = input.includes.get(path);
  if (file === undefined) return problem(input.unreadable?.get(path) ?? 'file does not exist');
  const isOpen = includeStack.includes(path) || path === input.pagePath;
  // As code, its content is not parsed.
  if (isOpen && reference.kind !== 'code') return problem('it includes itself');
  if (includeStack.length >= INCLUDE_LIMITS.depth) return problem('includes are nested too deeply');
  spendWork(page.costs, file.length * WORK_OF_CHARACTER);
  const text = selectText(reference, normalizeText(file));
  if (text === undefined) return problem(describeMissing(reference));
  page.includedCharacters += text.length;
  if (++page.includeCount > INCLUDE_LIMITS.includes || page.includedCharacters > INCLUDE_LIMITS.characters) {
    return problem('the page includes too much');
  }
  return { path, text };
}

/** Adds the first existing of several files, as Markdown or as code; returns whether there is one. */
export function includeFirst(
  state: StateBlock,
  page: PageState,
  references: readonly IncludeReference[],
  line: number,
): boolean {
  return references.some((reference) => pushFile(state, page, reference, line) === undefined);
}

/** As markdown-it does with the page itself; NUL would be mistaken for a slot. */
function normalizeText(text: string): string {
  return text
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .replaceAll('\0', '\ufffd');
}

function selectText(reference: IncludeReference, file: string): string | undefined {
  const { kind, region, settings } = reference;
  const isMarkdown = kind !== 'code' && /\.(?:md|mdx|markdown)$/i.test(reference.path);
  const body = isMarkdown ? file.replace(/^---[ \t]*\n[\s\S]*?\n---[ \t]*(?:\n|$)/, '') : file;
  // Line numbers are those of the file, in which the marks are lines, too.
  if (region === undefined && settings !== undefined && (kind === 'text' || kind === 'snippet')) {
    const lines = selectLines(file, settings);
    return lines === undefined ? undefined : removeRegionMarks(lines);
  }
  const part =
    region === undefined
      ? removeRegionMarks(body)
      : (findRegion(body, region) ?? (kind === 'markdown' ? findSection(body, region) : undefined));
  return part === undefined || kind === 'code' ? part : selectLines(part, settings);
}

function describeMissing({ region, settings }: IncludeReference): string {
  return region === undefined
    ? `it has no line ${settings?.replace(/^\s*,?\s*|\s*,.*$/g, '')}`
    : `it has no region "${region}"`;
}

function pushCode(
  state: StateBlock,
  page: PageState,
  { reference, text, line }: { reference: IncludeReference; text: string; line: number },
): void {
  const { lines, language, rest } = splitSettings(reference.settings ?? '');
  const name = reference.path.slice(reference.path.lastIndexOf('/') + 1);
  const extension = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : '';
  const token = state.push('fence', 'code', 0);
  token.info = `${language || extension}${rest}${lines === '' ? '' : `{${lines}}`}`;
  token.content = text.endsWith('\n') ? text : `${text}\n`;
  token.map = [line, line + 1];
  token.meta = { title: reference.title, tabTitle: reference.title ?? name };
  page.included.add(token);
}

/** Settings of `<<<` are lines, a language, or both: `1,2 ts:line-numbers`. */
function splitSettings(settings: string): { lines: string; language: string; rest: string } {
  const match = /^\s*([\d,\s-]*)([^\s:]*)(:\S*)?\s*$/.exec(settings);
  return { lines: match?.[1]?.trim() ?? '', language: match?.[2] ?? '', rest: match?.[3] ?? '' };
}

function pushMarkdown(
  state: StateBlock,
  page: PageState,
  { path, text, line }: { path: string; text: string; line: number },
): void {
  const tokens: Token[] = [];
  const inner = new state.md.block.State(text, state.md, state.env, tokens);
  inner.level = state.level;
  const { fixedLine } = page;
  page.fixedLine ??= page.baseLine + line;
  page.includeStack.push(path);
  state.md.block.tokenize(inner, 0, inner.lineMax);
  page.includeStack.pop();
  page.fixedLine = fixedLine;
  for (const token of tokens) {
    if (token.map) token.map = [line, line + 1];
    page.included.add(token);
    state.tokens.push(token);
  }
}
