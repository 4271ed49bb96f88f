import { decodeHTML } from 'entities';
import type { PageSection } from '../model.ts';
import type { Draft } from './draft.ts';
import { type HtmlReader, INLINE, isHidden, scanHtml } from './html/scan-html.ts';

/** Classes of markup that the engine itself adds to a text. */
const ADDED = new Set('anchor toc footnote-back footnote-ref missing-include diagram-source'.split(' '));
const HEADING = /^h[1-6]$/;

/**
 * Returns what a page says, by its headings that a link can lead to; the first section is what stands above all others but for
 * the heading of level 1 on top of the page, which is its own. Code and the TeX of formulas are part of the text. A single pass over the draft; never throws.
 */
export function readSections({ html, slots }: Pick<Draft, 'html' | 'slots'>): readonly PageSection[] {
  const reader = createSectionReader(slots);
  scanHtml(html, [reader]);
  return reader.finish();
}

/** Creates the reader of a draft that finds its sections, see `readSections`. */
export function createSectionReader(slots: Draft['slots']): HtmlReader & { finish(): readonly PageSection[] } {
  const sections = [{ id: '', heading: '', text: '' }];
  let current = sections[0]!;
  let heading: { readonly element: string; readonly id: string; readonly isTitle: boolean; text: string } | undefined;
  /** The element that is not read, and how many of its name are open. */
  let unread: { readonly element: string; depth: number } | undefined;
  /** Something stands above the first section that a link can lead to. */
  let hasOpening = false;

  const add = (text: string): void => {
    if (unread) return;
    hasOpening ||= !heading?.isTitle && text.trim() !== '';
    if (heading) heading.text += text;
    else current.text += text;
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
  return {
    text(text) {
      add(text);
    },
    slot(number) {
      const slot = slots[number];
      if (slot?.kind === 'code') add(slot.block.text);
      else if (slot?.kind === 'formula') add(slot.tex);
    },
    open(element, attributes, classes) {
      if (unread) {
        if (element === unread.element) unread.depth++;
        return;
      }
      if (ADDED.has(classes) || isHidden(attributes)) {
        unread = { element, depth: 1 };
        return;
      }
      if (!INLINE.has(element)) add(' ');
      if (element === 'img') add(decodeHTML(/\salt="([^"]*)"/.exec(attributes)?.[1] ?? ''));
      if (heading || !HEADING.test(element)) return;
      const id = decodeHTML(/\sid="([^"]*)"/.exec(attributes)?.[1] ?? '');
      const isTitle = element === 'h1' && sections.length === 1 && !hasOpening;
      heading = { element, id, isTitle, text: '' };
    },
    close(element) {
      if (unread) {
        if (element === unread.element && --unread.depth === 0) unread = undefined;
        return;
      }
      if (heading?.element === element) closeHeading(heading);
      if (!INLINE.has(element)) add(' ');
    },
    finish: () => sections.map((section) => ({ ...section, text: oneLine(section.text) })),
  };
}

function oneLine(text: string): string {
  return text.replace(/\s{2,}|[^\S ]/g, ' ').trim();
}
