import { createSlug, findOtherSlug } from '../slug.ts';

/**
 * Returns the part of a file between its region marks: `#region name` … `#endregion name` of editors in any comment,
 * `--8<-- [start:name]` … `[end:name]`, mdBook's `ANCHOR: name` … `ANCHOR_END: name`, or Docsify's `/// [name]` at both ends. Undefined when there is no such region. Marks of regions inside are left out.
 */
export function findRegion(text: string, name: string): string | undefined {
  if (!text.includes(name)) return undefined;
  const open: string[] = [];
  let found = false;
  let result = '';
  // Where the line after the last mark begins.
  let from = 0;
  for (const { start, end, mark } of listMarks(text)) {
    if (open.length > 0) result += text.slice(from, start);
    from = end + 1;
    if (!mark.isEnd) {
      if (open.length > 0 || mark.name === name) open.push(mark.name);
      found ||= mark.name === name;
    } else if (open.length > 0) {
      const ended = mark.name === '' ? open.length - 1 : open.lastIndexOf(mark.name);
      if (ended >= 0) open.length = ended;
      if (open.length === 0) break;
    }
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

/** Returns a file without the lines that mark regions. */
export function removeRegionMarks(text: string): string {
  let result = '';
  let from = 0;
  for (const { start, end } of listMarks(text)) {
    result += text.slice(from, start);
    from = end + 1;
  }
  if (from === 0) return text;
  return from <= text.length ? result + text.slice(from) : result.replace(/\n$/, '');
}

/** Returns the part of a Markdown text under a heading, the heading included, by the heading's id. */
export function findSection(text: string, id: string): string | undefined {
  const marks = /(?<=^|\n) {0,3}(?:(`{3,}|~{3,})|(#{1,6})[ \t]+([^\n]*))/g;
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

/**
 * Returns lines `3,10`, `3,` or `,10` (from 1, both included); the whole text for an empty range, undefined where there are no such
 * lines.
 */
export function selectLines(text: string, range: string | undefined): string | undefined {
  const match = /^\s*(\d*)\s*,\s*(\d*)\s*$/.exec(range ?? '') ?? /^\s*(\d+)()\s*$/.exec(range ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return text;
  const first = Math.max(Number(match[1] || 1), 1);
  const single = !range!.includes(',');
  const last = single ? first : match[2] === '' ? undefined : Math.max(Number(match[2]), 1);
  const lines = text.split('\n').slice(first - 1, last);
  return lines.length === 0 ? undefined : lines.join('\n');
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
  const section = /-+8<-+[ \t]*\[[ \t]*(start|end)[ \t]*:[ \t]*([^\]\s]+)[ \t]*\]/.exec(line);
  if (section) return { name: section[2]!, isEnd: section[1] === 'end' };
  const anchor = /\bANCHOR(_END)?:[ \t]*([\p{L}\p{M}\p{N}_-]+)/u.exec(line);
  return anchor ? { name: anchor[2]!, isEnd: anchor[1] !== undefined } : undefined;
}

function removeIndent(text: string): string {
  const lines = text.split('\n');
  const filled = lines.filter((line) => line.trim() !== '');
  const indents = filled.map((line) => /^[ \t]*/.exec(line)![0]);
  const shortest = indents.reduce((a, b) => (b.length < a.length ? b : a), indents[0] ?? '');
  if (!indents.every((indent) => indent.startsWith(shortest))) return text;
  return lines.map((line) => line.slice(shortest.length)).join('\n');
}

function hasId(title: string, id: string): boolean {
  const own = /\{[^{}]*#([^\s{}]+)[^{}]*\}\s*$/.exec(title)?.[1];
  if (own !== undefined) return own === id;
  const words = title.replace(/[ \t]#+[ \t]*$/, '').replace(/[`*]/g, '');
  const slug = createSlug(words);
  return slug === id || findOtherSlug(words, slug) === id;
}
