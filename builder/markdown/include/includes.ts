import type { Env, StateBlock, StateCore, StateInline, Token } from 'markdown-it';
import { escapeHtml } from '../../../lib/html-text.ts';
import type { Parser } from '../page/extension.ts';
import { parseInlineText } from '../page/inline-text.ts';
import { spendWork } from '../page/page-costs.ts';
import { getPage, type LinkDefinitions, type PageState, warn, warnOnce } from '../page/page-state.ts';
import { pushCallout } from '../syntax/callouts.ts';
import type { IncludeReference } from './directive.ts';
import { INCLUDE_LIMITS, listIncludePaths, parseIncludeLine } from './include-references.ts';
import { isSnippetBlockMark, OMITTED_LINES, parseSnippetBlockLine, readInsertion } from './python-includes.ts';
import {
  findBody,
  findRegion,
  findSection,
  HIDDEN_LINE,
  hideLines,
  lowerHeadings,
  parseRanges,
  removeRegionMarks,
  selectLines,
} from './select-lines.ts';

const WORK_OF_LINE = 10;

/**
 * Adds includes: `<<< @/file.js` becomes a code block, `<!--@include: part.md-->` and `--8<-- "part.md"` are read as
 * Markdown where they stand, `[a](file ':include')` is one or the other. As rules of the block parser they are never
 * seen inside code. Failed includes stay as text, with a warning. Everything from an included file has the line of its
 * include.
 */
export function addIncludes({ md, rules }: Parser): void {
  rules.block('<-@![{', parseInclude);
  rules.block('-', parseSnippetBlock);
  rules.block(';', parseEscaped);
  rules.inline('{', parseInsertion);
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
  if (first === 123 /* { */ && ((second !== 33 && second !== 42) /* * */ || !getPage(state.env).dialect.pymdown))
    return false;
  const reference = parseIncludeLine(line);
  if (reference === undefined) return false;
  if (silent) return true;
  pushInclude(state, getPage(state.env), reference, startLine, line.trim());
  state.line = startLine + 1;
  return true;
}

/** Lines between two lines `--8<--` name files, one each. */
function parseSnippetBlock(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const read = (line: number): string =>
    state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]!);
  const page = getPage(state.env);
  if (!page.dialect.pymdown || !isSnippetBlockMark(read(startLine))) return false;
  let end = startLine + 1;
  while (end < endLine && !isSnippetBlockMark(read(end))) {
    spendWork(page.costs, WORK_OF_LINE);
    end++;
  }
  if (end >= endLine) return false;
  if (silent) return true;
  for (let line = startLine + 1; line < end; line++) {
    const reference = parseSnippetBlockLine(read(line));
    if (reference) pushInclude(state, page, reference, line, read(line).trim());
  }
  state.line = end + 1;
  return true;
}

/** `;--8<-- "file"` shows how a snippet is written. */
function parseEscaped(state: StateBlock, startLine: number, _endLine: number, silent: boolean): boolean {
  const line = state.src.slice(state.bMarks[startLine]! + state.tShift[startLine]!, state.eMarks[startLine]!);
  if (!getPage(state.env).dialect.pymdown || !/^;+-+8<-/.test(line)) return false;
  if (silent) return true;
  const map: [number, number] = [startLine, startLine + 1];
  state.push('paragraph_open', 'p', 1).map = map;
  const inline = state.push('inline', '', 0);
  inline.content = line.slice(1);
  inline.children = [];
  inline.map = map;
  state.push('paragraph_close', 'p', -1);
  state.line = startLine + 1;
  return true;
}

/** `{!file!}` in the middle of a text. */
function parseInsertion(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  const page = getPage(state.env);
  if (!page.dialect.pymdown || page.isVerbatim || src.charCodeAt(pos + 1) !== 33 /* ! */) return false;
  const insertion = readInsertion(src, pos);
  if (insertion?.reference === undefined || insertion.end > posMax) return false;
  if (!silent) {
    const found = readInclude(page, insertion.reference);
    if (typeof found === 'string') {
      warn(page, page.costs.line, 'missing-snippet', found);
      state.push('text', '', 0).content = src.slice(pos, insertion.end);
    } else insertInline(state, page, found);
  }
  state.pos = insertion.end;
  return true;
}

