import type { StateBlock, StateCore, StateInline, Token } from 'markdown-it';
import type { Parser } from '../page/extension.ts';
import { spendWork } from '../page/page-costs.ts';
import { getPage, type PageState } from '../page/page-state.ts';
import { parseAttributes, type SafeAttribute, setAttributes } from '../syntax/attributes.ts';
import { createCalloutClosing, createCalloutOpening, findCalloutKind } from '../syntax/callouts.ts';

/** `{: .a #b }`, `{:toc}`, and without a colon `{ .a }`, `{#b}` (Pandoc, Hugo, MkDocs). */
const ATTRIBUTE_LINE = /^\{(?::(?![:/])|(?=[ \t]*[.#][A-Za-z_-]))([^{}\n]*)\}[ \t]*$/;
/** `{::comment}`, `{::options a="b" /}`, `{:/comment}`, `{:/}`. */
const EXTENSION_LINE = /^\{:(?::([a-z]+\b)([^{}\n]*)|\/[a-z]*)\}[ \t]*$/;

/** The work of inspecting a line, see `spendWork`. */
const WORK_OF_LINE = 10;

/**
 * Adds kramdown's attribute lists: they belong to the block right above them, otherwise to the one below. The classes of
 * Just the Docs for callouts produce callouts, `{:toc}` turns a list into the table of contents.
 */
export function addKramdown({ md, rules }: Parser): void {
  rules.block('{', parseLine);
  rules.inline('{', parseExtension);
  md.core.ruler.after('block', 'attribute_lines', (state: StateCore) => {
    const isUsed = state.tokens.some(({ type }) => type === 'attribute_line');
    if (isUsed) state.tokens = applyLines(state);
  });
}

function parseExtension(state: StateInline, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos + 1) !== 58 /* : */) return false;
  const extension = /^\{:(?::[a-z]+\b[^{}\n]*|\/[a-z]*)\}/.exec(state.src.slice(state.pos, state.pos + 300));
  if (extension === null) return false;
  if (!silent) state.push('html_inline', '', 0).content = '';
  state.pos += extension[0].length;
  return true;
}

function parseLine(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  const line = state.src.slice(start, Math.min(state.eMarks[startLine]!, start + 1_000));
  const extension = EXTENSION_LINE.exec(line);
  if (extension) {
    if (!silent) state.line = extension[1] === 'comment' ? findCommentEnd(state, startLine, endLine) : startLine + 1;
    return true;
  }
  const written = ATTRIBUTE_LINE.exec(line)?.[1];
  if (written === undefined) return false;
  const attributes = parseAttributes(written);
  const isBelow = startLine > 0 && (!state.isEmpty(startLine - 1) || followsBlock(state, startLine, endLine));
  // Without a colon it is prose unless it can belong to a block.
  if (!line.startsWith('{:') && (attributes === undefined || !isBelow)) return false;
  if (silent) return true;
  const token = state.push('attribute_line', '', 0);
  token.map = [startLine, startLine + 1];
  token.meta = { attributes: attributes ?? [], isToc: /^\s*toc\b/i.test(written), isBelow };
  token.hidden = true;
  state.line = startLine + 1;
  return true;
}

/** Lists and tables take a line that stands on its own after a blank one, since right below it would be part of them. */
function followsBlock(state: StateBlock, line: number, endLine: number): boolean {
  const isAlone = line + 1 >= endLine || state.isEmpty(line + 1);
  return isAlone && /^(?:table|(?:bullet|ordered)_list)_close$/.test(state.tokens.at(-1)?.type ?? '');
}

function findCommentEnd(state: StateBlock, startLine: number, endLine: number): number {
  for (let line = startLine + 1; line < endLine; line++) {
    spendWork(getPage(state.env).costs, WORK_OF_LINE);
    const start = state.bMarks[line]! + state.tShift[line]!;
    if (/^\{:\/(?:comment)?\}/.test(state.src.slice(start, start + 12))) return line + 1;
  }
  return startLine + 1;
}

interface LineMeaning {
  readonly attributes: readonly SafeAttribute[];
  readonly isToc: boolean;
  /** No blank line is above. */
  readonly isBelow: boolean;
}

function applyLines(state: StateCore): Token[] {
  const page = getPage(state.env);
  const result: Token[] = [];
  /** Attributes that wait for the block below them, by the depth of the block. */
  let waiting: { readonly meaning: LineMeaning; readonly level: number } | undefined;
  /** The starts of blocks that are open or just closed, by depth. */
  const starts: number[] = [];
  const wraps: { readonly level: number; readonly tag: string }[] = [];
  let isTitleNext = false;
  for (const token of state.tokens) {
    if (token.type === 'attribute_line') {
      const meaning = token.meta as unknown as LineMeaning;
      const start = starts[token.level];
      if (meaning.isBelow && start !== undefined) applyAbove(state, page, result, { start, meaning });
      else waiting = { meaning, level: token.level };
      continue;
    }
    const opens = token.nesting >= 0 && token.type !== 'inline' && !token.hidden;
    if (opens && waiting !== undefined) {
      const { meaning, level } = waiting;
      waiting = undefined;
      if (level === token.level) {
        starts[level] = result.length;
        if (meaning.isToc) continue;
        const kind = findKind(meaning.attributes);
        if (kind !== undefined && canBeCallout(token)) {
          wraps.push({ level: token.level, tag: pushOpening(state, result, token, kind) });
          isTitleNext = kind.name.endsWith('-title') && token.type === 'blockquote_open';
          continue;
        }
        setAttributes(page, token, meaning.attributes, token.map?.[0] ?? 0);
      }
    }
    if (isTitleNext && token.type === 'paragraph_open') token.attrJoin('class', 'callout-title');
    isTitleNext = false;
    if (opens || token.type === 'paragraph_open') {
      starts.length = Math.min(starts.length, token.level + 1);
      // A paragraph of a tight list has no element of its own.
      starts[token.level] = opens ? result.length : result.length - 1;
    }
    const wrap = wraps.at(-1);
    if (wrap !== undefined && token.nesting === -1 && token.level === wrap.level) {
      wraps.pop();
      if (token.type !== 'blockquote_close') result.push(token);
      result.push(createCalloutClosing(state, wrap.tag));
      continue;
    }
    result.push(token);
  }
  return result;
}

/** Sets the attributes of a parsed block; lists and paragraphs may become a table of contents, or a callout. */
function applyAbove(
  state: StateCore,
  page: PageState,
  tokens: Token[],
  { start, meaning }: { readonly start: number; readonly meaning: LineMeaning },
): void {
  const open = tokens[start]!;
  if (meaning.isToc && open.type.endsWith('_list_open')) {
    const toc = new state.Token('toc', 'nav', 0);
    toc.block = true;
    toc.map = open.map;
    tokens.splice(start, tokens.length - start, toc);
    return;
  }
  const kind = findKind(meaning.attributes);
  if (kind !== undefined && canBeCallout(open)) {
    const block = tokens.splice(start);
    const tag = pushOpening(state, tokens, open, kind);
    const isQuote = open.type === 'blockquote_open';
    for (const token of isQuote ? block.slice(1, -1) : block.slice(1)) tokens.push(token);
    tokens.push(createCalloutClosing(state, tag));
    return;
  }
  setAttributes(page, open, meaning.attributes, open.map?.[0] ?? 0);
}

function canBeCallout({ type }: Token): boolean {
  return type === 'paragraph_open' || type === 'blockquote_open' || type.endsWith('_list_open');
}

/** Just the Docs has two more kinds of callouts, and for each kind a variant whose first paragraph is its title. */
function findKind(attributes: readonly SafeAttribute[]): { readonly kind: string; readonly name: string } | undefined {
  const classes = attributes.find(([name]) => name === 'class')?.[1].split(' ') ?? [];
  for (const word of classes) {
    const name = word.replace(/-title$/, '');
    const kind = name === 'highlight' || name === 'new' ? 'info' : findCalloutKind(name);
    if (kind !== undefined && kind !== 'details') return { kind, name: word };
  }
  return undefined;
}

/** Replaces a quote with a callout, or opens one around another block. */
function pushOpening(
  state: StateCore,
  result: Token[],
  token: Token,
  { kind, name }: { readonly kind: string; readonly name: string },
): string {
  const title = name.endsWith('-title') || name === 'highlight' ? '' : undefined;
  const {
    open,
    title: tokens,
    closeTag,
  } = createCalloutOpening(state, { kind, name, title, details: 'no' }, token.map ?? [0, 0]);
  open.level = token.level;
  result.push(open, ...tokens);
  if (token.type !== 'blockquote_open') result.push(token);
  return closeTag;
}
