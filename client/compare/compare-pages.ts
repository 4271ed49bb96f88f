import { alignSequences, byPlace, findGaps, type Gap, type Pair, selectIncreasing } from './align-sequences.ts';
import { compareSketches, drawSketch, pairLike, type Sketch } from './likeness.ts';

/**
 * A part of a page as a reader sees it. Sections, lists, tables, boxes and blocks of code have children; headings, paragraphs, lines of
 * code and the like have words. What a reader cannot see is in neither.
 */
export interface Block {
  /** Only blocks of one kind take each other's place. */
  readonly kind: string;
  readonly words: readonly Word[];
  readonly children: readonly Block[];
}

/** A word, a sign, or something that stands in a text as a whole: a picture, a formula. */
export interface Word {
  readonly text: string;
  /** Equal where it looks equal: whether it is bold, code, a link … */
  readonly look: string;
  /** Where it leads; '' for what is no link. */
  readonly link: string;
}

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
/** How like two blocks must be to take each other's place, from 0 to 1. */
const LIKENESS: Readonly<Record<string, number>> = { text: 0.5, line: 0.5, item: 0.4 };
const OTHER_LIKENESS = 0.35;
/** The same for blocks in different places. */
const MOVED_LIKENESS = 0.7;
/** Shorter blocks are not said to have moved: they are somewhere in any page. */
const MOVED_WORDS = 6;
const LIKE_MOVED_WORDS = 20;
/** Parts of others, which do not move by themselves. */
const UNMOVED: ReadonlySet<string> = new Set(['line', 'cell', 'heading']);

interface Measure {
  /** Equal for blocks that look equal and lead to the same. */
  readonly id: number;
  /** Words that are no spaces. */
  readonly size: number;
  readonly sketch: Sketch;
  /** The name of the block: the heading of a section, the first cell of a row. 0 = nothing. */
  readonly label: number;
}

/** Compares two pages. What it costs is nearly linear in their length, since every search has a limit. */
export function comparePages(old: Block, next: Block): Comparison {
  const ids = new Map<string, number>();
  const measures = new Map<Block, Measure>();
  const partners = new Map<Block, Block>();
  /** Blocks that stand, among their neighbours, where their partners do. */
  const staying = new Set<Block>();
  let isCoarse = false;

  const intern = (text: string): number => {
    const known = ids.get(text);
    if (known !== undefined) return known;
    ids.set(text, ids.size + 1);
    return ids.size;
  };
  const measure = (block: Block): Measure => {
    const known = measures.get(block);
    if (known) return known;
    const inner = block.children.map(measure);
    const own = block.words.filter(({ text }) => text.trim() !== '');
    const first = block.kind === 'section' || block.kind === 'row' ? inner[0] : undefined;
    const said = block.words.map(({ text, look, link }) => `${text}\u0001${look}\u0001${link}`).join('\u0002');
    const found: Measure = {
      id: intern(`${block.kind}\u0003${said}\u0003${inner.map(({ id }) => id).join(' ')}`),
      size: inner.reduce((sum, { size }) => sum + size, own.length),
      sketch: drawSketch(
        own.map(({ text }) => text.toLowerCase()),
        inner.map(({ sketch }) => sketch),
      ),
      label: first && first.size > 0 ? intern(`${block.kind}\u0004${first.id}`) : 0,
    };
    measures.set(block, found);
    return found;
  };
  const sketchOf = (block: Block): Sketch => measure(block).sketch;
  const isHuge = measure(old).size + measure(next).size > MAX_WORDS;
  // What is found must not depend on which page is the old one.
  const isFlipped = spell(old) > spell(next);
  const [one, other] = isFlipped ? [next, old] : [old, next];

  const align = (a: readonly number[], b: readonly number[], weights?: readonly number[]): readonly Pair[] =>
    alignSequences(a, b, weights).pairs;
  const idOf = (block: Block): number => measure(block).id;
  const sizeOf = (block: Block): number => measure(block).size;
  const labelOf = (block: Block): number => measure(block).label;
  const join = (a: Block, b: Block): void => {
    partners.set(a, b);
    partners.set(b, a);
  };

  /** Finds out which children of two blocks are the same ones, and which children of these. */
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

  /** Finds blocks that are in both pages, and in another place: whole ones, the largest first, then such as are changed, too. */
  const matchMoved = (): void => {
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
  };
  /** Whether no part of a block is known to be elsewhere. */
  const isWhole = (block: Block): boolean => block.children.every((child) => !partners.has(child) && isWhole(child));

  const comparePair = (left: Block, right: Block): Change => {
    if (measure(left).id === measure(right).id) return { type: 'same', old: left, next: right };
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

  matchInside(one, other);
  if (!isHuge) matchMoved();
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
