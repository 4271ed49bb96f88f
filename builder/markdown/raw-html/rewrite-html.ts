import { decodeHTMLAttribute } from 'entities';
import { escapeHtml } from '../../../lib/html-text.ts';
import { isWebUrl } from '../../../lib/url-text.ts';
import { findBadgeKind, findShownText } from '../foreign/elements.ts';
import { fillTemplate, replaceInHtml, showVerbatim } from '../foreign/fill-text.ts';
import type { InlineTag } from '../foreign/inline.ts';
import { renderInlineElement } from '../foreign/inline-element.ts';
import type { ForeignElement } from '../foreign/meaning.ts';
import { evaluateExpression, evaluateValue, toElement } from '../foreign/template-tags.ts';
import { createLineCounter, openAttribute } from '../html/open-addresses.ts';
import {
  documentElements,
  isComponentName,
  optionalClosing,
  scanTag,
  type Tag,
  type TagAttribute,
  textElements,
  voidElements,
} from '../html/scan-tag.ts';
import { takeAuthorId } from '../page/page-ids.ts';
import { addLinkSlot, findEnd, type PageState, warnOnce } from '../page/page-state.ts';
import { importsForeign, isForeign, openStyleBlock } from './foreign-resources.ts';

export interface InlinePlace {
  readonly frame: HtmlFrame;
  /** The frame of the block around the text. */
  readonly block: HtmlFrame;
  readonly line: number;
  /** Returns whether a closing tag of that name follows in the same text. */
  readonly isClosedLater: (name: string) => boolean;
}

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
  const embed = name === 'iframe' ? deferFrame(opening) : undefined;
  if (embed !== undefined) {
    if (text === undefined && !tag.isSelfClosing) openElement(frame, { name, closing: '', implied: '' });
    return embed;
  }
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

/**
 * Returns a frame that shows another site as one that is loaded when a reader asks for it, with the link that asks; without a
 * script it leads there. Undefined for a frame of the same site.
 */
