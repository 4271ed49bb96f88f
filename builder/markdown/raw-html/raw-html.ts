import type { StateCore, Token } from 'markdown-it';
import type { InlineTag } from '../foreign/inline.ts';
import type { Parser } from '../page/extension.ts';
import { getPage } from '../page/page-state.ts';
import {
  closeElement,
  closeFrame,
  createFrame,
  createHtmlRewriter,
  type HtmlFrame,
  type HtmlRewriter,
} from './rewrite-html.ts';

/**
 * Fits raw HTML into the page: every element ends where the Markdown around it does, tags of other generators are
 * removed, links become slots. Pages without raw HTML are skipped.
 */
export function addRawHtml({ md }: Parser): void {
  md.core.ruler.before('inline', 'v_pre', ({ src, tokens, env }) => {
    const page = getPage(env);
    if (page.dialect.mustache === 'vue' && src.includes('v-pre')) markVerbatim(tokens, page.verbatim);
  });
  md.core.ruler.before('headings', 'raw_html', (state: StateCore) => {
    const page = getPage(state.env);
    page.hasHtml = state.tokens.some(
      (token) => token.type === 'html_block' || token.children?.some((child) => child.type === 'html_inline') === true,
    );
    if (!page.hasHtml) return;
    page.closingNames = findClosingNames(state.tokens);
    state.tokens = walkBlocks(state, createHtmlRewriter(page));
  });
}

function walkBlocks(state: StateCore, rewriter: HtmlRewriter): Token[] {
  const page = getPage(state.env);
  const { included, costs } = page;
  const result: Token[] = [];
  const add = (html: string) => {
    if (html !== '') result.push(createHtml(state, 'html_block', html));
  };
  let line = 0;
  let frame = createFrame(undefined);
  for (const token of state.tokens) {
    if (token.map) costs.line = line = token.map[0];
    page.currentFile = included.get(token);
    if (token.nesting === 1) {
      result.push(token);
      frame = createFrame(frame);
    } else if (token.nesting === -1) {
      add(closeFrame(frame));
      const { late } = frame;
      frame = frame.outer ?? frame;
      if (token.type === 'paragraph_close' && isEmptyParagraph(result)) result.length -= 2;
      else result.push(token);
      add(late.map((name) => closeElement(frame, name)).join(''));
    } else if (token.type === 'html_block') {
      token.content = rewriter.rewriteBlock(token.content, frame, line, included.has(token));
      if (token.content.trim() !== '') result.push(token);
    } else {
      if (token.children !== null) token.children = walkInline(state, rewriter, token, frame, line);
      result.push(token);
    }
  }
  page.currentFile = undefined;
  add(closeFrame(frame));
  return result;
}

/** A paragraph of nothing but removed tags. */
function isEmptyParagraph(tokens: readonly Token[]): boolean {
  const inline = tokens.at(-1);
  if (inline?.type !== 'inline' || tokens.at(-2)?.type !== 'paragraph_open') return false;
  return (
    inline.content !== '' && (inline.children ?? []).every((child) => child.type === 'softbreak' || isBlank(child))
  );
}

function isBlank(token: Token): boolean {
  return (token.type === 'text' || token.type === 'html_inline') && token.content.trim() === '';
}

function walkInline(
  state: StateCore,
  rewriter: HtmlRewriter,
  inline: Token,
  block: HtmlFrame,
  firstLine: number,
): Token[] {
  const children = inline.children!;
  if (!children.some((child) => child.type === 'html_inline')) return children;
  const isFixed = getPage(state.env).included.has(inline);
  const lastClosing = findLastClosingTags(children);
  const result: Token[] = [];
  const add = (html: string) => {
    if (html !== '') result.push(createHtml(state, 'html_inline', html));
  };
  let line = firstLine;
  let frame = createFrame(undefined, block.depth + block.open.length);
  for (const [index, token] of children.entries()) {
    if (token.nesting === 1) {
      result.push(token);
      frame = createFrame(frame);
    } else if (token.nesting === -1) {
      add(closeFrame(frame));
      frame = frame.outer ?? frame;
      result.push(token);
    } else if (token.type === 'html_inline') {
      const isClosedLater = (name: string) => (lastClosing.get(name) ?? -1) > index;
      const place = { frame, block, line, isClosedLater };
      const foreign = token.meta?.foreign as InlineTag | undefined;
      // The HTML of a component is any number of tags, where that of an author is one.
      if (token.meta?.isWhole === true) add(rewriter.rewriteBlock(token.content, frame, line, isFixed));
      else
        add(
          foreign === undefined
            ? rewriter.rewriteInline(token.content, place)
            : rewriter.rewriteForeign(foreign, place),
        );
    } else {
      if (!isFixed && (token.type === 'softbreak' || token.type === 'hardbreak')) line++;
      result.push(token);
    }
  }
  add(closeFrame(frame));
  return result;
}

/** Marks the texts between a block of HTML that opens an element with Vue's `v-pre` and one that closes it. */
function markVerbatim(tokens: readonly Token[], verbatim: Set<Token>): void {
  let name = '';
  let depth = 0;
  for (const token of tokens) {
    if (token.type === 'inline' && depth > 0) verbatim.add(token);
    if (token.type !== 'html_block') continue;
    for (const [, slash, tag, rest] of token.content.matchAll(/<(\/?)([a-z][\w-]*)(?![\w-])([^<>]*)>/gi)) {
      const opens = slash === '' && !rest!.endsWith('/');
      if (depth === 0 && opens && /\sv-pre(?:[\s=]|$)/.test(rest!)) [name, depth] = [tag!, 1];
      else if (depth > 0 && tag === name) depth += opens ? 1 : slash === '/' ? -1 : 0;
    }
  }
}

/** A bare tag that is never closed is not a component. */
function findClosingNames(tokens: readonly Token[]): ReadonlySet<string> {
  const names = new Set<string>();
  const add = (html: string) => {
    for (const [, name] of html.matchAll(/<\/([A-Za-z][\w.:-]*)/g)) names.add(name!);
  };
  for (const { type, content, children } of tokens) {
    if (type === 'html_block') add(content);
    for (const child of children ?? []) if (child.type === 'html_inline') add(child.content);
  }
  return names;
}

function findLastClosingTags(children: readonly Token[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  for (const [index, { type, content }] of children.entries()) {
    if (type === 'html_inline' && content.startsWith('</')) last.set(content.slice(2, -1).trim().toLowerCase(), index);
  }
  return last;
}

function createHtml(state: StateCore, type: 'html_block' | 'html_inline', html: string): Token {
  const token = new state.Token(type, '', 0);
  token.content = html;
  token.block = type === 'html_block';
  return token;
}
