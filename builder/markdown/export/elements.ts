import { decodeHTML } from 'entities';
import type { CodeSlot } from '../draft.ts';
import { INLINE } from '../html/scan-html.ts';
import { getTitle } from '../page/titles.ts';
import type { ElementEnd, MarkdownPage, OpenTable } from './markdown-page.ts';
import { encodeTarget, escapeMarkdown, fence, quoteCode } from './markdown-text.ts';

/** The tag that begins an element. */
interface OpenTag {
  readonly element: string;
  readonly attributes: string;
  readonly classes: string;
  /** It stands in an item of a list, and in nothing inside that. */
  readonly isInItem: boolean;
}

/** Begins an element; returns what its end does. */
type ElementWriter = (page: MarkdownPage, tag: OpenTag) => ElementEnd | undefined;

/** Elements that neither part words nor say anything. */
const SILENT = ['button', 'select', 'option', 'form', 'colgroup'];
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

const sayNothing: ElementWriter = () => undefined;
const markWith =
  (mark: string): ElementWriter =>
  ({ layout }) =>
    layout.emphasize(mark);
/** Rows of the table below for elements that are written alike. */
const rows = (elements: readonly string[], write: ElementWriter): (readonly [string, ElementWriter])[] =>
  elements.map((element) => [element, write]);

/** How elements are written; all others are blocks, see `openBlock`. */
const WRITERS: ReadonlyMap<string, ElementWriter> = new Map([
  // Elements inside a line that have a row below are written as it says.
  ...rows([...INLINE, ...SILENT], sayNothing),
  ...rows(['b', 'strong'], markWith('**')),
  ...rows(['em', 'i'], markWith('*')),
  ...rows(['del', 's', 'strike'], markWith('~~')),
  ['sub', markWith('<sub>')],
  ['sup', openRaised],
  ...rows(['code', 'samp', 'tt'], openWords),
  ['a', openLink],
  ['pre', openCode],
  ...rows(['iframe', 'video', 'audio'], openMedia),
  ['label', (page, tag) => (hasClass(tag, 'tab-label') ? openTitle(page) : undefined)],
  ...rows(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'], openHeading),
  ...rows(['ul', 'ol'], openList),
  ['li', openItem],
  ['blockquote', openQuote],
  ['details', (page, tag) => (page.inDiagram ? openBlock(page, tag) : openQuote(page))],
  ...rows(['summary', 'dt'], openTitle),
  ['dd', openDefinition],
  ['table', openTable],
  ['tr', openRow],
  ...rows(['td', 'th'], openCell),
]);

/** Begins an element of a page; returns what its end does. */
export function openElement(page: MarkdownPage, tag: OpenTag): ElementEnd | undefined {
  return (WRITERS.get(tag.element) ?? openBlock)(page, tag);
}

/** Writes an element without an end. */
export function takeVoid(page: MarkdownPage, element: string, attributes: string): void {
  const { layout } = page;
  if (element === 'br') layout.breakLine();
  else if (element === 'hr') {
    page.part(2);
    if (!layout.isFlat) layout.write('***');
    page.part(2);
  } else if (element === 'img') addImage(page, attributes);
  else if (element === 'embed') addMedia(page, element, attributes);
  else if (element === 'input' && page.openItems > 0 && /\stype="checkbox"/.test(attributes)) {
    layout.write(/\schecked(?:[\s=]|$)/.test(attributes) ? '[x]' : '[ ]');
    layout.space();
  }
}

function addImage(page: MarkdownPage, attributes: string): void {
  const { layout } = page;
  const source = readAttribute(attributes, 'src');
  const alt = readAttribute(attributes, 'alt').replace(/\s+/g, ' ').trim();
  const link = page.linkOf(source);
  if (source === '' || (link === undefined && source.includes('\0'))) return;
  const text = escapeMarkdown(alt, { inCell: layout.inCell, inLink: true });
  layout.write(`![${text}${link === undefined ? `](${encodeTarget(source)})` : `\0!${link}\0`}`);
}

function openMedia(page: MarkdownPage, { element, attributes }: OpenTag): undefined {
  addMedia(page, element, attributes);
}

function addMedia(page: MarkdownPage, element: string, attributes: string): void {
  const { layout } = page;
  const source = readAttribute(attributes, 'src') || readAttribute(attributes, 'data-src');
  const link = page.linkOf(source);
  if (source === '' || (link === undefined && source.includes('\0'))) return;
  const title = readAttribute(attributes, 'title').replace(/\s+/g, ' ').trim() || element;
  const text = escapeMarkdown(title, { inCell: layout.inCell, inLink: true });
  page.part(2);
  layout.write(link === undefined ? `[${text}](${encodeTarget(source)})` : `\0[${link}\0${text}\0]${link}\0`);
  page.part(2);
}