function deferFrame(opening: string): string | undefined {
  const tag = scanTag(opening, 0, opening.length);
  if (typeof tag !== 'object') return undefined;
  const read = (name: string): string => decodeHTMLAttribute(findValue(tag, name) ?? '').trim();
  const url = read('src').replace(/^\/\//, 'https://');
  if (!isWebUrl(url) || !URL.canParse(url)) return undefined;
  const kept = tag.attributes.filter(({ name }) => !/^(?:src|srcdoc|loading|frameborder)$/i.test(name));
  const attributes = kept.map(({ start, end }) => ` ${opening.slice(start, end)}`).join('');
  const [width, height] = [Number(read('width')), Number(read('height').replace(/px$/, ''))];
  const isFilm = !(height > 0) || (width > 0 && width / height > 1.2 && width / height < 2.4);
  const { hostname } = new URL(url);
  const title = read('title');
  const label = title === '' ? escapeHtml(hostname) : `${escapeHtml(title)} <small>${escapeHtml(hostname)}</small>`;
  return `<span class="embed${isFilm ? ' film' : ''}"><iframe${attributes} data-src="${escapeHtml(url)}"></iframe><a class="embed-link" href="${escapeHtml(url)}">${label}</a></span>`;
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
  return name === 'script' && tag.attributes.length === 0 && /^[ \t]*(?:import|export)\s/m.test(content);
}

/** Returns the opening of a badge, `<Badge type="tip" text="beta" />`, with its text; the caller closes the span. */
function renderBadge(tag: Tag): string {
  const kind = findBadgeKind(findValue(tag, 'type') ?? findValue(tag, 'variant') ?? '');
  return `<span class="badge ${kind}">${escapeHtml(decodeHTMLAttribute(findValue(tag, 'text') ?? ''))}`;
}

function findValue(tag: Tag, name: string): string | undefined {
  return tag.attributes.find((attribute) => attribute.name === name && !attribute.isExpression)?.value;
}

interface OpeningTag {
  readonly html: string;
  readonly at: number;
  readonly tag: Tag;
  readonly line: number;
}

/** Returns whether a tag has an attribute that only Vue understands. */
function hasVueAttribute(tag: Tag): boolean {
  return tag.attributes.some(isVueAttribute);
}

/** Returns an opening tag with slots for URLs and without attributes of Vue and JSX; records its ids. */
function rewriteAttributes(page: PageState, { html, at, tag, line }: OpeningTag): string {
  const element = tag.name.toLowerCase();
  const rel = tag.attributes.find(({ name }) => name.toLowerCase() === 'rel')?.value;
  let result = '';
  let isChanged = false;
  for (const attribute of tag.attributes) {
    const source = html.slice(attribute.start, attribute.end);
    const written = rewriteAttribute(page, attribute, { source, element, rel, line });
    if (written !== source) isChanged = true;
    if (written !== '') result += ` ${written}`;
  }
  if (!isChanged && !tag.isSelfClosing) return html.slice(at, tag.end);
  return `<${tag.name}${result}>`;
}

interface AttributePlace {
  readonly source: string;
  readonly element: string;
  readonly rel: string | undefined;
  readonly line: number;
}

/** Attributes whose names differ in JSX. */
const NAME_OF_PROPERTY = new Map([
  ['className', 'class'],
  ['htmlFor', 'for'],
  ['srcSet', 'srcset'],
]);

function rewriteAttribute(page: PageState, written: TagAttribute, place: AttributePlace): string {
  const attribute = written.isExpression ? evaluateAttribute(page, written) : evaluateBinding(page, written);
  if (attribute === undefined || isVueAttribute(attribute)) return '';
  const { source, element, rel, line } = place;
  if (!attribute.value) return attribute.name === 'markdown' ? '' : source;
  const name = (NAME_OF_PROPERTY.get(attribute.name) ?? attribute.name).toLowerCase();
  if (name === 'markdown' && /^(?:1|block|span|true)$/.test(attribute.value)) return '';
  const decoded = decodeHTMLAttribute(attribute.value);
  const value = fillTemplate(page, decoded, line);
  if (value === undefined) return '';
  const id = name === 'id' ? takeAuthorId(page, value, line) : value;
  if (id !== value) return `id="${escapeHtml(id)}"`;
  if (name === 'name' && element === 'a') page.ids.add(value);
  const opened = openAttribute({ element, name, value, rel }, (kind, url) => addLinkSlot(page, kind, url, line));
  if (opened !== undefined) return `${name}="${opened}"`;
  const isAsWritten = value === decoded && attribute === written && name === attribute.name.toLowerCase();
  return isAsWritten ? source : `${name}="${escapeHtml(value)}"`;
}

/** Returns an attribute that Vue computes, `:src="$withBase('/a.png')"`, with its value where that is a literal. */
function evaluateBinding(page: PageState, attribute: TagAttribute): TagAttribute {
  const name = /^(?::|v-bind:)(src|href|alt|title|poster)$/.exec(attribute.name)?.[1];
  if (name === undefined || attribute.value === undefined) return attribute;
  const code = decodeHTMLAttribute(attribute.value);
  const value = evaluateValue(page, code) ?? evaluateExpression(page, code);
  return value === undefined ? attribute : { ...attribute, name, value: escapeHtml(value) };
}

/** Returns an attribute of JSX with the value that its expression stands for; undefined if it is computed. */
function evaluateAttribute(page: PageState, attribute: TagAttribute): TagAttribute | undefined {
  if (attribute.name === '' || attribute.value === undefined || /^on[A-Z]/.test(attribute.name)) return undefined;
  const value = evaluateExpression(page, attribute.value);
  return value === undefined ? undefined : { ...attribute, value: escapeHtml(value), isExpression: false };
}

function isVueAttribute({ name, isExpression }: TagAttribute): boolean {
  return isExpression || /^(?:v-|[:@#])/.test(name);
}
