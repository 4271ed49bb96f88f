import type { StateInline } from 'markdown-it';
import { parseTextInclude } from '../include/include-references.ts';
import { readInclude } from '../include/includes.ts';
import type { Parser } from '../page/extension.ts';
import { parseInlineText } from '../page/inline-text.ts';
import { spendWork } from '../page/page-costs.ts';
import { getPage, type PageState, warnOnce } from '../page/page-state.ts';
import { describeUnknown } from './blocks.ts';
import { findMeaning, findShownText } from './elements.ts';
import { fillTemplate, findCommentEnd, findExpressionEnd, isValue, MAX_BRACES, warnLeftOut } from './fill-text.ts';
import { findHexoMeaning } from './hexo.ts';
import type { ForeignElement } from './meaning.ts';
import { findPageValue, findParameter } from './page-values.ts';
import {
  evaluateExpression,
  evaluateValue,
  findTemplateTag,
  resolveTemplateUrl,
  type TemplateTag,
  toTemplateElement,
} from './template-tags.ts';

/** The template tag that a token of raw HTML stands for: `raw-html.ts` turns it into HTML. */
export interface InlineTag {
  /** Undefined for a closing tag. */
  readonly element: ForeignElement | undefined;
  readonly name: string;
}

/** How far a closing tag is searched for inside a text. */
const MAX_INNER_TEXT = 500;
/** A longer text is not a URL with tags. */
const MAX_URL = 500;
const MAX_URL_TAGS = 4;

/**
 * Adds the inline syntax of other generators: shortcodes, statements, `{{ values }}`, JSX expressions and comments; and
 * their tags inside URLs of links.
 */
export function addForeignInline({ md, rules }: Parser): void {
  rules.inline('{', parseInline);
  const { parseLinkDestination } = md.helpers;
  // markdown-it's helpers do not receive the page; it parses one at a time.
  let page: PageState;
  md.core.ruler.after('normalize', 'foreign_page', (state) => {
    page = getPage(state.env);
  });
  md.helpers.parseLinkDestination = (text, start, max) => {
    const plain = parseLinkDestination(text, start, max);
    if (plain.ok && !plain.str.includes('{')) return plain;
    if (text.charCodeAt(start) === 60 /* < */)
      return plain.ok ? { ...plain, str: fillTemplate(page, plain.str) ?? '' } : plain;
    const end = findTemplateUrlEnd(page, text, start, Math.min(max, start + MAX_URL));
    return end === undefined ? plain : { ok: true, pos: end, str: fillTemplate(page, text.slice(start, end)) ?? '' };
  };
}

/** Returns the end of a URL with template tags, which may contain spaces; undefined if it contains none. */
function findTemplateUrlEnd(page: PageState, text: string, start: number, max: number): number | undefined {
  let tags = 0;
  let depth = 0;
  let pos = start;
  for (; pos < max; pos++) {
    const code = text.charCodeAt(pos);
    if (code === 123 /* { */) {
      const tag = findTemplateTag(page, text, pos, max);
      if (tag !== undefined) {
        if (++tags > MAX_URL_TAGS) return undefined;
        pos = tag.end - 1;
        continue;
      }
    }
    if (code <= 32) break;
    if (code === 40 /* ( */) depth++;
    if (code === 41 /* ) */ && depth-- === 0) break;
  }
  spendWork(page.costs, 10 * (pos - start));
  return tags > 0 ? pos : undefined;
}

function parseInline(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  const page = getPage(state.env);
  if (page.isVerbatim) return false;
  const next = src.charCodeAt(pos + 1);
  const tag = next === 123 || next === 37 ? findTemplateTag(page, src, pos, posMax) : undefined;
  const end = tag
    ? pushTemplate(state, page, tag, silent)
    : src.startsWith('/*', pos + 1)
      ? findCommentEnd(page, src, pos, Math.min(posMax, pos + MAX_BRACES))
      : page.dialect.expressions || isPageValue(page, src, pos)
        ? pushExpression(state, page, silent)
        : undefined;
  if (end === undefined) return false;
  state.pos = end;
  return true;
}