/** Adds the text of a file as inline Markdown. */
function insertInline(state: StateInline, page: PageState, { path, text }: { path: string; text: string }): void {
  page.includeStack.push(path);
  parseInlineText(state, text.trim());
  page.includeStack.pop();
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
  if (reference.isClosed) {
    const callout = { kind: 'details', name: 'details', title: fileName(path), details: 'closed' } as const;
    pushCallout(state, callout, [line, line + 1], () => pushCode(state, page, { reference, path, text, line }));
  } else if (reference.kind === 'code') pushCode(state, page, { reference, path, text, line });
  else pushMarkdown(state, page, { path, text, line });
  return undefined;
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

function pushCode(
  state: StateBlock,
  page: PageState,
  { reference, path, text, line }: { reference: IncludeReference; path: string; text: string; line: number },
): void {
  const { lines, language, rest } = splitSettings(reference.settings ?? '');
  const name = fileName(reference.path);
  const extension = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : '';
  const token = state.push('fence', 'code', 0);
  token.info = `${language || extension}${rest}${lines === '' ? '' : `{${lines}}`}`;
  token.content = text.endsWith('\n') ? text : `${text}\n`;
  token.map = [line, line + 1];
  token.meta = { title: reference.title, tabTitle: reference.title ?? name };
  page.included.set(token, path);
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Settings of `<<<` are lines, a language, or both: `1,2 ts:line-numbers`. */
function splitSettings(settings: string): { lines: string; language: string; rest: string } {
  const match = /^([\d,\s-]*)((?![\d,-])[^\s:]*)(:\S*)?$/.exec(settings.trim());
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

/** The work of searching a region, see `spendWork`. */
const WORK_OF_CHARACTER = 4;

/** Returns the part of a file that an include means, or the problem. It counts towards the page's limits. */
export function readInclude(page: PageState, reference: IncludeReference): { path: string; text: string } | string {
  const { input, includeStack } = page;
  const problem = (what: string) => `Cannot include "${reference.path}": ${what}`;
  // Those that fail count, too: each is looked up in several places.
  if (++page.includeCount > INCLUDE_LIMITS.includes) return problem('the page includes too much');
  const pagePath = includeStack.at(-1) ?? input.pagePath ?? '';
  const { sourceDir = '', includeFolders, aliases } = input;
  const paths = listIncludePaths(reference, { pagePath, sourceDir, includeFolders, aliases });
  const path = paths.find((candidate) => input.includes.has(candidate)) ?? paths[0];
  if (path === undefined) return problem('it is outside the repository');
  const file = input.includes.get(path);
  if (file === undefined) return problem(input.unreadable?.get(path) ?? describeMissing(reference, path));
  const isOpen = includeStack.includes(path) || path === input.pagePath;
  // As code, its content is not parsed.
  if (isOpen && reference.kind !== 'code') return problem('it includes itself');
  if (includeStack.length >= INCLUDE_LIMITS.depth) return problem('includes are nested too deeply');
  spendWork(page.costs, file.length * WORK_OF_CHARACTER);
  const selected = selectText(reference, normalizeText(file));
  if (selected === undefined) return problem(describeMissingPart(reference));
  const text = cutText(page, reference, selected);
  page.includedCharacters += text.length;
  return page.includedCharacters > INCLUDE_LIMITS.characters ? problem('the page includes too much') : { path, text };
}

function describeMissing({ path, isFromBase }: IncludeReference, file: string): string {
  return isFromBase && file !== path ? `file does not exist, nor does "${file}"` : 'file does not exist';
}

/** Returns the part of a text between two others, all of it where one is missing, with its headings on other levels. */
function cutText(page: PageState, { path, between, headingOffset = 0 }: IncludeReference, text: string): string {
  const { start = '', end = '' } = between ?? {};
  const [first, last] = [text.indexOf(start), text.indexOf(end, text.indexOf(start) + start.length)];
  const missing = first < 0 ? start : end !== '' && last < 0 ? end : undefined;
  if (missing !== undefined) {
    const message = `All of "${path}" is included: it does not contain "${missing}"`;
    warnOnce(page, page.costs.line, 'missing-snippet', message);
  }
  const part = missing !== undefined ? text : text.slice(first + start.length, end === '' ? undefined : last);
  return headingOffset > 0 ? lowerHeadings(part, headingOffset) : part;
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
  const ranges = parseRanges(kind === 'code' ? reference.lines : settings);
  const bodyStart = isMarkdown ? findBody(file) : 0;
  const body = file.slice(bodyStart);
  // Lines count as an editor shows them, those that are left out included.
  const [text, mark] = ranges ? [hideLines(file.slice(0, bodyStart)) + body, HIDDEN_LINE] : [body, ''];
  const part =
    region === undefined
      ? removeRegionMarks(text, mark)
      : (findRegion(text, region, mark) ?? (kind === 'markdown' ? findSection(text, region) : undefined));
  if (part === undefined || ranges === undefined) return part;
  return selectLines(part, ranges, kind === 'code' ? OMITTED_LINES : undefined);
}

function describeMissingPart({ region, settings }: IncludeReference): string {
  return region === undefined
    ? `it has no line ${settings
        ?.split(',')
        .find((lines) => lines.trim() !== '')
        ?.trim()}`
    : `it has no region "${region}"`;
}