function openWords(page: MarkdownPage): ElementEnd {
  const { layout } = page;
  return page.capture((text) => text !== '' && layout.write(quoteCode(text, layout.inCell)));
}

function openRaised(page: MarkdownPage, tag: OpenTag): ElementEnd {
  const { layout } = page;
  if (!hasClass(tag, 'footnote-ref')) return layout.emphasize('<sup>');
  return page.capture((text) => layout.write(`[^${text.split(':', 1)[0]}]`));
}

function openLink(page: MarkdownPage, tag: OpenTag): ElementEnd | undefined {
  const { layout } = page;
  // The frame before it is written as a link.
  if (hasClass(tag, 'embed-link')) return page.capture(() => {});
  const target = readAttribute(tag.attributes, 'href');
  const link = page.linkOf(target);
  if (target === '' || (link === undefined && target.includes('\0')) || page.inLink) return undefined;
  const [mark, end] = link === undefined ? ['[', `](${encodeTarget(target)})`] : [`\0[${link}\0`, `\0]${link}\0`];
  page.inLink = true;
  layout.openMark(mark);
  const endFlat = layout.flatten();
  return () => {
    page.inLink = false;
    layout.closeMark(mark, end);
    endFlat();
  };
}

/** Begins a paragraph, or a part of a page that its classes tell. */
function openBlock(page: MarkdownPage, { classes }: Pick<OpenTag, 'classes'>): ElementEnd {
  if (classes === '') {
    page.part(2);
    return endBlock;
  }
  const names = classes.split(' ');
  const kind = BLOCKS.find(([name]) => names.includes(name));
  if (kind) return kind[1](page, names);
  page.part(2);
  return endBlock;
}

function endBlock(page: MarkdownPage): void {
  page.part(2);
}

const BLOCKS: readonly (readonly [name: string, (page: MarkdownPage, classes: readonly string[]) => ElementEnd])[] = [
  ['container-title', openTitle],
  ['callout', openCallout],
  ['callout-title', openCalloutTitle],
  ['code-title', openCodeTitle],
  ['footnotes', openFootnotes],
  ['diagram', openDiagram],
];

function openFootnotes(page: MarkdownPage): ElementEnd {
  page.footnote = 1;
  page.part(2);
  return () => {
    page.footnote = undefined;
    page.part(2);
  };
}

function openDiagram(page: MarkdownPage): ElementEnd {
  page.inDiagram = true;
  page.part(2);
  return () => {
    page.inDiagram = false;
    page.part(2);
  };
}

function openIndented(page: MarkdownPage, first: string, rest: string): ElementEnd {
  page.part(2);
  const close = page.layout.indent(first, rest);
  return () => {
    close();
    page.part(2);
  };
}

function openQuote(page: MarkdownPage): ElementEnd {
  return openIndented(page, '> ', '> ');
}

function openDefinition(page: MarkdownPage): ElementEnd {
  return openIndented(page, ': ', '  ');
}

function openTitle(page: MarkdownPage): ElementEnd {
  const { layout } = page;
  page.part(2);
  const [endFlat, endMark] = [layout.flatten(), layout.emphasize('**')];
  return () => {
    layout.dropSpace();
    endMark();
    endFlat();
    page.part(2);
  };
}

function openHeading(page: MarkdownPage, { element }: OpenTag): ElementEnd {
  const { layout } = page;
  const level = Number(element.slice(1));
  page.hasTitle ||= level === 1;
  page.part(2);
  const mark = layout.isFlat ? '' : `${'#'.repeat(level)} `;
  layout.openMark(mark);
  const endFlat = layout.flatten();
  return () => {
    layout.closeMark(mark, '');
    layout.dropSpace();
    endFlat();
    page.part(2);
  };
}

function openList(page: MarkdownPage, { element, attributes, isInItem }: OpenTag): ElementEnd {
  const { lists } = page;
  const isNested = isInItem && lists.at(-1)?.isLoose !== true;
  page.part(isNested ? 1 : 2);
  const first = Number(/\sstart="(\d{1,9})"/.exec(attributes)?.[1] ?? 1);
  lists.push({ isOrdered: element === 'ol', next: first, isLoose: false });
  return () => {
    lists.pop();
    page.part(isNested ? 1 : 2);
  };
}