/** Docusaurus evaluates `{frontMatter.a}` in `.md` files, too. */
function isPageValue(page: PageState, src: string, pos: number): boolean {
  const inside = page.dialect.jsx
    ? /^\{\s*(frontMatter[.[][^{}\n]{1,200})\}/.exec(src.slice(pos, pos + 220))?.[1]
    : undefined;
  return inside !== undefined && findPageValue(page, inside) !== undefined;
}

/** Returns the position after a tag of a template, or undefined for what is text here. */
function pushTemplate(state: StateInline, page: PageState, tag: TemplateTag, silent: boolean): number | undefined {
  const { dialect } = page;
  if (tag.syntax === 'statement' && dialect.liquid === 'text') return undefined;
  if (tag.syntax === 'value' && (!isValue(page, tag) || isInVerbatim(state, page))) return undefined;
  if (tag.name === 'raw' && tag.kind === 'open') return pushVerbatim(state, page, tag, silent);
  if (silent) return tag.end;
  if (tag.shown !== undefined) pushText(state, tag.shown);
  else if (tag.body.startsWith('#') && tag.syntax === 'value') pushTextInclude(state, page, tag.body);
  else if (tag.kind === 'close') pushTag(state, { element: undefined, name: tag.name });
  else {
    const element = toTemplateElement(tag, tag.kind === 'open' && isClosedLater(state, tag));
    if (element === undefined) pushValue(state, page, tag);
    else pushElement(state, page, element, tag);
  }
  return tag.end;
}

/** Returns whether an element with Vue's `v-pre` is open in the text so far. */
function isInVerbatim({ src, tokens }: StateInline, page: PageState): boolean {
  if (page.dialect.mustache !== 'vue' || !mentionsVerbatim(src)) return false;
  spendWork(page.costs, tokens.length);
  let closing = '';
  for (const { type, content } of tokens) {
    if (type !== 'html_inline') continue;
    if (closing === '') {
      const name = content.includes('v-pre')
        ? /^<([a-z][\w-]*)(?![\w-])[^>]*\sv-pre(?=[\s>=])/i.exec(content)?.[1]
        : undefined;
      if (name !== undefined) closing = `</${name}>`;
    } else if (content === closing) closing = '';
  }
  return closing !== '';
}

/** The text that was looked at last: a text with many tags is asked about at each of them. */
let asked = { src: '', mentions: false };

function mentionsVerbatim(src: string): boolean {
  if (asked.src !== src) asked = { src, mentions: src.includes('v-pre') };
  return asked.mentions;
}

function pushVerbatim(state: StateInline, page: PageState, tag: TemplateTag, silent: boolean): number {
  const closing = /\{%-?\s*endraw\s*-?%\}/g;
  closing.lastIndex = tag.end;
  const match = closing.exec(state.src.slice(0, Math.min(state.posMax, tag.end + MAX_INNER_TEXT)));
  if (match === null) return tag.end;
  if (!silent) {
    const { posMax } = state;
    state.pos = tag.end;
    state.posMax = match.index;
    const from = state.tokens.length;
    page.isVerbatim = true;
    state.md.inline.tokenize(state);
    page.isVerbatim = false;
    for (const token of state.tokens.slice(from)) page.verbatim.add(token);
    state.posMax = posMax;
  }
  return closing.lastIndex;
}

function pushText(state: StateInline, text: string): void {
  if (text !== '') state.push('text', '', 0).content = text;
}

function pushTag(state: StateInline, tag: InlineTag): void {
  state.push('html_inline', '', 0).meta = { foreign: tag };
}

function pushTextInclude(state: StateInline, page: PageState, body: string): void {
  const argument = /^#(?:rustdoc_)?(?:include|playground|playpen)\s+(.+)/s.exec(body)?.[1];
  const reference = argument === undefined ? undefined : parseTextInclude(argument);
  const found = reference === undefined ? undefined : readInclude(page, reference);
  if (typeof found === 'string') warnOnce(page, page.costs.line, 'missing-snippet', found);
  else if (found !== undefined) pushText(state, found.text.trim());
}

function pushValue(state: StateInline, page: PageState, tag: TemplateTag): void {
  const value = tag.syntax === 'value' ? evaluateValue(page, tag.body) : undefined;
  if (value === undefined) warnLeftOut(page, state.src.slice(tag.start, tag.end));
  // An empty HTML token lets the paragraph be removed if it contains nothing else.
  if (value === undefined) state.push('html_inline', '', 0).content = '';
  else if (page.dialect.mustache === 'vue') pushText(state, value);
  else pushMarkdown(state, page, value);
}

/** Adds a value that its generator prints before Markdown is read; tags in it are text. */
function pushMarkdown(state: StateInline, page: PageState, value: string): void {
  page.isVerbatim = true;
  parseInlineText(state, value);
  page.isVerbatim = false;
}

function pushElement(state: StateInline, page: PageState, element: ForeignElement, tag: TemplateTag): void {
  const meaning = findMeaning(element);
  const isUrl = element.name === 'link' && findHexoMeaning(element) === undefined;
  if (isUrl || element.name === 'post_url' || element.name === 'asset_path') {
    pushText(state, resolveTemplateUrl(page, state.src.slice(tag.start, tag.end)) ?? '');
    return;
  }
  if (meaning === undefined && tag.syntax === 'value') {
    pushValue(state, page, tag);
    return;
  }
  const parameter = element.name === 'param' ? findParameter(page, element.positional[0]) : undefined;
  if (parameter !== undefined) {
    pushMarkdown(state, page, parameter);
    return;
  }
  pushInlineElement(state, page, element);
}

/** Adds an element that stands in a line; of one that nobody knows, the words that it shows, with a warning. */
export function pushInlineElement(state: StateInline, page: PageState, element: ForeignElement): void {
  const meaning = findMeaning(element);
  pushTag(state, { element, name: element.name });
  if (meaning?.as === 'inline' && meaning.problem !== undefined)
    warnOnce(page, page.costs.line, 'foreign-syntax', meaning.problem);
  if (meaning !== undefined) return;
  const [code, message] = describeUnknown(element);
  warnOnce(page, page.costs.line, code, message);
  if (!element.isPaired) pushText(state, findShownText(element));
}

function isClosedLater(state: StateInline, tag: TemplateTag): boolean {
  spendWork(getPage(state.env).costs, MAX_INNER_TEXT);
  const rest = state.src.slice(tag.end, Math.min(state.posMax, tag.end + MAX_INNER_TEXT));
  if (tag.syntax === 'shortcode') return new RegExp(`\\{\\{[<%]\\s*/\\s*${escapePattern(tag.name)}\\s`).test(rest);
  return new RegExp(`\\{%-?\\s*end(?:${escapePattern(tag.name)})?\\s*-?%`).test(rest);
}

function escapePattern(name: string): string {
  return name.replace(/[^\w]/g, '\\$&');
}

function pushExpression(state: StateInline, page: PageState, silent: boolean): number | undefined {
  const end = findExpressionEnd(page, state.src, state.pos, Math.min(state.posMax, state.pos + MAX_BRACES));
  if (end === undefined) return undefined;
  if (silent) return end;
  const source = state.src.slice(state.pos, end);
  const value = evaluateExpression(page, source);
  if (value !== undefined) pushText(state, value);
  else {
    if (!/^\{\s*\}$/.test(source)) warnLeftOut(page, source);
    state.push('html_inline', '', 0).content = '';
  }
  return end;
}
