import { decodeHTML } from 'entities';
import type { CodeSlot, Draft, DraftSlot } from './draft.ts';
import { decodeText, type HtmlReader, INLINE, scanHtml } from './html/scan-html.ts';
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
/** Longest beginning of a line: what is nested deeper is not indented any further, since each line repeats it. */
const MAX_PREFIX = 60;
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
  let out = '';
  /** What each line begins with. */
  let prefix = '';
  /** Line breaks before what is written next: 1 = a new line, 2 = a blank one between. */
  let gap: 0 | 1 | 2 = 0;
  let hasSpace = false;
  let hasBreak = false;
  /** A quote or an item has been opened, and nothing is in it. */
  let isFresh = false;
  /** The next block follows without a blank line. */
  let isJoined = false;
  let isLineStart = true;
  /** Blocks are part of a line: in headings, links and cells. */
  let flat = 0;
  let inCell = false;
  let hasTitle = false;
  /** Marks that are written with the text after them, or not at all. */
  const waiting: string[] = [];
  const depths = new Map<string, number>();
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
      const text = out.trimEnd();
      return `${hasTitle ? '' : '\0#\0'}${text}${text === '' ? '' : '\n'}`;
    },
  };

  /** Returns the number of the link that the value of an attribute stands for. */
  function slotOf(value: string): number | undefined {
    const [, place] = value.startsWith('\0') ? (/^\0(\d+)\0$/.exec(value) ?? []) : [];
    return place === undefined ? undefined : links.get(place);
  }

  /** Parts what follows from what was written. */
  function part(lines: 1 | 2): void {
    if (flat > 0) {
      if (inCell && out !== '') hasBreak = true;
      else hasSpace = true;
      return;
    }
    if (isFresh) return;
    if (lines > gap) gap = lines;
    if (lines === 2 && lists.length > 0) lists.at(-1)!.isLoose = true;
  }

  function beginLine(): void {
    if (gap > 0 && out !== '') {
      const isBlank = gap === 2 && !isJoined;
      out += isBlank ? `\n${prefix.trimEnd()}\n${prefix}` : `\n${prefix}`;
      isLineStart = true;
    } else if (hasBreak && out !== '' && !isLineStart) {
      out += inCell ? '<br>' : `\\\n${prefix}`;
      isLineStart = !inCell;
    } else if (hasSpace && !isLineStart) out += ' ';
    gap = 0;
    hasBreak = false;
    hasSpace = false;
    isJoined = false;
    isFresh = false;
  }

  function write(text: string): void {
    beginLine();
    if (waiting.length > 0) out += waiting.splice(0).join('');
    out += text;
    isLineStart = false;
  }

  function openMark(mark: string): void {
    waiting.push(mark);
  }

  function closeMark(mark: string, end: string): void {
    const at = waiting.lastIndexOf(mark);
    if (at >= 0) waiting.splice(at, 1);
    else out += end;
  }

  /** Opens a mark that has no meaning inside itself; returns how to close it. */
  function emphasize(mark: string): () => void {
    const depth = depths.get(mark) ?? 0;
    depths.set(mark, depth + 1);
    if (depth === 0) openMark(mark);
    return () => {
      depths.set(mark, depth);
      if (depth === 0) closeMark(mark, mark.replace('<', '</'));
    };
  }

  /** Opens a quote or an item of a list; returns how to close it. */
  function indent(first: string, rest: string): () => void {
    if (flat > 0) {
      part(2);
      return () => part(2);
    }
    beginLine();
    out += first;
    isFresh = true;
    isLineStart = true;
    const before = prefix;
    if (prefix.length < MAX_PREFIX) prefix += rest;
    return () => {
      prefix = before;
      isFresh = false;
      hasSpace = false;
      hasBreak = false;
    };
  }

  function flatten(): () => void {
    flat++;
    return () => {
      flat--;
    };
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
        else write(quoteCode(code, inCell));
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
      hasSpace = true;
      return;
    }
    const words = BLANKS.test(text) ? text.replace(/[ \t\r\n\f]+/g, ' ') : text;
    const start = words.startsWith(' ') ? 1 : 0;
    const end = words.endsWith(' ') ? words.length - 1 : words.length;
    if (start === 1) hasSpace = true;
    if (end <= start) return;
    const isFirst = (isLineStart || gap > 0 || (hasBreak && !inCell)) && waiting.length === 0;
    const inLink = (depths.get('[') ?? 0) > 0;
    write(escapeMarkdown(words.slice(start, end), { isFirst, inCell, inLink }));
    if (end < words.length) hasSpace = true;
  }

  function addFormula(tex: string, isBlock: boolean): void {
    if (captured) captured.text += tex;
    else if (!isBlock || flat > 0) {
      const line = tex.trim().replace(/\s+/g, ' ');
      write(`$${inCell ? line.replace(/\\.|\|/g, (sign) => BARS.get(sign) ?? sign) : line}$`);
    } else {
      part(2);
      write(['$$', ...tex.trim().split('\n'), '$$'].join(`\n${prefix}`));
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
    if (element === 'br') {
      if (flat > 0 && !inCell) hasSpace = true;
      else hasBreak = true;
    } else if (element === 'hr') {
      part(2);
      if (flat === 0) write('***');
      part(2);
    } else if (element === 'img') addImage(attributes);
    else if (element === 'embed') addMedia(element, attributes);
    else if (element === 'input' && /\stype="checkbox"/.test(attributes) && (counts.get('li') ?? 0) > 0) {
      write(/\schecked(?:[\s=]|$)/.test(attributes) ? '[x]' : '[ ]');
      hasSpace = true;
    }
  }

  function addImage(attributes: string): void {
    const source = readAttribute(attributes, 'src');
    const alt = readAttribute(attributes, 'alt').replace(/\s+/g, ' ').trim();
    const slot = slotOf(source);
    if (source === '' || (slot === undefined && source.includes('\0'))) return;
    const text = escapeMarkdown(alt, { inCell, inLink: true });
    write(`![${text}${slot === undefined ? `](${encodeTarget(source)})` : `\0!${slot}\0`}`);
  }

  function addMedia(element: string, attributes: string): void {
    const source = readAttribute(attributes, 'src') || readAttribute(attributes, 'data-src');
    const slot = slotOf(source);
    if (source === '' || (slot === undefined && source.includes('\0'))) return;
    const title = readAttribute(attributes, 'title').replace(/\s+/g, ' ').trim() || element;
    const text = escapeMarkdown(title, { inCell, inLink: true });
    part(2);
    write(slot === undefined ? `[${text}](${encodeTarget(source)})` : `\0[${slot}\0${text}\0]${slot}\0`);
    part(2);
  }

  /** Begins an element; returns what its end does. */
  function openElement(element: string, attributes: string): OpenElement['end'] {
    if (CODE_ELEMENTS.has(element)) return capture((text) => text !== '' && write(quoteCode(text, inCell)));
    const classes = attributes === '' ? NO_CLASSES : (CLASSES.exec(attributes)?.[1]?.split(' ') ?? NO_CLASSES);
    // The frame before it is written as a link.
    if (element === 'a') return classes.includes('embed-link') ? capture(() => {}) : openLink(attributes);
    const mark = MARK_OF_ELEMENT.get(element);
    if (mark !== undefined) {
      const isReference = element === 'sup' && classes.includes('footnote-ref');
      return isReference ? capture((text) => write(`[^${text.split(':', 1)[0]}]`)) : emphasize(mark);
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
    if (element === 'dd') return openBlock(() => indent(': ', '  '));
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
    return openBlock(() => indent('> ', '> '));
  }

  function openTitle(): () => void {
    part(2);
    const [endFlat, endMark] = [flatten(), emphasize('**')];
    return () => {
      hasSpace = false;
      endMark();
      endFlat();
      part(2);
    };
  }

  function openHeading(level: number): () => void {
    hasTitle ||= level === 1;
    part(2);
    const mark = flat > 0 ? '' : `${'#'.repeat(level)} `;
    openMark(mark);
    const endFlat = flatten();
    return () => {
      closeMark(mark, '');
      hasSpace = false;
      endFlat();
      part(2);
    };
  }

  function openLink(attributes: string): OpenElement['end'] {
    const target = readAttribute(attributes, 'href');
    const slot = slotOf(target);
    // Links contain no links.
    if (target === '' || (slot === undefined && target.includes('\0')) || (depths.get('[') ?? 0) > 0) return undefined;
    const [mark, end] = slot === undefined ? ['[', `](${encodeTarget(target)})`] : [`\0[${slot}\0`, `\0]${slot}\0`];
    depths.set('[', 1);
    openMark(mark);
    const endFlat = flatten();
    return () => {
      depths.set('[', 0);
      closeMark(mark, end);
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
      const end = indent(`[^${footnotes.next++}]: `, '    ');
      return () => {
        end();
        part(2);
      };
    }
    const list = lists.at(-1);
    part(1);
    const marker = list?.isOrdered ? `${list.next++}. ` : '- ';
    const end = indent(marker, ' '.repeat(marker.length));
    return () => {
      end();
      if (flat === 0) gap = list?.isLoose ? 2 : 1;
    };
  }

  function openCallout(classes: readonly string[]): () => void {
    const end = openQuote();
    const kind = classes[classes.indexOf('callout') + 1] ?? '';
    const alert = ALERT_OF_KIND.get(kind);
    if (alert === undefined || flat > 0) return end;
    write(`[!${alert}]`);
    isJoined = true;
    alertTitle = getTitle(titles, kind);
    part(2);
    return end;
  }

  /** The title that an alert has by itself is not repeated. */
  function openCalloutTitle(): () => void {
    const usual = alertTitle;
    alertTitle = undefined;
    part(2);
    return writeApart((text) => {
      if (text === '' || text === usual) return;
      write(`**${text}**`);
      part(2);
    });
  }

  function openCode(attributes: string): () => void {
    const written = /\slang(?:uage)?="([\w+#-]{1,40})"/.exec(attributes)?.[1] ?? '';
    return capture((text, slot) => {
      const title = codeTitle.replace(/["`\s]+/g, ' ').trim();
      codeTitle = '';
      const code = slot ? markLines(text, slot) : { text, language: written };
      if (flat > 0) {
        if (text.trim() !== '') write(quoteCode(text, inCell));
        return;
      }
      const info = title === '' ? code.language : `${code.language} title="${title}"`.trimStart();
      const lines = (code.text.startsWith('\n') ? code.text.slice(1) : code.text).trimEnd();
      part(2);
      write(fence(lines, info).replaceAll('\n', `\n${prefix}`));
      part(2);
    });
  }

  function openTable(): OpenElement['end'] {
    part(2);
    // A table in a cell is a text.
    if (flat > 0) return () => part(2);
    const table: OpenTable = { rows: [], alignments: [] };
    tables.push(table);
    return () => {
      tables.pop();
      const lines = presentTable(table);
      if (lines.length > 0) write(lines.join(`\n${prefix}`));
      part(2);
    };
  }

  function openCell(element: string, classes: readonly string[], attributes: string): OpenElement['end'] {
    const table = tables.at(-1);
    if (table === undefined || flat > 0) {
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
    inCell = true;
    return writeApart((text) => {
      inCell = false;
      cells.push(text, ...Array<string>(spanOf(attributes) - 1).fill(''));
    });
  }

  /** Writes what follows as a line of its own, and hands it over. */
  function writeApart(take: (text: string) => void): () => void {
    const before = { out, gap, isLineStart, isFresh, isJoined };
    [out, gap, isLineStart, isFresh, isJoined] = ['', 0, true, false, false];
    hasSpace = false;
    hasBreak = false;
    flat++;
    return () => {
      flat--;
      const text = out.trim();
      ({ out, gap, isLineStart, isFresh, isJoined } = before);
      hasSpace = false;
      hasBreak = false;
      take(text);
    };
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
