import { escapeHtml } from '../../../lib/html-text.ts';
import { findBraceEnd } from '../html/scan-tag.ts';
import { findEnd, type PageState, warnOnce } from '../page/page-state.ts';
import { replaceIcons } from './icons.ts';
import {
  evaluateExpression,
  evaluateValue,
  findTemplateTag,
  resolveTemplateUrl,
  type TemplateTag,
} from './template-tags.ts';

/** Longer comments and expressions inside a text are treated as text. */
export const MAX_BRACES = 5_000;

/** Returns whether `{{ … }}` is more than text. */
export function isValue({ dialect }: PageState, { body, shown }: TemplateTag): boolean {
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
    case 'book':
      return /^book\.[\w.]+$/.test(body);
    default:
      return false;
  }
}

/** Returns a short text, such as a URL, with its tags replaced; undefined, with a warning, if one of them is unknown. */
export function fillTemplate(page: PageState, text: string, line?: number): string | undefined {
  if (text.length > MAX_BRACES || !text.includes('{')) return text;
  const filled = resolveTemplateUrl(page, text);
  const tag = filled === undefined ? findTag(page, text) : undefined;
  // Only the tag, which many URLs share.
  if (tag !== undefined) warnLeftOut(page, text.slice(tag.start, tag.end), line);
  return tag === undefined ? (filled ?? text) : undefined;
}

/** Returns the first tag in a text that is more than text to the page's generator. */
function findTag(page: PageState, text: string): TemplateTag | undefined {
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at + 1)) {
    const tag = findTemplateTag(page, text, at, text.length);
    if (tag === undefined) continue;
    if (tag.syntax === 'statement' ? page.dialect.liquid !== 'text' : tag.syntax !== 'value' || isValue(page, tag)) {
      return tag;
    }
  }
  return undefined;
}

/** Returns text of raw HTML, between tags, with the syntax of other generators replaced or removed. */
export function replaceInHtml(page: PageState, source: string): string {
  const text = page.dialect.pymdown && source.includes(':') ? replaceIcons(page, source) : source;
  if (!/\{[{%/]/.test(text) && !(page.dialect.expressions && text.includes('{'))) return text;
  let result = '';
  let copied = 0;
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at)) {
    const found = replaceAt(page, text, at);
    if (found === undefined) {
      at++;
      continue;
    }
    result += text.slice(copied, at) + (found.isHtml ? found.value : escapeHtml(found.value));
    at = copied = found.end;
  }
  return result + text.slice(copied);
}

/** Returns code in raw HTML without the marks around what Liquid shows as it is. */
export function showVerbatim({ dialect }: PageState, text: string): string {
  return dialect.liquid === 'everywhere' ? text.replace(/\{%-?[ \t]*(?:end)?raw[ \t]*-?%\}/g, '') : text;
}

function replaceAt(
  page: PageState,
  text: string,
  at: number,
): { readonly value: string; readonly end: number; readonly isHtml?: true } | undefined {
  if (text.startsWith('/*', at + 1)) {
    const end = findCommentEnd(page, text, at, at + MAX_BRACES);
    return end === undefined ? undefined : { value: '', end };
  }
  const tag = findTemplateTag(page, text, at, text.length);
  if (tag?.name === 'raw' && tag.kind === 'open' && page.dialect.liquid !== 'text') {
    const close = /\{%-?\s*endraw\s*-?%\}/g;
    close.lastIndex = tag.end;
    const end = close.exec(text);
    if (end) return { value: text.slice(tag.end, end.index), end: end.index + end[0].length, isHtml: true };
  }
  if (tag === undefined || (tag.syntax === 'statement' && page.dialect.liquid === 'text')) {
    const max = Math.min(text.length, at + MAX_BRACES);
    const end = page.dialect.expressions ? findExpressionEnd(page, text, at, max) : undefined;
    return end === undefined ? undefined : { value: evaluateExpression(page, text.slice(at, end)) ?? '', end };
  }
  if (tag.syntax === 'value' && !isValue(page, tag)) return undefined;
  const value =
    tag.shown ??
    (tag.syntax === 'value' ? evaluateValue(page, tag.body) : resolveTemplateUrl(page, text.slice(at, tag.end)));
  if (value === undefined && tag.kind !== 'close') warnLeftOut(page, text.slice(at, tag.end));
  return { value: value ?? '', end: tag.end };
}

/** Returns the position after a comment in braces. */
export function findCommentEnd(page: PageState, text: string, start: number, max: number): number | undefined {
  const found = findEnd(page, () => {
    const end = text.slice(start, max).indexOf('*/}');
    return end < 0 ? 'unterminated' : { end: start + end + 3 };
  });
  return found?.end;
}

/** Returns the position after an expression in braces. */
export function findExpressionEnd(page: PageState, text: string, start: number, max: number): number | undefined {
  const found = findEnd(page, () => {
    const end = findBraceEnd(text, start, max);
    return end < 0 ? 'unterminated' : { end };
  });
  return found?.end;
}

/** Warns of text that only another generator understands. */
export function warnLeftOut(page: PageState, source: string, line = page.costs.line): void {
  const inLine = source.replace(/\s+/g, ' ');
  const text = inLine.length > 60 ? `${inLine.slice(0, 60)}…` : inLine;
  warnOnce(page, line, 'foreign-syntax', `"${text}" belongs to another generator and was left out`);
}
