import { eachTerm } from '../search-terms.ts';
import type { Volume } from './volume.ts';

export interface Passage {
  readonly volume: Volume;
  readonly section: number;
  /** Id of its heading, '' for the beginning of a page. */
  readonly id: string;
  readonly heading: string;
  /** Terms of the index that were found in it. */
  readonly terms: ReadonlySet<string>;
}

/** A piece of text, marked where it is what was looked for. */
export interface Piece {
  readonly text: string;
  readonly isMarked: boolean;
}

type Span = readonly [start: number, end: number];

/** Characters of an excerpt; those of Chinese, Japanese and Korean are twice as wide. */
const LENGTH = 170;
const LEAD = 40;

/** Returns a text in pieces, with the terms marked. */
export function markTerms(text: string, terms: ReadonlySet<string>): readonly Piece[] {
  return cut(text, findSpans(text, terms), 0, text.length);
}

/** Returns the part of a text that has most of the terms, in pieces; its beginning where it has none. */
export function findPassage(text: string, terms: ReadonlySet<string>): readonly Piece[] {
  const spans = findSpans(text, terms);
  const length = /[\u3040-\u9FFF\uAC00-\uD7A3]/.test(text.slice(0, 200)) ? LENGTH / 2 : LENGTH;
  const from = findRichest(text, spans, length - LEAD);
  const start = from <= LEAD ? 0 : findBreak(text, from - LEAD, from);
  const end = start + length >= text.length ? text.length : findBreak(text, start + length - 20, start + length);
  const pieces = cut(text, spans, start, end);
  const mark = (isNeeded: boolean): readonly Piece[] => (isNeeded ? [{ text: '…', isMarked: false }] : []);
  return [...mark(start > 0), ...pieces, ...mark(end < text.length)];
}

/** Returns the first span from which on `length` characters have most of the terms; 0 where there are none. */
function findRichest(text: string, spans: readonly Span[], length: number): number {
  const words = spans.map(([start, end]) => text.slice(start, end).toLowerCase());
  const near = new Map<string, number>();
  let [best, most, next] = [spans[0]?.[0] ?? 0, 0, 0];
  for (const [at, [start]] of spans.entries()) {
    for (; next < spans.length && spans[next]![1] <= start + length; next++)
      near.set(words[next]!, (near.get(words[next]!) ?? 0) + 1);
    if (near.size > most) [best, most] = [start, near.size];
    // A span that is longer than that has not been counted.
    if (next === at) next++;
    else if (near.get(words[at]!) === 1) near.delete(words[at]!);
    else near.set(words[at]!, near.get(words[at]!)! - 1);
  }
  return best;
}

/** Returns where the terms stand, those that touch taken together. */
function findSpans(text: string, terms: ReadonlySet<string>): readonly Span[] {
  const found: Span[] = [];
  eachTerm(text, (term, start, end) => {
    if (terms.has(term)) found.push([start, end]);
  });
  const spans: [number, number][] = [];
  for (const [start, end] of found.sort(([a], [b]) => a - b)) {
    const last = spans[spans.length - 1];
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else spans.push([start, end]);
  }
  return spans;
}

/** Returns the end of the first word behind `from`, or `to` where there is none before it. */
function findBreak(text: string, from: number, to: number): number {
  const space = text.indexOf(' ', from);
  return space < 0 || space >= to ? to : space + 1;
}

function cut(text: string, spans: readonly Span[], start: number, end: number): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = start;
  for (const [from, to] of spans) {
    if (from < at || to > end) continue;
    pieces.push({ text: text.slice(at, from), isMarked: false }, { text: text.slice(from, to), isMarked: true });
    at = to;
  }
  pieces.push({ text: text.slice(at, end), isMarked: false });
  return pieces.filter((piece) => piece.text !== '');
}
