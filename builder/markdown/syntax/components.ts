import type { StateBlock, StateInline } from 'markdown-it';
import { isComponentName, scanTag, type Tag } from '../html/scan-tag.ts';
import { type Parser, takeBlockRule } from '../page/extension.ts';
import { findEnd, getPage, type PageState } from '../page/page-state.ts';

/**
 * Recognises the tags of Vue and JSX components, which CommonMark's grammar treats as text: attributes such as `@click`,
 * values in braces, tags over many lines. They become raw HTML, which is cleaned later.
 */
export function addComponents({ md }: Parser): void {
  md.inline.ruler.before('html_inline', 'component', (state, silent) => parseInline(state, silent, isComponent));
  md.inline.ruler.after('html_inline', 'vue_tag', (state, silent) => parseInline(state, silent, hasVueName));
  md.block.ruler.before('html_block', 'component', parseBlock, { alt: ['paragraph', 'reference', 'blockquote'] });
  const htmlBlock = takeBlockRule(md, 'html_block');
  const parseHtml: typeof htmlBlock = (state, startLine, endLine, silent) =>
    !startsComponent(state, startLine) &&
    // Whether it begins, its first line tells.
    htmlBlock(state, startLine, silent ? endLine : findFenceBelow(state, startLine, endLine), silent);
  md.block.ruler.at('html_block', parseHtml, { alt: ['paragraph', 'reference', 'blockquote'] });
}

/** `<Link>` is not `<link>`: components with the names of block elements do not turn a line into raw HTML. */
function startsComponent(state: StateBlock, line: number): boolean {
  const start = state.bMarks[line]! + state.tShift[line]!;
  if (state.src.charCodeAt(start) !== 60 /* < */) return false;
  const name = /^<\/?([A-Z][\w.]*)/.exec(state.src.slice(start, start + 50))?.[1];
  return name !== undefined && isComponentName(name);
}

/** Limit of HTML lines in which a fence is searched for. */
const MAX_HTML_LINES = 1_000;

/**
 * Returns the line at which HTML ends because a code fence follows without an empty line: kramdown ends HTML where its
 * element ends, and Vue's generators where the tag of a component does.
 */
function findFenceBelow(state: StateBlock, startLine: number, endLine: number): number {
  const { fencesEndHtml } = getPage(state.env).dialect;
  const textOf = (line: number): string =>
    state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]!);
  if (!fencesEndHtml || !textOf(startLine).startsWith('<')) return endLine;
  if (/^<(?:pre|script|style|textarea|[!?])/i.test(textOf(startLine))) return endLine;
  const max = Math.min(endLine, startLine + MAX_HTML_LINES);
  for (let line = startLine + 1; line < max && !state.isEmpty(line); line++) {
    if (state.sCount[line]! - state.blkIndent < 4 && /^(?:`{3}[^`]*$|~{3})/.test(textOf(line))) return line;
  }
  return endLine;
}

function isComponent(tag: Tag): boolean {
  return isComponentName(tag.name);
}

function hasVueName(tag: Tag): boolean {
  return tag.attributes.some(({ name, isExpression }) => isExpression || /^(?:v-|[:@#])/.test(name));
}

function parseInline(state: StateInline, silent: boolean, accept: (tag: Tag) => boolean): boolean {
  const { src, pos, posMax } = state;
  if (src.charCodeAt(pos) !== 60 /* < */) return false;
  const tag = findTag(getPage(state.env), src, pos, posMax);
  if (tag === undefined || !accept(tag)) return false;
  if (!silent) state.push('html_inline', '', 0).content = src.slice(pos, tag.end);
  state.pos = tag.end;
  return true;
}

/**
 * Lines of nothing but component tags. What follows without a blank line is raw HTML if it also starts with a tag
 * (templates and slots, often deeply indented), and Markdown otherwise.
 */
function parseBlock(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  if (state.src.charCodeAt(start) !== 60 /* < */ || state.sCount[startLine]! - state.blkIndent >= 4) return false;
  const max = state.eMarks[endLine - 1]!;
  const end = findTagsEnd(getPage(state.env), state.src, start, max);
  if (end === undefined) return false;
  if (silent) return true;
  let line = startLine + 1;
  while (line < endLine && state.bMarks[line]! < end) line++;
  const next = line < endLine ? state.src.charCodeAt(state.bMarks[line]! + state.tShift[line]!) : 0;
  if (next === 60) while (line < endLine && !state.isEmpty(line) && state.sCount[line]! >= state.blkIndent) line++;
  const token = state.push('html_block', '', 0);
  token.map = [startLine, line];
  token.content = state.getLines(startLine, line, state.blkIndent, true);
  state.line = line;
  return true;
}

/** Returns the end of the line on which one or more component tags end, if it contains nothing else. */
function findTagsEnd(page: PageState, text: string, start: number, max: number): number | undefined {
  for (let pos = start; ; ) {
    const tag = findTag(page, text, pos, max);
    if (tag === undefined || !isComponent(tag) || tag.name === 'Badge') return undefined;
    pos = tag.end;
    while (text[pos] === ' ' || text[pos] === '\t') pos++;
    if (pos >= max || text[pos] === '\n') return pos;
    if (text[pos] !== '<') return undefined;
  }
}

function findTag(page: PageState, text: string, start: number, max: number): Tag | undefined {
  return findEnd(page, () => scanTag(text, start, max));
}
