import { decodeHTML } from 'entities';
import type { CodeSlot, Draft, DraftSlot } from './draft.ts';
import { decodeText, type HtmlReader, INLINE, scanHtml } from './html/scan-html.ts';
import { MarkdownLayout } from './markdown-layout.ts';
import { encodeTarget, escapeMarkdown, fence, quoteCode } from './markdown-text.ts';
import { getTitle } from './page/titles.ts';

/** Markup that the engine itself adds to a text, and pictures that say nothing. */
const ADDED = /\sclass="(?:anchor|toc|footnote-back|diagram-source)"|\saria-hidden="true"/;
const HEADING = /^h([1-6])$/;
const NO_CLASSES: readonly string[] = [];
const CLASSES = /\sclass="([^"]*)"/;
/** Elements without an end. */
const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
/** Elements that end where the next one of their kind begins. */
const UNENDED = new Set('p li dt dd tr td th option'.split(' '));
/** Elements that neither part words nor say anything. */
const SILENT = new Set('input button select option form label meta link source track param col colgroup'.split(' '));
const MARK_OF_ELEMENT = new Map([
  ['b', '**'],
  ['strong', '**'],
  ['em', '*'],
  ['i', '*'],
  ['del', '~~'],
  ['s', '~~'],
  ['strike', '~~'],
  ['sub', '<sub>'],
  ['sup', '<sup>'],
]);
const CODE_ELEMENTS = new Set(['code', 'samp', 'tt']);
const MEDIA = new Set(['iframe', 'video', 'audio', 'embed']);
/** Alerts of GitHub by the kinds of callouts. */
const ALERT_OF_KIND = new Map([
  ['info', 'NOTE'],
  ['note', 'NOTE'],
  ['tip', 'TIP'],
  ['important', 'IMPORTANT'],
  ['warning', 'WARNING'],
  ['caution', 'CAUTION'],
  ['danger', 'CAUTION'],
]);
/** Most columns of a table that a single cell takes. */
const MAX_SPAN = 50;
/** Bars of formulas by other names: in a cell they would end it. */
const BARS = new Map([
  ['|', '\\vert '],
  ['\\|', '\\Vert '],
]);
const BLANKS = /[\t\r\n\f]| {2}/;

/** Something of the page that is open. */
interface OpenElement {
  readonly name: string;
  readonly end: (() => void) | undefined;
}

interface OpenList {
  readonly isOrdered: boolean;
  next: number;
  /** Blank lines part its items. */
  isLoose: boolean;
}

interface OpenTable {
  /** Cells of each row. */
  readonly rows: string[][];
  readonly alignments: string[];
}

/**
 * Returns a draft as Markdown (GFM) that needs no generator: callouts are alerts, tabs are below their titles, formulas stand
 * in `$`, diagrams are code. Its places for links are open: `\0[n\0` and `\0]n\0` stand around the text of link n of the
 * fragment, `\0!n\0` ends image n; a text without a heading of level 1 begins with `\0#\0`; see `fillMarkdown`. A single pass;
 * never throws.
 */
export function writeMarkdown(draft: Pick<Draft, 'html' | 'slots'>, titles: Readonly<Record<string, string>>): string {
  const writer = createMarkdownWriter(draft, titles);
  scanHtml(draft.html, [writer]);
  return writer.finish();
}

