import { createSlug, findOtherSlug } from '../slug.ts';

/**
 * Returns the part of a file between its region marks: `#region name` … `#endregion name` of editors in any comment,
 * `--8<-- [start:name]` … `[end:name]`, mdBook's `ANCHOR: name` … `ANCHOR_END: name`, or Docsify's `/// [name]` at both ends. Undefined when there is no such region. Marks of regions inside are left out.
 */
export function findRegion(text: string, name: string): string | undefined {
  if (!text.includes(name)) return undefined;
  const result: string[] = [];
  const open: string[] = [];
  let found = false;
  for (const line of text.split('\n')) {
    const mark = readMark(line);
    if (mark === undefined) {
      if (open.length > 0) result.push(line);
    } else if (!mark.isEnd) {
      if (open.length > 0 || mark.name === name) open.push(mark.name);
      found ||= mark.name === name;
    } else if (open.length > 0) {
      const ended = mark.name === '' ? open.length - 1 : open.lastIndexOf(mark.name);
      if (ended >= 0) open.length = ended;
      if (open.length === 0) break;
    }
  }
  return found ? removeIndent(result).join('\n') : findFragment(text, name);
}

/** Docsify's marks are the same at both ends. */
function findFragment(text: string, name: string): string | undefined {
  const lines = text.split('\n');
  const isMark = (line: string): boolean => line.includes(`/// [${name}]`) || line.includes(`### [${name}]`);
  const start = lines.findIndex(isMark);
  const end = lines.findIndex((line, index) => index > start && isMark(line));
  return start < 0 || end < 0 ? undefined : removeIndent(lines.slice(start + 1, end)).join('\n');
}

/** Returns a file without the lines that mark regions. */
export function removeRegionMarks(text: string): string {
  if (!/region|8<-|ANCHOR/i.test(text)) return text;
  const lines = text.split('\n');
  return lines.filter((line) => readMark(line) === undefined).join('\n');
}

/** Returns the part of a Markdown text under a heading, the heading included, by the heading's id. */
export function findSection(text: string, id: string): string | undefined {
  const lines = text.split('\n');
  let start = -1;
  let level = 0;
  let fence = '';
  for (const [index, line] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined) fence = fence === '' ? mark : mark.startsWith(fence) ? '' : fence;
    const heading = fence === '' && mark === undefined ? /^ {0,3}(#{1,6})[ \t]+(.*)$/.exec(line) : null;
    if (!heading) continue;
    const depth = heading[1]!.length;
    if (start >= 0 && depth <= level) return lines.slice(start, index).join('\n');
    if (start < 0 && hasId(heading[2]!, id)) {
      start = index;
      level = depth;
    }
  }
  return start < 0 ? undefined : lines.slice(start).join('\n');
}

/** Returns lines `3,10`, `3,` or `,10` (from 1, both included); the whole text for an empty range. */
export function selectLines(text: string, range: string | undefined): string {
  const match = /^\s*(\d*)\s*,\s*(\d*)\s*$/.exec(range ?? '') ?? /^\s*(\d+)()\s*$/.exec(range ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return text;
  const first = match[1] === '' ? 1 : Number(match[1]);
  const single = !range!.includes(',');
  const last = single ? first : match[2] === '' ? undefined : Number(match[2]);
  return text
    .split('\n')
    .slice(Math.max(first, 1) - 1, last)
    .join('\n');
}

function readMark(line: string): { name: string; isEnd: boolean } | undefined {
  if (line.length > 500) return undefined;
  const region = /#[ \t]*(?:pragma[ \t]+)?(end[ \t]?)?region\b[ \t]*"?([^\s"*]*)/i.exec(line);
  if (region && !/\w/.test(line.slice(0, region.index).replace(/\bREM\b/i, ''))) {
    return { name: region[2]!.replace(/-->$/, ''), isEnd: region[1] !== undefined };
  }
  const section = /-+8<-+[ \t]*\[[ \t]*(start|end)[ \t]*:[ \t]*([^\]\s]+)[ \t]*\]/.exec(line);
  if (section) return { name: section[2]!, isEnd: section[1] === 'end' };
  const anchor = /\bANCHOR(_END)?:[ \t]*([\w-]+)/.exec(line);
  return anchor ? { name: anchor[2]!, isEnd: anchor[1] !== undefined } : undefined;
}

function removeIndent(lines: readonly string[]): readonly string[] {
  const filled = lines.filter((line) => line.trim() !== '');
  const indents = filled.map((line) => /^[ \t]*/.exec(line)![0]);
  const shortest = indents.reduce((a, b) => (b.length < a.length ? b : a), indents[0] ?? '');
  return indents.every((indent) => indent.startsWith(shortest))
    ? lines.map((line) => line.slice(shortest.length))
    : lines;
}

function hasId(title: string, id: string): boolean {
  const own = /\{[^{}]*#([^\s{}]+)[^{}]*\}\s*$/.exec(title)?.[1];
  if (own !== undefined) return own === id;
  const words = title.replace(/[ \t]#+[ \t]*$/, '').replace(/[`*]/g, '');
  const slug = createSlug(words);
  return slug === id || findOtherSlug(words, slug) === id;
}
