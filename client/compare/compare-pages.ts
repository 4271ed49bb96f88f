import { alignSequences, type Gap, type Pair } from './align-sequences.ts';
import type { Block, Word } from './block.ts';
import { createMatches } from './match-blocks.ts';
import { matchMoved } from './match-moved.ts';
import { createMeasures } from './measure-blocks.ts';

/** The fate of a block, or of two that are the same one in both pages. Parts are in reading order, what is gone before what came. */
export type Change =
  | { readonly type: 'same'; readonly old: Block; readonly next: Block }
  | { readonly type: 'changed'; readonly old: Block; readonly next: Block; readonly runs: readonly Run[] }
  | { readonly type: 'within'; readonly old: Block; readonly next: Block; readonly parts: readonly Change[] }
  | { readonly type: 'removed'; readonly old: Block; readonly parts: readonly Change[] }
  | { readonly type: 'added'; readonly next: Block; readonly parts: readonly Change[] }
  /** Stands where the block was; `to` is where it is now. */
  | { readonly type: 'left'; readonly old: Block; readonly next: Block }
  /** Stands where the block is now; `change` tells how it came there. */
  | { readonly type: 'moved'; readonly old: Block; readonly next: Block; readonly change: Change };

/** Words in a row: places from `old[0]` to before `old[1]` of the old block's words, and of the new one's. */
export interface Run {
  /** `linked`: the words are the same, and lead elsewhere. */
  readonly type: 'same' | 'removed' | 'added' | 'linked';
  readonly old: readonly [from: number, to: number];
  readonly next: readonly [from: number, to: number];
}

export interface Comparison {
  readonly root: Change;
  /** Number of changes as a reader counts them. */
  readonly total: number;
  /** The number of the change, from 1, to which a part belongs. */
  readonly numbers: ReadonlyMap<Change, number>;
  /** Whether there are texts in which it was too much to mark single words. */
  readonly isCoarse: boolean;
}

/** Words of both pages; of longer ones only blocks are compared. */
const MAX_WORDS = 400_000;
/** Compares two pages. What it costs is nearly linear in their length, since every search has a limit. */
export function comparePages(old: Block, next: Block): Comparison {
  const measures = createMeasures();
  const { idOf, sizeOf, intern } = measures;
  const matches = createMatches(measures);
  const { partners, staying } = matches;
  let isCoarse = false;
  const isHuge = sizeOf(old) + sizeOf(next) > MAX_WORDS;
  // What is found must not depend on which page is the old one.
  const isFlipped = spell(old) > spell(next);
  const [one, other] = isFlipped ? [next, old] : [old, next];

  const comparePair = (left: Block, right: Block): Change => {
    if (idOf(left) === idOf(right)) return { type: 'same', old: left, next: right };
    if (left.children.length > 0 || right.children.length > 0) {
      return { type: 'within', old: left, next: right, parts: mergeParts(left.children, right.children) };
    }
    return { type: 'changed', old: left, next: right, runs: compareWords(left, right) };
  };
  const mergeParts = (lefts: readonly Block[], rights: readonly Block[]): readonly Change[] => {
    const parts: Change[] = [];
    let [i, j] = [0, 0];
    while (i < lefts.length || j < rights.length) {
      for (; i < lefts.length && !staying.has(lefts[i]!); i++) parts.push(tellGone(lefts[i]!));
      for (; j < rights.length && !staying.has(rights[j]!); j++) parts.push(tellCome(rights[j]!));
      if (i < lefts.length) parts.push(comparePair(lefts[i++]!, rights[j++]!));
    }
    return parts;
  };
  const tellGone = (old: Block): Change => {
    const next = partners.get(old);
    return next ? { type: 'left', old, next } : { type: 'removed', old, parts: old.children.map(tellGone) };
  };
  const tellCome = (next: Block): Change => {
    const old = partners.get(next);
    return old
      ? { type: 'moved', old, next, change: comparePair(old, next) }
      : { type: 'added', next, parts: next.children.map(tellCome) };
  };
  const compareWords = (left: Block, right: Block): readonly Run[] => {
    const [a, b] = isFlipped ? [right, left] : [left, right];
    const looksOf = ({ words }: Block): readonly number[] =>
      words.map(({ text, look }) => intern(`${text}\u0001${look}`));
    const { pairs, isCut } = isHuge ? { pairs: [], isCut: true } : alignSequences(looksOf(a), looksOf(b));
    isCoarse ||= isCut;
    const inOrder = isFlipped ? pairs.map(([i, j]) => [j, i] as const) : pairs;
    return listRuns(inOrder, left.words, right.words);
  };

  matches.matchInside(one, other);
  if (!isHuge) matchMoved(one, other, measures, matches);
  const root = comparePair(old, next);
  return { root, ...numberChanges(root), isCoarse };
}