function openItem(page: MarkdownPage, { attributes }: OpenTag): ElementEnd {
  const { layout, lists } = page;
  page.openItems++;
  if (page.footnote !== undefined && /\sid="fn/.test(attributes)) {
    const end = openIndented(page, `[^${page.footnote++}]: `, '    ');
    return () => {
      page.openItems--;
      end(page);
    };
  }
  const list = lists.at(-1);
  page.part(1);
  const marker = list?.isOrdered ? `${list.next++}. ` : '- ';
  const end = layout.indent(marker, ' '.repeat(marker.length));
  return () => {
    page.openItems--;
    end();
    layout.partBy(list?.isLoose ? 2 : 1);
  };
}

function openCallout(page: MarkdownPage, classes: readonly string[]): ElementEnd {
  const { layout, titles } = page;
  const end = openQuote(page);
  const kind = classes[classes.indexOf('callout') + 1] ?? '';
  const alert = ALERT_OF_KIND.get(kind);
  if (alert === undefined || layout.isFlat) return end;
  layout.write(`[!${alert}]`);
  layout.join();
  page.alertTitle = getTitle(titles, kind);
  page.part(2);
  return end;
}

/** The title that an alert has by itself is not repeated. */
function openCalloutTitle(page: MarkdownPage): ElementEnd {
  const { layout, alertTitle: usual } = page;
  page.alertTitle = undefined;
  page.part(2);
  return layout.writeApart((text) => {
    if (text === '' || text === usual) return;
    layout.write(`**${text}**`);
    page.part(2);
  });
}

function openCodeTitle(page: MarkdownPage): ElementEnd {
  return page.capture((text) => {
    page.codeTitle = text;
  });
}

function openCode(page: MarkdownPage, { attributes }: OpenTag): ElementEnd {
  const { layout } = page;
  const written = /\slang(?:uage)?="([\w+#-]{1,40})"/.exec(attributes)?.[1] ?? '';
  return page.capture((text, slot) => {
    const title = page.codeTitle.replace(/["`\s]+/g, ' ').trim();
    page.codeTitle = '';
    const code = slot ? markLines(text, slot) : { text, language: written };
    if (layout.isFlat) {
      if (text.trim() !== '') layout.write(quoteCode(text, layout.inCell));
      return;
    }
    const info = title === '' ? code.language : `${code.language} title="${title}"`.trimStart();
    const lines = (code.text.startsWith('\n') ? code.text.slice(1) : code.text).trimEnd();
    page.part(2);
    layout.writeLines(fence(lines, info));
    page.part(2);
  });
}

function openTable(page: MarkdownPage): ElementEnd {
  const { layout, tables } = page;
  page.part(2);
  // A table in a cell is a text.
  if (layout.isFlat) return endBlock;
  const table: OpenTable = { rows: [], alignments: [] };
  tables.push(table);
  return () => {
    tables.pop();
    const lines = presentTable(table);
    if (lines.length > 0) layout.writeLines(lines.join('\n'));
    page.part(2);
  };
}

function openRow(page: MarkdownPage): ElementEnd | undefined {
  const table = tableOf(page);
  if (!table) return openTextOfTable(page);
  table.rows.push([]);
  return undefined;
}

function openCell(page: MarkdownPage, { attributes, classes }: OpenTag): ElementEnd {
  const { layout } = page;
  const table = tableOf(page);
  if (!table) return openTextOfTable(page);
  if (table.rows.length === 0) table.rows.push([]);
  const cells = table.rows.at(-1)!;
  const [, alignment] = /(?:^| )align-([^ ]*)/.exec(classes) ?? [];
  if (alignment !== undefined) table.alignments[cells.length] ??= alignment;
  layout.inCell = true;
  return layout.writeApart((text) => {
    layout.inCell = false;
    cells.push(text, ...Array<string>(spanOf(attributes) - 1).fill(''));
  });
}

/** Returns the table that cells are part of; undefined where they are nothing but text. */
function tableOf({ tables, layout }: MarkdownPage): OpenTable | undefined {
  return layout.isFlat ? undefined : tables.at(-1);
}

function openTextOfTable(page: MarkdownPage): ElementEnd {
  page.part(1);
  return () => page.part(1);
}

function hasClass({ classes }: OpenTag, name: string): boolean {
  return classes !== '' && classes.split(' ').includes(name);
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
