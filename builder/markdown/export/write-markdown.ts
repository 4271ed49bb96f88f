import { type CodeSlot, type Draft, numberLinks } from '../draft.ts';
import { type HtmlReader, isHidden, scanHtml } from '../html/scan-html.ts';
import { openElement, takeVoid } from './elements.ts';
import { type ElementEnd, MarkdownPage } from './markdown-page.ts';
import { escapeMarkdown, quoteCode } from './markdown-text.ts';
import { withoutPlaces } from './places.ts';

/** Classes of markup that the engine itself adds to a text. */
const ADDED = new Set(['anchor', 'toc', 'footnote-back', 'diagram-source']);
/** Elements without an end. */
const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
/** Elements that end where the next one of their kind begins. */
const UNENDED = new Set('p li dt dd tr td th option'.split(' '));
/** Bars of formulas by other names: in a cell they would end it. */
const BARS = new Map([
  ['|', '\\vert '],
  ['\\|', '\\Vert '],
]);
const BLANKS = /[\t\r\n\f]| {2}/;

/** An element by its name. */
interface ElementKind {
  readonly name: string;
  readonly isUnended: boolean;
  /** How many are open. */
  open: number;
}

interface OpenElement {
  readonly kind: ElementKind;
  readonly end: ElementEnd | undefined;
}

/**
 * Returns a draft as Markdown (GFM) that needs no generator: callouts are alerts, tabs are below their titles, formulas stand
 * in `$`, diagrams are code. Its places for links are open, see `fillMarkdown`. A single pass; never throws.
 */
export function writeMarkdown(draft: Pick<Draft, 'html' | 'slots'>, titles: Readonly<Record<string, string>>): string {
  const writer = createMarkdownWriter(draft, titles);
  scanHtml(draft.html, [writer]);
  return writer.finish();
}

/** Creates the reader of a draft that writes it as Markdown, see `writeMarkdown`. */
export function createMarkdownWriter(
  draft: Pick<Draft, 'html' | 'slots'>,
  titles: Readonly<Record<string, string>>,
  links = numberLinks(draft),
): HtmlReader & { finish(): string } {
  const { slots } = draft;
  const page = new MarkdownPage(titles, links.numbers);
  const { layout } = page;
  const elements: OpenElement[] = [];
  const kinds = new Map<string, ElementKind>();
  let unread: { readonly element: string; depth: number } | undefined;

  return {
    text(text) {
      if (unread) return;
      if (page.captured) page.captured.text += text;
      else addText(text);
    },
    slot(number) {
      const slot = slots[number];
      if (unread || slot === undefined) return;
      if (slot.kind === 'code') addCode(slot);
      else if (slot.kind === 'formula')
        addFormula(withoutPlaces(slot.tex), /^<math[^>]*\sdisplay="block"/.test(slot.html));
    },
    open(element, attributes, classes) {
      const isVoid = VOID.has(element);
      if (unread) {
        if (element === unread.element && !isVoid) unread.depth++;
      } else if (attributes !== '' && (ADDED.has(classes) || isHidden(attributes))) {
        if (!isVoid) unread = { element, depth: 1 };
      } else if (isVoid) {
        // What is marked up in a text that is wanted as it is is nothing but text.
        if (!page.captured) takeVoid(page, element, attributes);
        else if (element === 'br') page.captured.text += '\n';
      } else push(element, attributes, classes);
    },
    close(element) {
      if (unread) {
        if (element === unread.element && --unread.depth === 0) unread = undefined;
      } else if (elements.at(-1)?.kind.name === element) endElement();
      else if ((kinds.get(element)?.open ?? 0) > 0) while (endElement() !== element);
    },
    finish() {
      while (elements.length > 0) endElement();
      const text = layout.finish();
      return `${page.hasTitle ? '' : '\0#\0'}${text}${text === '' ? '' : '\n'}`;
    },
  };

  function push(element: string, attributes: string, classes: string): void {
    const kind = kinds.get(element) ?? { name: element, isUnended: UNENDED.has(element), open: 0 };
    if (kind.open === 0) kinds.set(element, kind);
    let end: ElementEnd | undefined;
    if (!page.captured) {
      if (kind.isUnended && elements.at(-1)?.kind === kind) endElement();
      const isInItem = elements.at(-1)?.kind.name === 'li';
      end = openElement(page, { element, attributes, classes, isInItem });
    }
    kind.open++;
    elements.push({ kind, end });
  }

  function endElement(): string {
    const { kind, end } = elements.pop()!;
    kind.open--;
    end?.(page);
    return kind.name;
  }

  function addText(text: string): void {
    if (text === '\n') {
      layout.space();
      return;
    }
    const words = BLANKS.test(text) ? text.replace(/[ \t\r\n\f]+/g, ' ') : text;
    const start = words.startsWith(' ') ? 1 : 0;
    const end = words.endsWith(' ') ? words.length - 1 : words.length;
    if (start === 1) layout.space();
    if (end <= start) return;
    const { isAtStart: isFirst, inCell } = layout;
    layout.write(escapeMarkdown(words.slice(start, end), { isFirst, inCell, inLink: page.inLink }));
    if (end < words.length) layout.space();
  }

  function addCode(slot: CodeSlot): void {
    const code = withoutPlaces(slot.block.text);
    if (page.captured) Object.assign(page.captured, { text: page.captured.text + code, slot });
    else layout.write(quoteCode(code, layout.inCell));
  }

  function addFormula(tex: string, isBlock: boolean): void {
    if (page.captured) page.captured.text += tex;
    else if (!isBlock || layout.isFlat) {
      const line = tex.trim().replace(/\s+/g, ' ');
      layout.write(`$${layout.inCell ? line.replace(/\\.|\|/g, (sign) => BARS.get(sign) ?? sign) : line}$`);
    } else {
      page.part(2);
      layout.writeLines(`$$\n${tex.trim()}\n$$`);
      page.part(2);
    }
  }
}
