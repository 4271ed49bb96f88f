import { alignSequences, byPlace, findGaps, type Pair, selectIncreasing } from './align-sequences.ts';
import type { Block } from './block.ts';
import { compareSketches, pairLike } from './likeness.ts';
import type { Measures } from './measure-blocks.ts';

/** The blocks of two pages that are the same ones. */
export interface Matches {
  /** The partner of each block in the other page. */
  readonly partners: Map<Block, Block>;
  /** Blocks that stand, among their neighbours, where their partners do. */
  readonly staying: Set<Block>;
  /** Makes two blocks partners. */
  join(a: Block, b: Block): void;
  /** Finds out which children of two blocks are the same ones, and which children of these. */
  matchInside(a: Block, b: Block): void;
  /** Pairs blocks of one kind that are so much alike, from 0 to 1. */
  matchLike(ones: readonly Block[], others: readonly Block[], leastOf: (block: Block) => number): readonly Pair[];
}

/** How like two blocks must be to take each other's place, from 0 to 1. */
const LIKENESS: Readonly<Record<string, number>> = { text: 0.5, line: 0.5, item: 0.4 };
export const OTHER_LIKENESS = 0.35;

/** Creates matches of blocks, without any. */
export function createMatches({ idOf, sizeOf, labelOf, sketchOf }: Measures): Matches {
  const partners = new Map<Block, Block>();
  const staying = new Set<Block>();
  const align = (a: readonly number[], b: readonly number[], weights?: readonly number[]): readonly Pair[] =>
    alignSequences(a, b, weights).pairs;
  const join = (a: Block, b: Block): void => {
    partners.set(a, b);
    partners.set(b, a);
  };

  const matchInside = (a: Block, b: Block): void => {
    if (idOf(a) === idOf(b)) return;
    if (a.kind === 'table') matchColumns(a, b);
    for (const [i, j] of a.kind === 'row' ? matchCells(a, b) : matchChildren(a.children, b.children)) {
      const [left, right] = [a.children[i]!, b.children[j]!];
      join(left, right);
      staying.add(left).add(right);
      matchInside(left, right);
    }
  };
  const matchChildren = (lefts: readonly Block[], rights: readonly Block[]): readonly Pair[] => {
    const [left, right] = [lefts[0], rights[0]];
    if (!left || !right) return [];
    // The heading of a section, and the only one in its place, stay what they are whatever they say.
    const isFixed =
      left.kind === right.kind && (left.kind === 'heading' || (lefts.length === 1 && rights.length === 1));
    const pairs: Pair[] = isFixed ? [[0, 0]] : [];
    /** Pairs, in what is left, what `pair` finds. */
    const pairRest = (pair: (ones: readonly Block[], others: readonly Block[]) => readonly Pair[]): void => {
      pairs.sort(byPlace);
      for (const [i, iEnd, j, jEnd] of findGaps(pairs, [0, lefts.length, 0, rights.length])) {
        const found = pair(lefts.slice(i, iEnd), rights.slice(j, jEnd));
        for (const [at, place] of found) pairs.push([i + at, j + place]);
      }
    };
    const inOrder = (ones: readonly Block[], found: readonly Pair[]): readonly Pair[] =>
      selectIncreasing(
        found,
        found.map(([at]) => sizeOf(ones[at]!) + 1),
      );
    pairRest((ones, others) =>
      align(
        nameAll(ones, others),
        nameAll(others, ones),
        ones.map((block) => sizeOf(block) + 1),
      ),
    );
    pairRest((ones, others) => {
      // Nothing is called as what has no name.
      let nameless = 0;
      const nameOf = (block: Block): number => labelOf(block) || --nameless;
      return align(ones.map(nameOf), others.map(nameOf));
    });
    pairRest((ones, others) =>
      inOrder(
        ones,
        matchLike(ones, others, ({ kind }) => LIKENESS[kind] ?? OTHER_LIKENESS),
      ),
    );
    return pairs.sort(byPlace);
  };
  /** Names blocks: those of a list that are called as one of another list and no other are the same whatever they say, all others if they are equal. */
  const nameAll = (blocks: readonly Block[], others: readonly Block[]): readonly number[] => {
    const [counts, otherCounts] = [blocks, others].map((list) => {
      const found = new Map<number, number>();
      for (const block of list) found.set(labelOf(block), (found.get(labelOf(block)) ?? 0) + 1);
      return found;
    });
    return blocks.map((block) => {
      const label = labelOf(block);
      return label > 0 && counts!.get(label) === 1 && otherCounts!.get(label) === 1 ? label : idOf(block);
    });
  };
  const matchLike = (
    ones: readonly Block[],
    others: readonly Block[],
    leastOf: (block: Block) => number,
  ): readonly Pair[] =>
    pairLike(ones.map(sketchOf), others.map(sketchOf), (at, place) => {
      const [a, b] = [ones[at]!, others[place]!];
      const score = a.kind === b.kind ? compareSketches(sketchOf(a), sketchOf(b)) : 0;
      return score < leastOf(a) ? 0 : score;
    });

  /** The columns of tables that have got or lost some, by their rows. */
  const columnsOf = new Map<Block, readonly [from: number, to: number, pairs: readonly Pair[]]>();
  const matchColumns = (a: Block, b: Block): void => {
    const [head, otherHead] = [a, b].map(({ children }) => children.find(({ kind }) => kind === 'row')?.children ?? []);
    if (head!.length === otherHead!.length) return;
    const pairs = align(head!.map(idOf), otherHead!.map(idOf));
    for (const row of a.children) columnsOf.set(row, [head!.length, otherHead!.length, pairs]);
  };
  /** Pairs the cells of two rows by their columns, else by their places. */
  const matchCells = (a: Block, b: Block): readonly Pair[] => {
    const [from, to, pairs] = columnsOf.get(a) ?? [];
    const [width, otherWidth] = [a.children.length, b.children.length];
    if (pairs && from === width && to === otherWidth) return pairs;
    return Array.from({ length: Math.min(width, otherWidth) }, (_, at) => [at, at] as const);
  };

  return { partners, staying, join, matchInside, matchLike };
}
