import type { Env, StateBlock, StateCore, Token } from 'markdown-it';
import { escapeHtml } from '../../../lib/html-text.ts';
import type { Parser } from '../page/extension.ts';
import { spendWork } from '../page/page-costs.ts';
import { getPage, type LinkDefinitions, type PageState, warn } from '../page/page-state.ts';
import { INCLUDE_LIMITS, type IncludeReference, listIncludePaths, parseIncludeLine } from './include-references.ts';
import {
  findBody,
  findRegion,
  findSection,
  HIDDEN_LINE,
  hideLines,
  parseRange,
  removeRegionMarks,
  selectLines,
} from './select-lines.ts';

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
    joinReferences(getPage(state.env), state.env);
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
  if (reference.kind === 'code') pushCode(state, page, { reference, path, text, line });
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
  if (text === undefined) return problem(`it has no region "${reference.region}"`);
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
  // mdBook's `file:3` is one line, not everything from there.
  const range = parseRange(kind === 'text' ? settings?.replace(/^(\d+),$/, '$1') : settings);
  const isRange = range !== undefined && kind !== 'code';
  const bodyStart = isMarkdown ? findBody(file) : 0;
  const body = file.slice(bodyStart);
  // Lines count as an editor shows them, those that are left out included.
  const [text, mark] = isRange ? [hideLines(file.slice(0, bodyStart)) + body, HIDDEN_LINE] : [body, ''];
  const part =
    region === undefined
      ? removeRegionMarks(text, mark)
      : (findRegion(text, region, mark) ?? (kind === 'markdown' ? findSection(text, region) : undefined));
  return part === undefined || !isRange ? part : selectLines(part, range);
}

function pushCode(
  state: StateBlock,
  page: PageState,
  { reference, path, text, line }: { reference: IncludeReference; path: string; text: string; line: number },
): void {
  const { lines, language, rest } = splitSettings(reference.settings ?? '');
  const name = reference.path.slice(reference.path.lastIndexOf('/') + 1);
  const extension = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : '';
  const token = state.push('fence', 'code', 0);
  token.info = `${language || extension}${rest}${lines === '' ? '' : `{${lines}}`}`;
  token.content = text.endsWith('\n') ? text : `${text}\n`;
  token.map = [line, line + 1];
  token.meta = { title: reference.title, tabTitle: reference.title ?? name };
  page.included.set(token, path);
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
  collectReferences(page, state.env, path, () => state.md.block.tokenize(inner, 0, inner.lineMax));
  page.includeStack.pop();
  page.fixedLine = fixedLine;
  for (const token of tokens) {
    if (token.map) token.map = [line, line + 1];
    if (!page.included.has(token)) page.included.set(token, path);
    state.tokens.push(token);
  }
}

/** Keeps the definitions of links that a file brings apart from those of the page. */
function collectReferences(page: PageState, env: Env, path: string, read: () => void): void {
  const { references: outer = {} } = env;
  const own: LinkDefinitions = Object.create(null);
  env.references = own;
  read();
  env.references = outer;
  // A file may be included many times, and define much.
  const known = page.includedReferences.get(path);
  if (known === undefined) page.includedReferences.set(path, own);
  else for (const [label, target] of Object.entries(own)) known[label] ??= target;
}

/** In the text of a file its own definitions come first, then those of the page, which gets those that only files have. */
function joinReferences({ includedReferences }: PageState, env: Env): void {
  env.references ??= {};
  for (const own of includedReferences.values()) {
    for (const [label, target] of Object.entries(own)) env.references[label] ??= target;
    Object.setPrototypeOf(own, env.references);
  }
}
