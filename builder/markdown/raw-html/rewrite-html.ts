import { decodeHTMLAttribute } from 'entities';
import { escapeHtml } from '../../../lib/html-text.ts';
import { findBadgeKind, findShownText } from '../foreign/elements.ts';
import { replaceInHtml, showVerbatim } from '../foreign/fill-text.ts';
import type { InlineTag } from '../foreign/inline.ts';
import { renderInlineElement } from '../foreign/inline-element.ts';
import type { ForeignElement } from '../foreign/meaning.ts';
import { toElement } from '../foreign/template-tags.ts';
import { createLineCounter } from '../html/open-addresses.ts';
import {
  documentElements,
  isComponentName,
  optionalClosing,
  scanTag,
  type Tag,
  textElements,
  voidElements,
} from '../html/scan-tag.ts';
import { findEnd, type PageState, warnOnce } from '../page/page-state.ts';
import { importsForeign, isForeign, openStyleBlock } from './foreign-resources.ts';
import { hasVueAttribute, rewriteAttributes } from './rewrite-attributes.ts';

/** The context of an inline tag. */
export interface InlinePlace {
  readonly frame: HtmlFrame;
  /** The frame of the block around the text. */
  readonly block: HtmlFrame;
  readonly line: number;
  /** Returns whether a closing tag of that name follows in the same text. */
  readonly isClosedLater: (name: string) => boolean;
}

/** Rewrites the raw HTML of one page. */
export interface HtmlRewriter {
  rewriteBlock(html: string, frame: HtmlFrame, line: number, isIncluded: boolean): string;
  rewriteInline(html: string, place: InlinePlace): string;
  /** Returns the HTML of a shortcode, or another tag of a template, inside a text. */
  rewriteForeign(tag: InlineTag, place: InlinePlace): string;
}

/** Creates the rewriter of a page's raw HTML; links and ids it finds go to the page. */
export function createHtmlRewriter(page: PageState): HtmlRewriter {
  return {
    rewriteBlock: (html, frame, line, isIncluded) => rewriteBlock(page, html, { frame, line, isIncluded }),
    rewriteInline: (html, place) => rewriteInline(page, html, place),
    rewriteForeign: (tag, { frame, line }) => {
      const name = `{${tag.name.toLowerCase()}`;
      if (tag.element === undefined) return closeElement(frame, name);
      return rewriteElement(page, tag.element, { frame, line, name }) ?? '';
    },
  };
}

function rewriteBlock(
  page: PageState,
  html: string,
  { frame, line, isIncluded }: { frame: HtmlFrame; line: number; isIncluded: boolean },
): string {
  let result = '';
  let copied = 0;
  const lineOf = isIncluded ? () => line : createLineCounter(html, line);
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) {
    const next = html.charCodeAt(at + 1);
    if (next === 33 /* ! */ || next === 63 /* ? */) {
      const end = findSpecialEnd(html, at);
      if (end < 0) return `${result}${html.slice(copied)}${html.startsWith('<!--', at) ? '-->' : '>'}`;
      at = end;
      continue;
    }
    const tag = findEnd(page, () => scanTag(html, at, html.length));
    if (tag === undefined) {
      result += `${showText(html.slice(copied, at))}&lt;`;
      at = copied = at + 1;
      continue;
    }
    const text = findTextContent(html, tag);
    result +=
      showText(html.slice(copied, at)) + rewriteTag(page, { html, at, tag, frame, line: lineOf(at), isIncluded, text });
    at = copied = text?.end ?? tag.end;
  }
  return result + showText(html.slice(copied));

  function showText(text: string): string {
    const isShown = frame.count.get('pre') || frame.count.get('code') || isVerbatim(frame);
    return isShown ? showVerbatim(page, text) : replaceInHtml(page, text);
  }
}

function rewriteInline(page: PageState, html: string, place: InlinePlace): string {
  if (html === '') return '';
  const next = html.charCodeAt(1);
  if (next === 33 /* ! */ || next === 63 /* ? */) return html;
  const tag = scanTag(html, 0, html.length);
  if (tag === undefined || tag === 'unterminated') return `&lt;${html.slice(1)}`;
  const name = tag.name.toLowerCase();
  const { frame, block, line } = place;
  if (tag.isClosing) {
    const isOpen = frame.count.get(name);
    if (!isOpen && block.outer?.count.get(name)) block.late.push(name);
    return closeElement(frame, name);
  }
  // `Array<T>` is prose about types, `<title>` prose about HTML: neither opens an element here.
  const isProse = textElements.has(name) || (isComponentName(tag.name) && tag.attributes.length === 0);
  if (isProse && !tag.isSelfClosing && !place.isClosedLater(name)) return escapeHtml(html);
  return rewriteTag(page, { html, at: 0, tag, frame, line, isIncluded: false, text: undefined });
}

