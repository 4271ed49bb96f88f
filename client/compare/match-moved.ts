import type { Block } from './block.ts';
import { compareSketches } from './likeness.ts';
import { type Matches, OTHER_LIKENESS } from './match-blocks.ts';
import type { Measures } from './measure-blocks.ts';

/** How like two blocks in different places must be, from 0 to 1. */
const MOVED_LIKENESS = 0.7;
/** Shorter blocks are not said to have moved: they are somewhere in any page. */
const MOVED_WORDS = 6;
const LIKE_MOVED_WORDS = 20;
/** Parts of others, which do not move by themselves. */
const UNMOVED: ReadonlySet<string> = new Set(['line', 'cell', 'heading']);

/** Matches blocks that are in both pages, and in another place: whole ones, the largest first, then such as are changed, too. */
export function matchMoved(
  one: Block,
  other: Block,
  { idOf, sizeOf, labelOf, sketchOf }: Measures,
  matches: Matches,
): void {
  const { partners, join, matchInside, matchLike } = matches;
  /** Whether no part of a block is known to be elsewhere. */
  const isWhole = (block: Block): boolean => block.children.every((child) => !partners.has(child) && isWhole(child));
  const collect = (block: Block, into: Block[]): void => {
    for (const child of block.children) {
      const partner = partners.get(child);
      if (!partner && !UNMOVED.has(child.kind) && sizeOf(child) >= MOVED_WORDS) into.push(child);
      // Of equal blocks, the parts have no partners of their own.
      if (!partner || idOf(partner) !== idOf(child)) collect(child, into);
    }
  };
  const [lefts, rights]: [Block[], Block[]] = [[], []];
  collect(one, lefts);
  collect(other, rights);
  const covered = new Set<Block>();
  const cover = (block: Block): void => {
    covered.add(block);
    block.children.forEach(cover);
  };
  const isFree = (block: Block): boolean => !covered.has(block) && !partners.has(block);
  const move = (left: Block, right: Block): void => {
    join(left, right);
    cover(left);
    cover(right);
    matchInside(left, right);
  };
  /** Moves blocks that are the only ones of their name in each page. */
  const moveBy = (nameOf: (block: Block) => number, isWanted: (block: Block) => boolean, least: number): void => {
    const [groups, otherGroups] = [lefts, rights].map((list) => {
      const found = new Map<number, Block[]>();
      for (const block of list.filter(isWanted)) {
        const same = found.get(nameOf(block));
        if (same) same.push(block);
        else found.set(nameOf(block), [block]);
      }
      return found;
    });
    for (const [name, blocks] of [...groups!].sort(([, [a]], [, [b]]) => sizeOf(b!) - sizeOf(a!))) {
      const [found, others] = [blocks.filter(isWanted), (otherGroups!.get(name) ?? []).filter(isWanted)];
      const [a, b] = [found[0], others[0]];
      // Of several it could be any.
      if (name === 0 || !a || !b || found.length + others.length > 2) continue;
      if (compareSketches(sketchOf(a), sketchOf(b)) >= least) move(a, b);
    }
  };
  // Sections before what stands in them.
  for (const areSections of [true, false]) {
    const isWanted = (block: Block): boolean =>
      (block.kind === 'section') === areSections && isFree(block) && isWhole(block);
    moveBy(idOf, isWanted, 0);
    if (areSections) moveBy(labelOf, isWanted, OTHER_LIKENESS);
    const isLong = (block: Block): boolean => sizeOf(block) >= LIKE_MOVED_WORDS && isWanted(block);
    const [found, others] = [lefts.filter(isLong), rights.filter(isLong)];
    for (const [at, place] of matchLike(found, others, () => MOVED_LIKENESS)) {
      const [a, b] = [found[at]!, others[place]!];
      if (isFree(a) && isFree(b) && isWhole(a) && isWhole(b)) move(a, b);
    }
  }
}
