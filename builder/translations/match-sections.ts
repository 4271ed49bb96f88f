import type { PageSection } from '../model.ts';

/** Which section of a translation translates which one of the original; numbers are places in their lists. */
export interface SectionMatch {
  /** Pairs of places, in the original's order. */
  readonly pairs: readonly (readonly [original: number, translation: number])[];
  /** Sections of the original that the translation certainly lacks; those in neither list may be anywhere in it. */
  readonly missing: readonly number[];
}

/** The sections of a page with what they are matched by. */
export type MatchedSections = readonly { readonly id: string; readonly kept: Kept }[];

/** Prepares the sections of a page for matching; takes time in proportion to the length of their text. */
export function prepareSections(sections: readonly PageSection[]): MatchedSections {
  return sections.map((section) => ({ id: section.id, kept: readKept(section) }));
}

/** Runs of sections between known pairs are compared with each other; longer ones are left as they are. */
const MAX_RUN = 60;
/** So much of what is kept in two sections must be the same, and more than in any other by the margin, to say that they are one. */
const SAME = 0.5;
const MARGIN = 0.2;

/**
 * Matches the sections of a page with those of its translation: by the ids of headings, then by what translators leave as it is
 * (code, names, addresses), then, where as many are left on both sides between two pairs, by their order. What may be otherwise is left open.
 */
export function matchSections(original: MatchedSections, translation: MatchedSections): SectionMatch {
  const [ours, theirs] = [original, translation].map((sections) => sections.map(({ kept }) => kept)) as [
    Kept[],
    Kept[],
  ];
  const pairs = new Map<number, number>();
  const taken = new Set<number>();
  const missing: number[] = [];
  const pair = (one: number, other: number): void => {
    pairs.set(one, other);
    taken.add(other);
  };
  const places = new Map(translation.map(({ id }, at) => [id, at]));
  for (const [at, { id }] of original.entries()) {
    const other = places.get(id);
    if (other !== undefined) pair(at, other);
  }
  for (const run of listRuns()) if (run.ours.length !== run.theirs.length) pairByKept(run);
  for (const run of listRuns()) settle(run);
  return { pairs: [...pairs].sort(([a], [b]) => a - b), missing };

  /** Returns what stands between pairs that are in the same order on both sides. */
  function listRuns(): readonly Run[] {
    const order = findRising([...pairs].sort(([a], [b]) => a - b));
    const borders = [...order, [original.length, translation.length] as const];
    let [from, fromOther] = [0, 0];
    return borders.map(([to, toOther]): Run => {
      const run = {
        ours: listBetween(from, to).filter((at) => !pairs.has(at)),
        theirs: listBetween(fromOther, toOther).filter((at) => !taken.has(at)),
        before: fromOther - 1,
      };
      [from, fromOther] = [to + 1, toOther + 1];
      return run;
    });
  }

  /** Pairs sections that are like each other and like no other one of the run. */
  function pairByKept(run: Run): void {
    if (run.ours.length > MAX_RUN || run.theirs.length > MAX_RUN) return;
    const table = run.ours.map((one) => run.theirs.map((other) => likeness(ours[one]!, theirs[other]!)));
    for (const [row, one] of run.ours.entries()) {
      const column = findOutstanding(table[row]!);
      if (column === undefined || findOutstanding(table.map((cells) => cells[column]!)) !== row) continue;
      pair(one, run.theirs[column]!);
    }
  }

  function settle(run: Run): void {
    if (run.theirs.length === 0) {
      const before = theirs[run.before];
      missing.push(...run.ours.filter((at) => !before || !holds(before, ours[at]!)));
      return;
    }
    if (run.ours.length !== run.theirs.length || run.ours.length > MAX_RUN) return;
    const isCrossed = run.ours.some((one, row) => {
      const cells = run.theirs.map((other) => likeness(ours[one]!, theirs[other]!));
      const best = findOutstanding(cells);
      return best !== undefined && best !== row;
    });
    if (!isCrossed) for (const [row, one] of run.ours.entries()) pair(one, run.theirs[row]!);
  }
}

interface Run {
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  /** The place of the translation's section before it. */
  readonly before: number;
}

/** Texts that translators leave as they are, each with how often it stands there. */
interface Kept {
  readonly words: ReadonlyMap<string, number>;
  readonly size: number;
}

/** Names and code: more than one Latin letter, digit or sign in a row. */
const NAME = /@?[\w$][\w$@./:#-]*[\w$]|@[\w$]/g;
/** Words of a language have none of this: a digit, a sign inside, a capital after a small letter. */
const NOT_A_WORD = /[\d_$@./:#]|[a-z][A-Z]/;

function readKept({ heading, text }: PageSection): Kept {
  const words = new Map<string, number>();
  let size = 0;
  for (const [name] of `${heading} ${text}`.matchAll(NAME)) {
    if (!NOT_A_WORD.test(name)) continue;
    words.set(name, (words.get(name) ?? 0) + 1);
    size++;
  }
  return { words, size };
}

/** Returns how much of two sections is the same, from 0 to 1; 0 where there is little to tell by. */
function likeness(one: Kept, other: Kept): number {
  return Math.min(one.size, other.size) < 2 ? 0 : (2 * countCommon(one, other)) / (one.size + other.size);
}

/** Returns whether most of what is kept of a section stands in another one, in which it may be told without a heading. */
function holds(one: Kept, part: Kept): boolean {
  return part.size >= 2 && countCommon(one, part) >= SAME * part.size;
}

function countCommon(one: Kept, other: Kept): number {
  let common = 0;
  for (const [word, count] of one.words) common += Math.min(count, other.words.get(word) ?? 0);
  return common;
}

/** Returns the place of the value that is high, and higher than all others by a margin. */
function findOutstanding(values: readonly number[]): number | undefined {
  const best = Math.max(...values);
  const isOutstanding = values.filter((value) => value > best - MARGIN).length === 1;
  return best >= SAME && isOutstanding ? values.indexOf(best) : undefined;
}

function listBetween(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
}

/** Returns the longest part of a list of pairs, sorted by the first place, in which the second ones rise, too. */
function findRising(pairs: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
  /** By length of a rising part, less one: the place of its last pair in `pairs`, the lowest one. */
  const ends: number[] = [];
  const before: number[] = [];
  for (const [at, [, place]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[ends[middle]!]![1] < place) low = middle + 1;
      else high = middle;
    }
    before.push(low > 0 ? ends[low - 1]! : -1);
    ends[low] = at;
  }
  const found: (readonly [number, number])[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at]!) found.push(pairs[at]!);
  return found.reverse();
}
