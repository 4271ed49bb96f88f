import { createSlug, findOtherSlug } from '../slug.ts';

/**
 * Returns the position at which the text of a page begins, behind front matter of YAML or TOML. The text between two thematic breaks
 * is none.
 */
export function findBody(text: string): number {
  const open = /^(---|\+\+\+)[ \t]*\n/.exec(text);
  if (open === null) return 0;
  const isYaml = open[1] === '---';
  const closing = isYaml ? /^(?:---|\.\.\.)[ \t]*(?:\n|$)/gm : /^\+\+\+[ \t]*(?:\n|$)/gm;
  closing.lastIndex = open[0].length;
  const close = closing.exec(text);
  if (close === null) return 0;
  const inside = text.slice(open[0].length, close.index);
  const first = inside.split('\n').find((line) => !/^\s*(?:#|$)/.test(line));
  const isMeant = first === undefined ? inside.trim() === '' : (isYaml ? YAML_LINE : TOML_LINE).test(first);
  return isMeant ? closing.lastIndex : 0;
}

const YAML_LINE = /^(?:["']?[\w.-]+["']?[ \t]*:(?:[ \t]|$)|\{)/;
const TOML_LINE = /^(?:["']?[\w.-]+["']?[ \t]*=|\[)/;

/** Stands for a line that counts and is not shown; no file contains it. */
export const HIDDEN_LINE = '\0\n';
const HIDDEN = '\0';
/** A longer list of ranges is none. */
const MAX_RANGES_LENGTH = 1_000;

/** Returns hidden lines in place of those of a text. */
export function hideLines(text: string): string {
  return HIDDEN_LINE.repeat(text.split('\n').length - 1);
}

/**
 * Returns the part of a file between its region marks: `#region name` … `#endregion name` of editors in any comment,
 * `--8<-- [start:name]` … `[end:name]`, mdBook's `ANCHOR: name` … `ANCHOR_END: name`, or Docsify's `/// [name]` at both ends. Undefined when there is no such region. `mark` takes the place
 * of the marks of regions inside.
 */
export function findRegion(text: string, name: string, mark = ''): string | undefined {
  if (!text.includes(name)) return undefined;
  const open: string[] = [];
  let found = false;
  let result = '';
  // Where the line after the last mark begins.
  let from = 0;
  for (const {
    start,
    end,
    mark: { name: named, isEnd },
  } of listMarks(text)) {
    const wasOpen = open.length > 0;
    if (wasOpen) result += text.slice(from, start);
    from = end + 1;
    if (!isEnd) {
      if (wasOpen || named === name) open.push(named);
      found ||= named === name;
    } else if (wasOpen) {
      const ended = named === '' ? open.length - 1 : open.lastIndexOf(named);
      if (ended >= 0) open.length = ended;
      if (open.length === 0) break;
    }
    if (wasOpen) result += mark;
  }
  if (!found) return findFragment(text, name);
  const isOpen = open.length > 0 && from <= text.length;
  return removeIndent(isOpen ? result + text.slice(from) : result.replace(/\n$/, ''));
}

/** Docsify's marks are the same at both ends. */
function findFragment(text: string, name: string): string | undefined {
  const start = findFragmentMark(text, name, 0);
  const first = start < 0 ? -1 : text.indexOf('\n', start) + 1;
  const end = first <= 0 ? -1 : findFragmentMark(text, name, first);
  return end < 0 ? undefined : removeIndent(text.slice(first, Math.max(first, text.lastIndexOf('\n', end))));
}

function findFragmentMark(text: string, name: string, from: number): number {
  const mark = `[${name}]`;
  let at = text.indexOf(mark, from);
  while (at >= 0 && !/^(?:\/\/\/|###) $/.test(text.slice(Math.max(from, at - 4), at))) at = text.indexOf(mark, at + 1);
  return at;
}

/**
 * Yields the lines of marks, each from its start to its final line break. Others are not looked at: files may have millions of
 * lines.
 */
function* listMarks(text: string): Generator<{ start: number; end: number; mark: Mark }> {
  const words = /region|8<-|ANCHOR/gi;
  while (words.test(text)) {
    const start = text.lastIndexOf('\n', words.lastIndex - 1) + 1;
    const next = text.indexOf('\n', words.lastIndex);
    const end = next < 0 ? text.length : next;
    const mark = readMark(text.slice(start, end));
    if (mark) yield { start, end, mark };
    words.lastIndex = end;
  }
}

/** Returns a file without the lines that mark regions, or with `mark` in their place. */
export function removeRegionMarks(text: string, mark = ''): string {
  let result = '';
  let from = 0;
  for (const { start, end } of listMarks(text)) {
    result += text.slice(from, start) + mark;
    from = end + 1;
  }
  if (from === 0) return text;
  return from <= text.length ? result + text.slice(from) : result.replace(/\n$/, '');
}

/** Returns the part of a Markdown text under a heading, the heading included, by the heading's id. */
export function findSection(text: string, id: string): string | undefined {
  const marks = /^ {0,3}(?:(`{3,}|~{3,})|(#{1,6})[ \t]+(.*))/gm;
  let start = -1;
  let level = 0;
  let fence = '';
  for (const { index, 1: mark, 2: signs = '', 3: title = '' } of text.matchAll(marks)) {
    if (mark !== undefined) fence = fence === '' ? mark : mark.startsWith(fence) ? '' : fence;
    if (mark !== undefined || fence !== '') continue;
    if (start >= 0 && signs.length <= level) return text.slice(start, index - 1);
    if (start < 0 && hasId(title, id)) {
      start = index;
      level = signs.length;
    }
  }
  return start < 0 ? undefined : text.slice(start);
}

/** Lines from 1, both included; negative ones count from the last, -1; undefined = to the end. */
export type LineRange = readonly [first: number, last: number | undefined];

/** Reads ranges of lines, `3,10`, `3,`, `,10`, `3` or `-2,`, or several of them, `1,3;7,`; undefined for anything else. */
export function parseRanges(written: string | undefined): readonly LineRange[] | undefined {
  if (written === undefined || written.length > MAX_RANGES_LENGTH) return undefined;
  const ranges = written.split(';').map(parseRange);
  return ranges.every((range) => range !== undefined) ? ranges : undefined;
}

function parseRange(written: string): LineRange | undefined {
  const match = /^(-?\d+)?(?:[ \t]*(,)[ \t]*(-?\d+)?)?$/.exec(written.trim());
  const [, first, comma, last] = match ?? [];
  if (first === undefined && last === undefined) return undefined;
  const from = first === undefined ? 1 : Number(first) || 1;
  return [from, comma === undefined ? from : last === undefined ? undefined : Number(last) || 1];
}

/** Returns lines of a text, hidden ones left out, with a line between two ranges if there is one; undefined where it has none of them. */
export function selectLines(text: string, ranges: readonly LineRange[], between?: string): string | undefined {
  const lines = text.split('\n');
  const count = lines.length - (text.endsWith('\n') ? 1 : 0);
  const placeOf = (line: number): number => (line < 0 ? Math.max(1, count + 1 + line) : line);
  const parts = ranges.map(([first, last]) =>
    lines.slice(placeOf(first) - 1, last === undefined ? undefined : placeOf(last)),
  );
  if (parts.every(({ length }) => length === 0)) return undefined;
  return parts
    .map((part) => part.filter((line) => line !== HIDDEN).join('\n'))
    .join(between === undefined ? '\n' : `\n${between}\n`);
}

/** Returns a Markdown text whose headings with `#` are some levels lower; those in code stay. */
export function lowerHeadings(text: string, levels: number): string {
  let fence = '';
  return text.replace(
    /^ {0,3}(?:(`{3,}|~{3,})|(#{1,6})(?=[ \t]))/gm,
    (source, mark: string | undefined, signs = '') => {
      if (mark !== undefined) fence = fence === '' ? mark : mark.startsWith(fence) ? '' : fence;
      if (mark !== undefined || fence !== '') return source;
      return source.replace(signs, '#'.repeat(Math.min(6, signs.length + levels)));
    },
  );
}

interface Mark {
  readonly name: string;
  readonly isEnd: boolean;
}

function readMark(line: string): Mark | undefined {
  if (line.length > 500) return undefined;
  const region = /#[ \t]*(?:pragma[ \t]+)?(end[ \t]?)?region\b[ \t]*"?([^\s"*]*)/i.exec(line);
  if (region && !/\w/.test(line.slice(0, region.index).replace(/\bREM\b/i, ''))) {
    return { name: region[2]!.replace(/-->$/, ''), isEnd: region[1] !== undefined };
  }
  const section = /(?<!-)-+8<-+[ \t]*\[[ \t]*(start|end)[ \t]*:[ \t]*([^[\]\s]+)[ \t]*\]/.exec(line);
  if (section) return { name: section[2]!, isEnd: section[1] === 'end' };
  const anchor = /\bANCHOR(_END)?:[ \t]*([\p{L}\p{M}\p{N}_-]+)/u.exec(line);
  return anchor ? { name: anchor[2]!, isEnd: anchor[1] !== undefined } : undefined;
}

function removeIndent(text: string): string {
  const lines = text.split('\n');
  const filled = lines.filter((line) => line.trim() !== '' && line !== HIDDEN);
  const indents = filled.map((line) => /^[ \t]*/.exec(line)![0]);
  const shortest = indents.reduce((a, b) => (b.length < a.length ? b : a), indents[0] ?? '');
  if (!indents.every((indent) => indent.startsWith(shortest))) return text;
  return lines.map((line) => (line === HIDDEN ? line : line.slice(shortest.length))).join('\n');
}

function hasId(title: string, id: string): boolean {
  const own = /\{[^{}#]*#([^\s{}]+)(?:\s[^{}]*)?\}\s*$/.exec(title)?.[1];
  if (own !== undefined) return own === id;
  const words = title.replace(/[ \t]#+[ \t]{0,100}$/, '').replace(/[`*]/g, '');
  const slug = createSlug(words);
  return slug === id || findOtherSlug(words, slug) === id;
}
