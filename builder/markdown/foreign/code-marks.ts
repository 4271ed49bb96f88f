import type { CodeSpan } from '../draft.ts';

const TAG_OF_SIGN = new Map<string, CodeSpan[3]>([
  ['+++', 'ins'],
  ['---', 'del'],
  [':::', 'mark'],
]);
const MAX_MARKS = 1_000;

/**
 * Removes the signs around marked code, `let a = +++$state(1)+++;`, and returns where it is. What is marked may have several lines, and
 * neither begins nor ends with a blank. Signs in quotes, and after the sign of a comment, are code.
 */
export function takeMarks(text: string): { readonly content: string; readonly spans: readonly CodeSpan[] } {
  const signs = [...text.matchAll(/(?<!\+)\+{3}(?!\+)|(?<!-)-{3}(?!-)|(?<!:):{3}(?!:)/g)].slice(0, 2 * MAX_MARKS);
  /** Where the next sign of its kind is, for each. */
  const ends: (number | undefined)[] = [];
  const nearest = new Map<string, number>();
  for (let at = signs.length - 1; at >= 0; at--) {
    const { 0: sign, index } = signs[at]!;
    ends[at] = nearest.get(sign);
    nearest.set(sign, index);
  }
  let content = '';
  let copied = 0;
  const ranges: Range[] = [];
  for (const [at, { 0: sign, index }] of signs.entries()) {
    if (index < copied) continue;
    const end = ends[at];
    const inside = text.slice(index + sign.length, end);
    if (end === undefined || /^(?:[ \n]|$)|[ \n]$/.test(inside) || !isMark(text, index)) continue;
    content += text.slice(copied, index);
    ranges.push([content.length, content.length + inside.length, TAG_OF_SIGN.get(sign)!]);
    content += inside;
    copied = end + sign.length;
  }
  content += text.slice(copied);
  return { content, spans: toSpans(content, ranges) };
}

type Range = readonly [start: number, end: number, tag: CodeSpan[3]];

function isMark(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 20), at);
  const after = text[at + 3] ?? '';
  return !/(?:\/\/|\/\*|<!|#)[ \t]*$/.test(before) && !(/["'`]/.test(after) && before.endsWith(after));
}

/** Returns the parts of ranges in the lines of a text. */
function toSpans(text: string, ranges: readonly Range[]): readonly CodeSpan[] {
  if (ranges.length === 0) return [];
  const spans: CodeSpan[] = [];
  let start = 0;
  let next = 0;
  for (const [number, line] of text.split('\n').entries()) {
    const end = start + line.length;
    for (let at = next; at < ranges.length && ranges[at]![0] < end; at++) {
      const [from, to, tag] = ranges[at]!;
      const first = Math.max(from - start, line.length - line.trimStart().length);
      const last = Math.min(to - start, line.trimEnd().length);
      if (first < last) spans.push([number, first, last, tag]);
      if (to > end) break;
      next = at + 1;
    }
    start = end + 1;
  }
  return spans;
}
