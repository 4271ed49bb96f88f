import type { MarkdownIt, StateBlock, StateCore, Token } from 'markdown-it';
import { escapeHtml } from '../html/escape-html.ts';
import { maxIncludeDepth } from '../include/collect-includes.ts';
import { type IncludeReference, parseIncludeLine } from '../include/include-reference.ts';
import { resolveInclude } from '../include/resolve-include.ts';
import { findRegion, findSection, removeRegionMarks, selectLines } from '../include/select-lines.ts';
import { spendWork } from '../page-costs.ts';
import { getPage, type PageState, warn } from '../page-state.ts';

/** One page takes in no more than this, files that are taken in twice counted twice. */
const maxIncludes = 1_000;
const maxIncludedCharacters = 5_000_000;
/** The work of looking for a region, see `spendWork`. */
const WORK_OF_CHARACTER = 4;

/**
 * Adds includes: `<<< @/file.js` becomes a code block, `<!--@include: part.md-->` and `--8<-- "part.md"` are read as
 * Markdown where they stand. As rules of the block parser they are never seen inside code. What cannot be taken in
 * stays as text, with a warning. Everything from an included file bears the line of its include.
 */
export function addIncludes(md: MarkdownIt): void {
  md.block.ruler.before('table', 'include', parseInclude, { alt: ['paragraph', 'reference', 'blockquote', 'list'] });
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
  if (first !== 60 /* < */ && first !== 45 /* - */) return false;
  if (state.sCount[startLine]! - state.blkIndent >= 4) return false;
  const second = state.src.charCodeAt(start + 1);
  if (first === 60 ? second !== 60 && second !== 33 /* ! */ : second !== 45 && second !== 56 /* 8 */) return false;
  const line = state.src.slice(start, state.eMarks[startLine]!);
  const reference = parseIncludeLine(line);
  if (reference === undefined) return false;
  if (silent) return true;
  const page = getPage(state.env);
  const problem = pushInclude(state, page, reference, startLine);
  if (problem !== undefined) {
    const token = state.push('missing_include', '', 0);
    token.map = [startLine, startLine + 1];
    token.content = line.trim();
    token.meta = { message: problem };
  }
  state.line = startLine + 1;
  return true;
}

/** Adds what an include takes in; gives what is wrong when it cannot. */
function pushInclude(
  state: StateBlock,
  page: PageState,
  reference: IncludeReference,
  line: number,
): string | undefined {
  const { input, includeStack } = page;
  const pagePath = includeStack.at(-1) ?? input.pagePath ?? '';
  const path = resolveInclude(reference, { pagePath, sourceDir: input.sourceDir ?? '' });
  if (path === undefined) return `Cannot include "${reference.path}": it is outside of the repository`;
  const file = input.includes.get(path);
  if (file === undefined)
    return `Cannot include "${reference.path}": ${input.unreadable?.get(path) ?? 'file does not exist'}`;
  if (includeStack.includes(path) || path === input.pagePath)
    return `Cannot include "${reference.path}": it includes itself`;
  if (includeStack.length >= maxIncludeDepth)
    return `Cannot include "${reference.path}": includes are nested too deeply`;
  spendWork(page.costs, file.length * WORK_OF_CHARACTER);
  const text = selectText(reference, normalizeText(file));
  if (text === undefined) return `Cannot include "${reference.path}": it has no region "${reference.region}"`;
  page.includedCharacters += text.length;
  if (++page.includeCount > maxIncludes || page.includedCharacters > maxIncludedCharacters) {
    return `Cannot include "${reference.path}": the page takes in too much`;
  }
  if (reference.kind === 'code') pushCode(state, page, { reference, text, line });
  else pushMarkdown(state, page, { path, text, line });
  return undefined;
}

/** As markdown-it does with the page itself; NUL would be taken for a slot. */
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
  const part =
    region === undefined
      ? removeRegionMarks(body)
      : (findRegion(body, region) ?? (kind === 'markdown' ? findSection(body, region) : undefined));
  return part === undefined || kind === 'code' ? part : selectLines(part, settings);
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
  page.includeStack.push(path);
  state.md.block.parse(text, state.md, state.env, tokens);
  page.includeStack.pop();
  for (const token of tokens) {
    token.level += state.level;
    if (token.map) token.map = [line, line + 1];
    page.included.add(token);
    state.tokens.push(token);
  }
}
