import type { StateInline } from 'markdown-it';
import { escapeHtml } from '../../../lib/html-text.ts';
import { findBraceEnd } from '../html/scan-tag.ts';
import { parseTextInclude } from '../include/include-references.ts';
import { readInclude } from '../include/includes.ts';
import type { Parser } from '../page/extension.ts';
import { spendWork } from '../page/page-costs.ts';
import { findEnd, getPage, type PageState, warnOnce } from '../page/page-state.ts';
import { describeUnknown } from './blocks.ts';
import { type ForeignElement, findMeaning, findShownText } from './elements.ts';
import {
  evaluateExpression,
  evaluateValue,
  findTemplateTag,
  resolveTemplateUrl,
  type TemplateTag,
  toTemplateElement,
} from './template-tags.ts';

/** What a token of raw HTML stands for that was a tag of a template: `raw-html.ts` makes HTML of it. */
export interface InlineTag {
  /** Undefined for a closing tag. */
  readonly element: ForeignElement | undefined;
  readonly name: string;
}

/** A closing tag inside a text is looked for so far. */
const maxInnerText = 500;
/** Longer comments and expressions inside a text are text. */
const maxBraces = 5_000;
/** A longer address holds no tags, or is none. */
const maxUrl = 500;
const maxUrlTags = 4;

/**
 * Adds what other generators put into a line of text: shortcodes, statements, `{{ values }}`, JSX expressions and comments;
 * and their tags inside the addresses of links.
 */
export function addForeignInline({ md, rules }: Parser): void {
  rules.inline('{', parseInline);
  rules.inline('$', parseMath);
  const { parseLinkDestination } = md.helpers;
  // markdown-it's helpers know no page; it reads one at a time.
  let page: PageState;
  md.core.ruler.after('normalize', 'foreign_page', (state) => {
    page = getPage(state.env);
  });
  md.helpers.parseLinkDestination = (text, start, max) => {
    const plain = parseLinkDestination(text, start, max);
    if (text.charCodeAt(start) === 60 /* < */ || (plain.ok && !plain.str.includes('{'))) return plain;
    const end = findTemplateUrlEnd(page, text, start, Math.min(max, start + maxUrl));
    if (end === undefined) return plain;
    return { ok: true, pos: end, str: resolveTemplateUrl(text.slice(start, end)) ?? '' };
  };
}