interface TagInText {
  readonly html: string;
  readonly at: number;
  readonly tag: Tag;
  readonly frame: HtmlFrame;
  readonly line: number;
  /** The lines of the text are not lines of the page. */
  readonly isIncluded: boolean;
  /** The end of the content of a script and the like, if it is known. */
  readonly text: { readonly end: number; readonly closing: string } | undefined;
}

function rewriteTag(page: PageState, place: TagInText): string {
  const { html, at, tag, frame, line, isIncluded, text } = place;
  const name = tag.name.toLowerCase();
  if (tag.isClosing) return closeElement(frame, name);
  if (documentElements.has(name)) return '';
  if (tag.name === 'Badge') {
    if (!tag.isSelfClosing) openElement(frame, { name, closing: '</span>', implied: '</span>' });
    return `${renderBadge(tag)}${tag.isSelfClosing ? '</span>' : ''}`;
  }
  if (isComponentName(tag.name)) {
    // `<your.domain>` on its own line is a placeholder, not a tag.
    const isBare = !tag.isSelfClosing && tag.attributes.length === 0;
    if (isBare && !page.closingNames.has(tag.name)) return escapeHtml(html.slice(at, tag.end));
    const element = toElement(page, tag, !tag.isSelfClosing);
    const known = rewriteElement(page, element, { frame, line, name });
    if (known !== undefined) return known;
    warnOnce(page, line, 'inert-tag', `Tag <${tag.name}> belongs to another generator and was left out`);
    return tag.isSelfClosing ? escapeHtml(findShownText(element)) : '';
  }
  if (text !== undefined && isSiteScript(tag, html.slice(tag.end, text.end))) return '';
  if (name === 'template' && hasVueAttribute(tag)) {
    if (!tag.isSelfClosing) openElement(frame, { name, closing: '', implied: '' });
    return '';
  }
  if (isTooDeep(frame)) return '';
  const opening = rewriteAttributes(page, { html, at, tag, line });
  if ((name === 'script' || name === 'link') && isForeign(page, opening, line)) return '';
  if (text !== undefined) {
    const content = html.slice(tag.end, text.end);
    const lineOf = isIncluded ? () => line : createLineCounter(content, line);
    if (name === 'script' && importsForeign(page, tag, content, lineOf)) return '';
    return opening + (name === 'style' ? openStyleBlock(page, content, lineOf) : content) + text.closing;
  }
  if (voidElements.has(name)) return opening;
  if (tag.isSelfClosing) return `${opening}</${tag.name}>`;
  const closing = `</${tag.name}>`;
  const isVerbatim = tag.attributes.some((attribute) => attribute.name === VERBATIM);
  openElement(frame, { name, closing, implied: optionalClosing.has(name) ? '' : closing, isVerbatim });
  return opening;
}

/** Vue's attribute of an element whose expressions are text. */
const VERBATIM = 'v-pre';

/** Returns whether one of the open elements shows expressions as written. */
function isVerbatim(frame: HtmlFrame): boolean {
  for (let at: HtmlFrame | undefined = frame; at !== undefined; at = at.outer) {
    if (at.open.some((element) => element.isVerbatim)) return true;
  }
  return false;
}

/** Returns the HTML of an element of another generator inside a text, or inside HTML; undefined if it has none there. */
function rewriteElement(
  page: PageState,
  element: ForeignElement,
  { frame, line, name }: { readonly frame: HtmlFrame; readonly line: number; readonly name: string },
): string | undefined {
  const written = renderInlineElement(element);
  if (written === undefined) return undefined;
  const { open, text, close } = written;
  const tag = scanTag(open, 0, open.length);
  const opening = typeof tag === 'object' ? rewriteAttributes(page, { html: open, at: 0, tag, line }) : '';
  if (!element.isPaired) return opening + escapeHtml(text) + close;
  openElement(frame, { name, closing: close, implied: close });
  return opening;
}