/** Writes down what a page says: two that say the same are in no order. */
function spell({ kind, words, children }: Block): string {
  return `${kind}(${words.map(({ text, look, link }) => `${text}|${look}|${link}`).join(' ')}${children.map(spell).join('')})`;
}

/** Returns the runs of the words of two blocks, by the pairs of those that are equal. */
function listRuns(pairs: readonly Pair[], old: readonly Word[], next: readonly Word[]): readonly Run[] {
  const runs: Run[] = [];
  let [i, j] = [0, 0];
  for (const [from, to, nextFrom, nextTo] of [
    ...findIslands(pairs, old, next),
    [old.length, old.length, next.length, next.length] as const,
  ]) {
    if (from > i) runs.push({ type: 'removed', old: [i, from], next: [j, j] });
    if (nextFrom > j) runs.push({ type: 'added', old: [from, from], next: [j, nextFrom] });
    for ([i, j] = [from, nextFrom]; i < to; ) {
      const start: Pair = [i, j];
      const isLinked = (): boolean => old[i]!.link !== next[j]!.link;
      const type = isLinked() ? 'linked' : 'same';
      for (; i < to && isLinked() === (type === 'linked'); i++) j++;
      runs.push({ type, old: [start[0], i], next: [start[1], j] });
    }
    [i, j] = [to, nextTo];
  }
  return runs;
}

/** A word or two between longer changes tell a reader nothing: such an island is of so many words at most. */
const MAX_ISLAND = 3;
const HAS_LETTER = /[\p{L}\p{N}]/u;

/** Returns where both texts have the same words, without islands that would only part what has changed around them. */
function findIslands(pairs: readonly Pair[], old: readonly Word[], next: readonly Word[]): readonly Gap[] {
  const islands: Gap[] = [];
  for (const [at, place] of pairs) {
    const last = islands.at(-1);
    if (last && last[1] === at && last[3] === place)
      islands[islands.length - 1] = [last[0], at + 1, last[2], place + 1];
    else islands.push([at, at + 1, place, place + 1]);
  }
  const lengthOf = (words: readonly Word[], from: number, to: number): number =>
    words.slice(from, to).reduce((sum, { text }) => sum + text.length, 0);
  const kept: Gap[] = [];
  for (const [at, island] of islands.entries()) {
    const [from, to, nextFrom, nextTo] = island;
    const [, before, , nextBefore] = kept.at(-1) ?? [0, 0, 0, 0];
    const [after, , nextAfter] = islands[at + 1] ?? [old.length, 0, next.length];
    const changed = Math.max(lengthOf(old, before, from), lengthOf(next, nextBefore, nextFrom));
    const changedAfter = Math.max(lengthOf(old, to, after), lengthOf(next, nextTo, nextAfter));
    const isSaid = old.slice(from, to).some(({ text }) => HAS_LETTER.test(text));
    const length = isSaid ? lengthOf(old, from, to) : 1;
    if (to - from > MAX_ISLAND || length > Math.min(changed, changedAfter)) kept.push(island);
  }
  return kept;
}

/** Gives numbers to changes: what is gone and what came in its place are one, and so is whatever changed in a row of a table. */
function numberChanges(root: Change): Pick<Comparison, 'numbers' | 'total'> {
  const numbers = new Map<Change, number>();
  const moves = new Map<Block, number>();
  const left: (Change & { readonly type: 'left' })[] = [];
  let total = 0;
  const number = (change: Change, known: number | undefined): void => {
    if (change.type === 'same') return;
    if (change.type === 'left') {
      left.push(change);
      return;
    }
    if (change.type === 'within') {
      numberAll(change.parts, known ?? (change.next.kind === 'row' ? ++total : undefined));
      return;
    }
    const own = known ?? ++total;
    numbers.set(change, own);
    if (change.type === 'moved') {
      moves.set(change.next, own);
      const { change: inner } = change;
      if (inner.type === 'changed') numbers.set(inner, own);
      else if (inner.type === 'within') numberAll(inner.parts, undefined);
    } else if (change.type !== 'changed') {
      numberAll(change.parts, own);
    }
  };
  const numberAll = (parts: readonly Change[], known: number | undefined): void => {
    let run: number | undefined;
    for (const part of parts) {
      const isLine = part.type === 'changed' && part.next.kind === 'line';
      if (part.type === 'added' || part.type === 'removed' || isLine) {
        run ??= known ?? ++total;
        number(part, run);
      } else {
        run = undefined;
        number(part, part.type === 'moved' ? undefined : known);
      }
    }
  };
  number(root, undefined);
  for (const change of left) numbers.set(change, moves.get(change.next)!);
  return { numbers, total };
}