/** Returns where an address ends that holds tags of templates, with spaces inside them; undefined when it holds none. */
function findTemplateUrlEnd(page: PageState, text: string, start: number, max: number): number | undefined {
  let tags = 0;
  let depth = 0;
  let pos = start;
  for (; pos < max; pos++) {
    const code = text.charCodeAt(pos);
    if (code === 123 /* { */) {
      const tag = findTemplateTag(page, text, pos, max);
      if (tag !== undefined) {
        if (++tags > maxUrlTags) return undefined;
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
      ? findCommentEnd(page, src, pos, Math.min(posMax, pos + maxBraces))
      : page.dialect.expressions
        ? pushExpression(state, page, silent)
        : undefined;
  if (end === undefined) return false;
  state.pos = end;
  return true;
}

const math = /\$\$[^$]{1,2000}\$\$|\$(?![\s$])[^$\n]{0,500}[^\s$\\]\$(?!\d)/y;

/** Braces in formulas are TeX, whatever a generator does with braces elsewhere. */
function parseMath(state: StateInline, silent: boolean): boolean {
  const { expressions, mustache } = getPage(state.env).dialect;
  if (!expressions && mustache === 'text') return false;
  math.lastIndex = state.pos;
  const match = math.exec(state.src);
  if (match === null || !match[0].includes('{') || math.lastIndex > state.posMax) return false;
  if (!silent) state.pending += match[0];
  state.pos = math.lastIndex;
  return true;
}

/** Returns the position behind a comment in braces. */
export function findCommentEnd(page: PageState, text: string, start: number, max: number): number | undefined {
  const found = findEnd(page, () => {
    const end = text.slice(start, max).indexOf('*/}');
    return end < 0 ? 'unterminated' : { end: start + end + 3 };
  });
  return found?.end;
}

/** Returns the position behind an expression in braces. */
export function findExpressionEnd(page: PageState, text: string, start: number, max: number): number | undefined {
  const found = findEnd(page, () => {
    const end = findBraceEnd(text, start, max);
    return end < 0 ? 'unterminated' : { end };
  });
  return found?.end;
}

/** Returns the position behind a tag of a template, or undefined for what is text here. */
function pushTemplate(state: StateInline, page: PageState, tag: TemplateTag, silent: boolean): number | undefined {
  const { dialect } = page;
  if (tag.syntax === 'statement' && dialect.liquid === 'text') return undefined;
  if (tag.syntax === 'value' && !isValue(page, tag)) return undefined;
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

/** Tells whether `{{ … }}` is more than text. */
function isValue({ dialect }: PageState, { body, shown }: TemplateTag): boolean {
  if (/^#(?:rustdoc_)?(?:include|playground|playpen)\s+\S/.test(body)) return true;
  if (body.startsWith('#')) return dialect.mdbook && body.startsWith('#title');
  switch (dialect.mustache) {
    case 'vue':
    case 'liquid':
      return true;
    case 'shortcode':
      return shown !== undefined || /^[A-Za-z_][\w:]*\(/.test(body);
    case 'macro':
      return /^[A-Za-z_][\w.]*(?:\(.*\))?(?:\s*\|.*)?$/s.test(body);
    default:
      return false;
  }
}

function pushVerbatim(state: StateInline, page: PageState, tag: TemplateTag, silent: boolean): number {
  const closing = /\{%-?\s*endraw\s*-?%\}/g;
  closing.lastIndex = tag.end;
  const match = closing.exec(state.src.slice(0, Math.min(state.posMax, tag.end + maxInnerText)));
  if (match === null) return tag.end;
  if (!silent) {
    const { posMax } = state;
    state.pos = tag.end;
    state.posMax = match.index;
    page.isVerbatim = true;
    state.md.inline.tokenize(state);
    page.isVerbatim = false;
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
  const argument = /^#(?:rustdoc_)?(?:include|playground|playpen)\s+(.+)$/s.exec(body)?.[1];
  const reference = argument === undefined ? undefined : parseTextInclude(argument);
  const found = reference === undefined ? undefined : readInclude(page, reference);
  if (typeof found === 'string') warnOnce(page, page.costs.line, 'missing-snippet', found);
  else if (found !== undefined) pushText(state, found.text.trim());
}

function pushValue(state: StateInline, page: PageState, tag: TemplateTag): void {
  const value = tag.syntax === 'value' ? evaluateValue(tag.body) : undefined;
  if (value === undefined) warnLeftOut(page, state.src.slice(tag.start, tag.end));
  // A token of HTML that is empty lets go of the paragraph when nothing else is in it.
  if (value === undefined) state.push('html_inline', '', 0).content = '';
  else pushText(state, value);
}

/** Tells of text that only another generator understands. */
export function warnLeftOut(page: PageState, source: string): void {
  const text = source.length > 60 ? `${source.slice(0, 60)}…` : source;
  warnOnce(page, page.costs.line, 'foreign-syntax', `"${text}" belongs to another generator and was left out`);
}

function pushElement(state: StateInline, page: PageState, element: ForeignElement, tag: TemplateTag): void {
  if (element.name === 'link' || element.name === 'post_url') {
    pushText(state, resolveTemplateUrl(state.src.slice(tag.start, tag.end)) ?? '');
    return;
  }
  if (findMeaning(element) === undefined && tag.syntax === 'value') {
    pushValue(state, page, tag);
    return;
  }
  pushTag(state, { element, name: element.name });
  if (findMeaning(element) !== undefined) return;
  const [code, message] = describeUnknown(element);
  warnOnce(page, page.costs.line, code, message);
  if (!element.isPaired) pushText(state, findShownText(element));
}

function isClosedLater(state: StateInline, tag: TemplateTag): boolean {
  spendWork(getPage(state.env).costs, maxInnerText);
  const rest = state.src.slice(tag.end, Math.min(state.posMax, tag.end + maxInnerText));
  if (tag.syntax === 'shortcode') return new RegExp(`\\{\\{[<%]\\s*/\\s*${escapePattern(tag.name)}\\s`).test(rest);
  return new RegExp(`\\{%-?\\s*end(?:${escapePattern(tag.name)})?\\s*-?%`).test(rest);
}

function escapePattern(name: string): string {
  return name.replace(/[^\w]/g, '\\$&');
}

function pushExpression(state: StateInline, page: PageState, silent: boolean): number | undefined {
  const end = findExpressionEnd(page, state.src, state.pos, Math.min(state.posMax, state.pos + maxBraces));
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

const iconName = /:(?:material|octicons|fontawesome|simple)(?:[-/][a-z0-9]+)+:/g;

/** Returns text of raw HTML, between tags, with what only another generator understands replaced or left out. */
export function replaceInHtml(page: PageState, source: string): string {
  const text = page.dialect.pymdown && source.includes(':') ? source.replace(iconName, '') : source;
  if (!/\{[{%/]/.test(text) && !(page.dialect.expressions && text.includes('{'))) return text;
  let result = '';
  let copied = 0;
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at)) {
    const found = replaceAt(page, text, at);
    if (found === undefined) {
      at++;
      continue;
    }
    result += text.slice(copied, at) + escapeHtml(found.value);
    at = copied = found.end;
  }
  return result + text.slice(copied);
}

function replaceAt(
  page: PageState,
  text: string,
  at: number,
): { readonly value: string; readonly end: number } | undefined {
  if (text.startsWith('/*', at + 1)) {
    const end = findCommentEnd(page, text, at, at + maxBraces);
    return end === undefined ? undefined : { value: '', end };
  }
  const tag = findTemplateTag(page, text, at, text.length);
  if (tag === undefined || (tag.syntax === 'statement' && page.dialect.liquid === 'text')) {
    const max = Math.min(text.length, at + maxBraces);
    const end = page.dialect.expressions ? findExpressionEnd(page, text, at, max) : undefined;
    return end === undefined ? undefined : { value: evaluateExpression(page, text.slice(at, end)) ?? '', end };
  }
  if (tag.syntax === 'value' && !isValue(page, tag)) return undefined;
  const value =
    tag.shown ?? (tag.syntax === 'value' ? evaluateValue(tag.body) : resolveTemplateUrl(text.slice(at, tag.end)));
  if (value === undefined && tag.kind !== 'close') warnLeftOut(page, text.slice(at, tag.end));
  return { value: value ?? '', end: tag.end };
}