/** Returns the end of the text of a script, style, title …; an unclosed one extends to the end. */
function findTextContent(html: string, tag: Tag): TagInText['text'] {
  const name = tag.name.toLowerCase();
  if (tag.isClosing || tag.isSelfClosing || !textElements.has(name) || isComponentName(tag.name)) return undefined;
  const closing = new RegExp(`</${name}[\\s/>]`, 'gi');
  closing.lastIndex = tag.end;
  const match = closing.exec(html);
  const end = match === null ? -1 : html.indexOf('>', match.index);
  return end < 0 ? { end: html.length, closing: `</${name}>` } : { end: end + 1, closing: '' };
}

/** Returns the position after a comment, declaration or instruction, or -1. */
function findSpecialEnd(html: string, start: number): number {
  if (!html.startsWith('<!--', start)) return html.indexOf('>', start) + 1 || -1;
  if (html.startsWith('>', start + 4)) return start + 5;
  if (html.startsWith('->', start + 4)) return start + 6;
  const end = html.indexOf('-->', start + 4);
  return end < 0 ? -1 : end + 3;
}

/** The open raw elements inside one element created by Markdown. */
export interface HtmlFrame {
  readonly open: OpenElement[];
  readonly count: Map<string, number>;
  readonly outer: HtmlFrame | undefined;
  /** Raw elements that are open around the frame. */
  readonly depth: number;
  /** Elements of the outer frame that a paragraph closes: they end behind the paragraph. */
  readonly late: string[];
}

/** An open element. */
export interface OpenElement {
  readonly name: string;
  /** Its closing tag: if written, and if omitted by the author. */
  readonly closing: string;
  readonly implied: string;
  readonly isVerbatim?: boolean;
}

/** Deeper raw elements lose their tags: HTML parsers, including those of browsers, cannot handle them. */
const MAX_DEPTH = 200;

/** Creates an empty frame inside another one, or for `around` elements that are open already. */
export function createFrame(outer: HtmlFrame | undefined, around = 0): HtmlFrame {
  const depth = outer === undefined ? around : outer.depth + outer.open.length;
  return { open: [], count: new Map(), outer, depth, late: [] };
}

/** Returns whether no more elements may be opened in a frame. */
function isTooDeep(frame: HtmlFrame): boolean {
  return frame.depth + frame.open.length >= MAX_DEPTH;
}

/** Adds an element that is open from here on. */
function openElement(frame: HtmlFrame, element: OpenElement): void {
  frame.open.push(element);
  frame.count.set(element.name, (frame.count.get(element.name) ?? 0) + 1);
}

/** Returns the closing tags that end an element of a frame, '' when none of that name is open. */
export function closeElement(frame: HtmlFrame, name: string): string {
  if (!frame.count.get(name)) return '';
  let html = '';
  for (;;) {
    const element = frame.open.pop()!;
    frame.count.set(element.name, frame.count.get(element.name)! - 1);
    if (element.name === name) return html + element.closing;
    html += element.implied;
  }
}

/** Returns the closing tags of everything that is open in a frame. */
export function closeFrame(frame: HtmlFrame): string {
  let html = '';
  for (const element of frame.open.reverse()) html += element.implied;
  frame.open.length = 0;
  frame.count.clear();
  return html;
}

const SITE_ATTRIBUTES = new Set(['setup', 'lang', 'module', 'scoped', 'client']);

/**
 * Returns whether a `<script>` or `<style>` is one that another generator compiles (Vue's `setup`, `lang="ts"`, `scoped`
 * …). A script that imports or exports without being a module is one, too: no browser would run it.
 */
function isSiteScript(tag: Tag, content: string): boolean {
  const name = tag.name.toLowerCase();
  if (name !== 'script' && name !== 'style') return false;
  if (tag.attributes.some((attribute) => SITE_ATTRIBUTES.has(attribute.name.toLowerCase()))) return true;
  return name === 'script' && tag.attributes.length === 0 && /^\s*(?:import|export)\s/m.test(content);
}

/** Returns the opening of a badge, `<Badge type="tip" text="beta" />`, with its text; the caller closes the span. */
function renderBadge(tag: Tag): string {
  const kind = findBadgeKind(findValue(tag, 'type') ?? findValue(tag, 'variant') ?? '');
  return `<span class="badge ${kind}">${escapeHtml(decodeHTMLAttribute(findValue(tag, 'text') ?? ''))}`;
}

function findValue(tag: Tag, name: string): string | undefined {
  return tag.attributes.find((attribute) => attribute.name === name && !attribute.isExpression)?.value;
}
