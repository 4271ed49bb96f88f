import { decodeHTML } from 'entities';
import type { PageSection } from '../model.ts';
import type { Draft } from './draft.ts';

/** Elements whose content is not read. */
const UNREAD = new Set(['script', 'style', 'template', 'textarea', 'iframe', 'noscript', 'svg', 'math', 'object']);
/** Elements that stand inside a line; all others part words. */
const INLINE = new Set(
  'a abbr b bdi bdo cite code data del dfn em i ins kbd mark q s samp small span strong sub sup time u var wbr'.split(
    ' ',
  ),
);
/** What the engine itself adds to a text. */
const ADDED = /\sclass="(?:anchor|toc|footnote-back|footnote-ref|missing-include|diagram-source)"|\saria-hidden="true"/;
const HEADING = /^h[1-6]$/;
const TAG_NAME = /\/?([a-zA-Z][\w-]*)/y;
/** A whole tag whose quotes end: its name, and what stands behind it. Millions of quotes would exceed the stack of an expression. */
const TAG = /<(\/?[a-zA-Z][\w-]*)([^"'>]*(?:"[^"]*"[^"'>]*|'[^']*'[^"'>]*){0,100})>/y;

/**
 * Returns what a page says, by its headings that a link can lead to; the first section is what stands above all others but for
 * the heading of level 1 on top of the page, which is its own. Code and the TeX of formulas are part of the text. A single pass over the draft; never throws.
 */
export function readSections({ html, slots }: Pick<Draft, 'html' | 'slots'>): readonly PageSection[] {
  const sections = [{ id: '', heading: '', text: '' }];
  let current = sections[0]!;
  let heading: { readonly element: string; readonly id: string; readonly isTitle: boolean; text: string } | undefined;
  /** The element that is not read, and how many of its name are open. */
  let unread: { readonly element: string; depth: number } | undefined;
  let hasOpenQuote = false;
  /** Something stands above the first section that a link can lead to. */
  let hasOpening = false;

  const add = (text: string): void => {
    if (unread) return;
    hasOpening ||= !heading?.isTitle && text.trim() !== '';
    if (heading) heading.text += text;
    else current.text += text;
  };
  const addText = (text: string): void => {
    if (text === '' || unread) return;
    if (!text.includes('\0')) {
      add(text.includes('&') ? decode(text) : text);
      return;
    }
    for (const [at, part] of text.split('\0').entries()) {
      if (at % 2 === 0) {
        addText(part);
        continue;
      }
      const slot = slots[Number(part)];
      if (slot?.kind === 'code') add(slot.block.text);
      else if (slot?.kind === 'formula') add(slot.tex);
    }
  };
  const open = (element: string, attributes: string): void => {
    if (unread) {
      if (element === unread.element) unread.depth++;
      return;
    }
    if (attributes !== '' && ADDED.test(attributes)) {
      unread = { element, depth: 1 };
      return;
    }
    if (!INLINE.has(element)) add(' ');
    if (element === 'img') add(decodeHTML(/\salt="([^"]*)"/.exec(attributes)?.[1] ?? ''));
    if (heading || !HEADING.test(element)) return;
    const id = decodeHTML(/\sid="([^"]*)"/.exec(attributes)?.[1] ?? '');
    const isTitle = element === 'h1' && sections.length === 1 && !hasOpening;
    heading = { element, id, isTitle, text: '' };
  };
  /** Returns where to read on. */
  const openAndSkip = (element: string, attributes: string, end: number): number => {
    open(element, attributes);
    return UNREAD.has(element) ? findClosing(html, element, end) : end;
  };
  const close = (element: string): void => {
    if (unread) {
      if (element === unread.element && --unread.depth === 0) unread = undefined;
      return;
    }
    if (heading?.element === element) closeHeading(heading);
    if (!INLINE.has(element)) add(' ');
  };
  const closeHeading = ({ id, isTitle, text }: NonNullable<typeof heading>): void => {
    heading = undefined;
    if (isTitle) {
      current.heading = oneLine(text);
      return;
    }
    if (id === '') {
      add(` ${text} `);
      return;
    }
    current = { id, heading: oneLine(text), text: '' };
    sections.push(current);
  };
  /**
   * Returns the position after a tag; quotes that do not end are taken for text from there on, so that each is looked
   * for once.
   */
  const findTagEnd = (start: number): number => {
    for (let at = start; !hasOpenQuote && at < html.length; at++) {
      const sign = html[at];
      if (sign === '>') return at + 1;
      if (sign !== '"' && sign !== "'") continue;
      at = html.indexOf(sign, at + 1);
      if (at < 0) hasOpenQuote = true;
      if (at < 0) break;
    }
    const end = html.indexOf('>', start);
    return end < 0 ? html.length : end + 1;
  };

  for (let at = 0; at < html.length; ) {
    const start = html.indexOf('<', at);
    addText(start < 0 ? html.slice(at) : html.slice(at, start));
    if (start < 0) break;
    TAG.lastIndex = start;
    const tag = hasOpenQuote ? null : TAG.exec(html);
    if (tag) {
      at = TAG.lastIndex;
      const name = tag[1]!.toLowerCase();
      if (name.startsWith('/')) close(name.slice(1));
      else at = openAndSkip(name, tag[2]!, at);
      continue;
    }
    TAG_NAME.lastIndex = start + 1;
    const name = TAG_NAME.exec(html)?.[1]?.toLowerCase();
    if (html.startsWith('<!--', start)) {
      const end = html.indexOf('-->', start);
      at = end < 0 ? html.length : end + 3;
    } else if (name === undefined) {
      add('<');
      at = start + 1;
    } else {
      at = findTagEnd(start + 1);
      if (html[start + 1] === '/') close(name);
      else at = openAndSkip(name, html.slice(start + 1 + name.length, at), at);
    }
  }
  return sections.map((section) => ({ ...section, text: oneLine(section.text) }));
}

/** Returns where the content of an element ends that is not read; the end of the text where it does not end. */
function findClosing(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}`, 'gi');
  closing.lastIndex = from;
  return closing.exec(html)?.index ?? html.length;
}

const ESCAPED: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };

/** Most texts hold only what the renderer escapes. */
function decode(text: string): string {
  const isPlain = !/&(?!(?:lt|gt|quot|amp);)/.test(text);
  return isPlain ? text.replace(/&(?:lt|gt|quot|amp);/g, (entity) => ESCAPED[entity]!) : decodeHTML(text);
}

function oneLine(text: string): string {
  return text.replace(/ *[^\S ]\s*| {2,}/g, ' ').trim();
}