/** Creates the reader of a draft that writes it as Markdown, see `writeMarkdown`. */
export function createMarkdownWriter(
  { html, slots }: Pick<Draft, 'html' | 'slots'>,
  titles: Readonly<Record<string, string>>,
): HtmlReader & { finish(): string } {
  const links = numberLinks(html, slots);
  const layout = new MarkdownLayout();
  let hasTitle = false;
  /** A link is open; links contain no links. */
  let inLink = false;
  const elements: OpenElement[] = [];
  const counts = new Map<string, number>();
  const lists: OpenList[] = [];
  const tables: OpenTable[] = [];
  let unread: { readonly element: string; depth: number } | undefined;
  /** Text that is wanted as it is: of code, of titles. */
  let captured: { text: string; slot: CodeSlot | undefined } | undefined;
  let codeTitle = '';
  let footnotes: { next: number } | undefined;
  let hasDiagram = false;
  /** Title of the kind of the alert that has just been opened. */
  let alertTitle: string | undefined;

  return {
    text: takeText,
    open: takeTag,
    close: takeEnd,
    finish() {
      while (elements.length > 0) endElement();
      const text = layout.finish();
      return `${hasTitle ? '' : '\0#\0'}${text}${text === '' ? '' : '\n'}`;
    },
  };

  /** Returns the number of the link that the value of an attribute stands for. */
  function slotOf(value: string): number | undefined {
    const [, place] = value.startsWith('\0') ? (/^\0(\d+)\0$/.exec(value) ?? []) : [];
    return place === undefined ? undefined : links.get(place);
  }

  function part(lines: 1 | 2): void {
    if (layout.part(lines) && lines === 2 && lists.length > 0) lists.at(-1)!.isLoose = true;
  }

  function takeText(text: string): void {
    if (unread) return;
    if (!text.includes('\0')) {
      addText(decodeText(text));
      return;
    }
    for (const [at, piece] of text.split('\0').entries()) {
      if (at % 2 === 0) {
        if (piece !== '') addText(decodeText(piece));
        continue;
      }
      const slot = slots[Number(piece)];
      if (slot?.kind === 'code') {
        const code = withoutPlaces(slot.block.text);
        if (captured) Object.assign(captured, { text: captured.text + code, slot });
        else layout.write(quoteCode(code, layout.inCell));
      } else if (slot?.kind === 'formula')
        addFormula(withoutPlaces(slot.tex), /^<math[^>]*\sdisplay="block"/.test(slot.html));
    }
  }

  function addText(text: string): void {
    if (captured) {
      captured.text += text;
      return;
    }
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
    layout.write(escapeMarkdown(words.slice(start, end), { isFirst, inCell, inLink }));
    if (end < words.length) layout.space();
  }

  function addFormula(tex: string, isBlock: boolean): void {
    if (captured) captured.text += tex;
    else if (!isBlock || layout.isFlat) {
      const line = tex.trim().replace(/\s+/g, ' ');
      layout.write(`$${layout.inCell ? line.replace(/\\.|\|/g, (sign) => BARS.get(sign) ?? sign) : line}$`);
    } else {
      part(2);
      layout.writeLines(['$$', ...tex.trim().split('\n'), '$$']);
      part(2);
    }
  }

  function takeTag(element: string, attributes: string): void {
    if (unread) {
      if (element === unread.element && !VOID.has(element)) unread.depth++;
      return;
    }
    if (attributes !== '' && ADDED.test(attributes)) {
      if (!VOID.has(element)) unread = { element, depth: 1 };
      return;
    }
    if (captured) {
      // What is marked up in it is nothing but text.
      if (!VOID.has(element)) pushElement(element, undefined);
      else if (element === 'br') captured.text += '\n';
      return;
    }
    if (VOID.has(element)) {
      takeVoid(element, attributes);
      return;
    }
    if (UNENDED.has(element) && elements.at(-1)?.name === element) endElement();
    pushElement(element, openElement(element, attributes));
  }

  function pushElement(name: string, end: OpenElement['end']): void {
    elements.push({ name, end });
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }

  function takeEnd(element: string): void {
    if (unread) {
      if (element === unread.element && --unread.depth === 0) unread = undefined;
      return;
    }
    if ((counts.get(element) ?? 0) === 0) return;
    for (let name = ''; name !== element; ) name = endElement();
  }

  function endElement(): string {
    const { name, end } = elements.pop()!;
    counts.set(name, counts.get(name)! - 1);
    end?.();
    return name;
  }

  function takeVoid(element: string, attributes: string): void {
    if (element === 'br') layout.breakLine();
    else if (element === 'hr') {
      part(2);
      if (!layout.isFlat) layout.write('***');
      part(2);
    } else if (element === 'img') addImage(attributes);
    else if (element === 'embed') addMedia(element, attributes);
    else if (element === 'input' && /\stype="checkbox"/.test(attributes) && (counts.get('li') ?? 0) > 0) {
      layout.write(/\schecked(?:[\s=]|$)/.test(attributes) ? '[x]' : '[ ]');
      layout.space();
    }
  }

  function addImage(attributes: string): void {
    const source = readAttribute(attributes, 'src');
    const alt = readAttribute(attributes, 'alt').replace(/\s+/g, ' ').trim();
    const slot = slotOf(source);
    if (source === '' || (slot === undefined && source.includes('\0'))) return;
    const text = escapeMarkdown(alt, { inCell: layout.inCell, inLink: true });
    layout.write(`![${text}${slot === undefined ? `](${encodeTarget(source)})` : `\0!${slot}\0`}`);
  }

  function addMedia(element: string, attributes: string): void {
    const source = readAttribute(attributes, 'src') || readAttribute(attributes, 'data-src');
    const slot = slotOf(source);
    if (source === '' || (slot === undefined && source.includes('\0'))) return;
    const title = readAttribute(attributes, 'title').replace(/\s+/g, ' ').trim() || element;
    const text = escapeMarkdown(title, { inCell: layout.inCell, inLink: true });
    part(2);
    layout.write(slot === undefined ? `[${text}](${encodeTarget(source)})` : `\0[${slot}\0${text}\0]${slot}\0`);
    part(2);
  }

  /** Begins an element; returns what its end does. */
  function openElement(element: string, attributes: string): OpenElement['end'] {
    if (CODE_ELEMENTS.has(element))
      return capture((text) => text !== '' && layout.write(quoteCode(text, layout.inCell)));
    const classes = attributes === '' ? NO_CLASSES : (CLASSES.exec(attributes)?.[1]?.split(' ') ?? NO_CLASSES);
    // The frame before it is written as a link.
    if (element === 'a') return classes.includes('embed-link') ? capture(() => {}) : openLink(attributes);
    const mark = MARK_OF_ELEMENT.get(element);
    if (mark !== undefined) {
      const isReference = element === 'sup' && classes.includes('footnote-ref');
      return isReference ? capture((text) => layout.write(`[^${text.split(':', 1)[0]}]`)) : layout.emphasize(mark);
    }
    if (element === 'p' && classes === NO_CLASSES) return openParagraph();
    if (element === 'pre') return openCode(attributes);
    if (MEDIA.has(element)) {
      addMedia(element, attributes);
      return undefined;
    }
    if (element === 'label' && classes.includes('tab-label')) return openTitle();
    if (INLINE.has(element) || SILENT.has(element)) return undefined;
    const [, level] = HEADING.exec(element) ?? [];
    if (level !== undefined) return openHeading(Number(level));
    if (element === 'ul' || element === 'ol') return openList(element, attributes);
    if (element === 'li') return openItem(attributes);
    if (element === 'blockquote') return openQuote();
    if (element === 'details' && !hasDiagram) return openQuote();
    if (element === 'summary' || classes.includes('container-title') || element === 'dt') return openTitle();
    if (element === 'dd') return openBlock(() => layout.indent(': ', '  '));
    if (element === 'table') return openTable();
    if (element === 'tr' || element === 'td' || element === 'th') return openCell(element, classes, attributes);
    if (classes.includes('callout')) return openCallout(classes);
    if (classes.includes('callout-title')) return openCalloutTitle();
    if (classes.includes('code-title')) {
      return capture((text) => {
        codeTitle = text;
      });
    }
    if (classes.includes('footnotes')) footnotes = { next: 1 };
    if (classes.includes('diagram')) hasDiagram = true;
    part(2);
    return () => {
      if (classes.includes('footnotes')) footnotes = undefined;
      if (classes.includes('diagram')) hasDiagram = false;
      part(2);
    };
  }

  function openParagraph(): () => void {
    part(2);
    return endParagraph;
  }

  function endParagraph(): void {
    part(2);
  }

  /** Hands over the text of an element as it is. */
  function capture(take: (text: string, slot: CodeSlot | undefined) => void): () => void {
    const text = { text: '', slot: undefined };
    captured = text;
    return () => {
      if (captured === text) captured = undefined;
      take(text.text, text.slot);
    };
  }

  function openBlock(open: () => () => void): () => void {
    part(2);
    const close = open();
    return () => {
      close();
      part(2);
    };
  }

  function openQuote(): () => void {
    return openBlock(() => layout.indent('> ', '> '));
  }

  function openTitle(): () => void {
    part(2);
    const [endFlat, endMark] = [layout.flatten(), layout.emphasize('**')];
    return () => {
      layout.dropSpace();
      endMark();
      endFlat();
      part(2);
    };
  }

  function openHeading(level: number): () => void {
    hasTitle ||= level === 1;
    part(2);
    const mark = layout.isFlat ? '' : `${'#'.repeat(level)} `;
    layout.openMark(mark);
    const endFlat = layout.flatten();
    return () => {
      layout.closeMark(mark, '');
      layout.dropSpace();
      endFlat();
      part(2);
    };
  }

  function openLink(attributes: string): OpenElement['end'] {
    const target = readAttribute(attributes, 'href');
    const slot = slotOf(target);
    if (target === '' || (slot === undefined && target.includes('\0')) || inLink) return undefined;
    const [mark, end] = slot === undefined ? ['[', `](${encodeTarget(target)})`] : [`\0[${slot}\0`, `\0]${slot}\0`];
    inLink = true;
    layout.openMark(mark);
    const endFlat = layout.flatten();
    return () => {
      inLink = false;
      layout.closeMark(mark, end);
      endFlat();
    };
  }

  function openList(element: string, attributes: string): () => void {
    const isNested = elements.at(-1)?.name === 'li' && lists.at(-1)?.isLoose !== true;
    part(isNested ? 1 : 2);
    const first = Number(/\sstart="(\d{1,9})"/.exec(attributes)?.[1] ?? 1);
    lists.push({ isOrdered: element === 'ol', next: first, isLoose: false });
    return () => {
      lists.pop();
      part(isNested ? 1 : 2);
    };
  }

  function openItem(attributes: string): () => void {
    if (footnotes && /\sid="fn/.test(attributes)) {
      part(2);
      const end = layout.indent(`[^${footnotes.next++}]: `, '    ');
      return () => {
        end();
        part(2);
      };
    }
    const list = lists.at(-1);
    part(1);
    const marker = list?.isOrdered ? `${list.next++}. ` : '- ';
    const end = layout.indent(marker, ' '.repeat(marker.length));
    return () => {
      end();
      layout.partBy(list?.isLoose ? 2 : 1);
    };
  }

  function openCallout(classes: readonly string[]): () => void {
    const end = openQuote();
    const kind = classes[classes.indexOf('callout') + 1] ?? '';
    const alert = ALERT_OF_KIND.get(kind);
    if (alert === undefined || layout.isFlat) return end;
    layout.write(`[!${alert}]`);
    layout.join();
    alertTitle = getTitle(titles, kind);
    part(2);
    return end;
  }

  /** The title that an alert has by itself is not repeated. */
  function openCalloutTitle(): () => void {
    const usual = alertTitle;
    alertTitle = undefined;
    part(2);
    return layout.writeApart((text) => {
      if (text === '' || text === usual) return;
      layout.write(`**${text}**`);
      part(2);
    });
  }

  function openCode(attributes: string): () => void {
    const written = /\slang(?:uage)?="([\w+#-]{1,40})"/.exec(attributes)?.[1] ?? '';
    return capture((text, slot) => {
      const title = codeTitle.replace(/["`\s]+/g, ' ').trim();
      codeTitle = '';
      const code = slot ? markLines(text, slot) : { text, language: written };
      if (layout.isFlat) {
        if (text.trim() !== '') layout.write(quoteCode(text, layout.inCell));
        return;
      }
      const info = title === '' ? code.language : `${code.language} title="${title}"`.trimStart();
      const lines = (code.text.startsWith('\n') ? code.text.slice(1) : code.text).trimEnd();
      part(2);
      layout.writeLines(fence(lines, info).split('\n'));
      part(2);
    });
  }

  function openTable(): OpenElement['end'] {
    part(2);
    // A table in a cell is a text.
    if (layout.isFlat) return () => part(2);
    const table: OpenTable = { rows: [], alignments: [] };
    tables.push(table);
    return () => {
      tables.pop();
      const lines = presentTable(table);
      if (lines.length > 0) layout.writeLines(lines);
      part(2);
    };
  }

  function openCell(element: string, classes: readonly string[], attributes: string): OpenElement['end'] {
    const table = tables.at(-1);
    if (table === undefined || layout.isFlat) {
      part(1);
      return () => part(1);
    }
    if (element === 'tr') {
      table.rows.push([]);
      return undefined;
    }
    if (table.rows.length === 0) table.rows.push([]);
    const cells = table.rows.at(-1)!;
    const alignment = classes.find((name) => name.startsWith('align-'))?.slice('align-'.length);
    if (alignment !== undefined) table.alignments[cells.length] ??= alignment;
    layout.inCell = true;
    return layout.writeApart((text) => {
      layout.inCell = false;
      cells.push(text, ...Array<string>(spanOf(attributes) - 1).fill(''));
    });
  }
}

/**
 * Fills the places of a page that `writeMarkdown` left open; `urls` are those of the fragment's links, '' = the link is nothing but
 * its text. `title` is the heading of level 1 of a page without one; '' = it has none.
 */
export function fillMarkdown(
  markdown: string,
  { urls, title }: { readonly urls: readonly string[]; readonly title: string },
): string {
  const parts = markdown.split('\0');
  let filled = parts[0]!;
  for (let i = 1; i + 1 < parts.length; i += 2) {
    const [place, text] = [parts[i]!, parts[i + 1]!];
    const url = urls[Number(place.slice(1))] ?? '';
    if (place === '#') {
      const isAll = text === '' && i + 2 === parts.length;
      filled += title === '' ? text : addTitle(escapeMarkdown(title), isAll ? undefined : text);
      continue;
    }
    if (place.startsWith('[')) filled += url === '' ? '' : '[';
    else if (url !== '' || place.startsWith('!')) filled += `](${encodeTarget(url)})`;
    filled += text;
  }
  return filled;
}

/** Chapters of books begin with a lower heading that says the same. */
function addTitle(title: string, text: string | undefined): string {
  if (text === undefined) return `# ${title}\n`;
  const [, opening] = /^#{2,6} (.*)/.exec(text) ?? [];
  return opening === title ? text.replace(/^#+/, '#') : `# ${title}\n\n${text}`;
}

/** A file that is included as code may hold NUL; with it begin the places of links. */
function withoutPlaces(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}

/** Numbers the links of a draft, by their slots, as those of its fragment are. */
function numberLinks(html: string, slots: readonly DraftSlot[]): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  let links = 0;
  for (let at = html.indexOf('\0'); at >= 0; ) {
    const end = html.indexOf('\0', at + 1);
    if (end < 0) break;
    const place = html.slice(at + 1, end);
    const kind = slots[Number(place)]?.kind;
    // Of a slot in several places, each has the same URL.
    if (kind !== undefined && kind !== 'code' && kind !== 'formula') numbers.set(place, links++);
    at = html.indexOf('\0', end + 1);
  }
  return numbers;
}

const ATTRIBUTES = new Map(
  ['href', 'src', 'data-src', 'alt', 'title', 'colspan'].map((name) => [
    name,
    new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i'),
  ]),
);

/** Returns the value of an attribute, '' where it is missing, and for addresses that no reader can open. */
function readAttribute(attributes: string, name: 'href' | 'src' | 'data-src' | 'alt' | 'title' | 'colspan'): string {
  const match = attributes === '' ? null : ATTRIBUTES.get(name)!.exec(attributes);
  const value = match?.[1] ?? match?.[2] ?? match?.[3] ?? '';
  const text = value.includes('&') ? decodeHTML(value) : value;
  return (name === 'href' || name === 'src') && /^\s*(?:javascript|data|vbscript|blob):/i.test(text) ? '' : text;
}

function spanOf(attributes: string): number {
  return Math.min(Math.max(1, Number(readAttribute(attributes, 'colspan')) || 1), MAX_SPAN);
}

/** Returns the code of a block; where lines are marked as added and removed, they are those of a `diff`. */
function markLines(text: string, { block, marks }: CodeSlot): { readonly text: string; readonly language: string } {
  const signs = new Map(
    marks.flatMap(([line, classes]) => {
      const [, kind] = /\bdiff (add|remove)\b/.exec(classes) ?? [];
      return kind === undefined ? [] : [[line, kind === 'add' ? '+' : '-'] as const];
    }),
  );
  if (signs.size === 0) return { text, language: block.language };
  const lines = text.split('\n').map((line, at) => (signs.get(at) ?? ' ') + line);
  return { text: lines.join('\n'), language: 'diff' };
}

/** Returns the lines of a table; its first row is its head, as GFM wants. */
function presentTable({ rows, alignments }: OpenTable): readonly string[] {
  const filled = rows.filter((cells) => cells.length > 0);
  const [head, ...others] = filled;
  if (head === undefined) return [];
  const present = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, at) => RULES.get(alignments[at] ?? '') ?? '---');
  return [present(head), present(rule), ...others.map(present)];
}

const RULES = new Map([
  ['left', ':--'],
  ['center', ':-:'],
  ['right', '--:'],
]);
