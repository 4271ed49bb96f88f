import { diffArrays } from 'diff';

/** Places of two things that are the same one, in one list and in another. */
export type Pair = readonly [one: number, other: number];
/** Places that no pair is known of: in one list from the first to before the second, in the other from the third. */
export type Gap = readonly [from: number, to: number, otherFrom: number, otherTo: number];

/** Edits up to which the shortest way is looked for. */
const MAX_EDITS = 400;

/**
 * Pairs equal values of two lists, in order and as many as possible: those at both ends first, then those that are there once
 * in each list, the heaviest of them if they cross, then what is between these. `isCut`: somewhere the lists differ too much to find out.
 */
export function alignSequences(
  one: readonly number[],
  other: readonly number[],
  weights?: readonly number[],
): { readonly pairs: readonly Pair[]; readonly isCut: boolean } {
  const pairs: Pair[] = [];
  let isCut = false;
  const [from, to, otherFrom, otherTo] = trim(one, other, [0, one.length, 0, other.length], pairs);
  const once = findOnce(one, from, to);
  const otherOnce = findOnce(other, otherFrom, otherTo);
  const crossing: Pair[] = [];
  for (const [value, at] of once) {
    const place = otherOnce.get(value) ?? -1;
    if (at >= 0 && place >= 0) crossing.push([at, place]);
  }
  const anchors = selectIncreasing(
    crossing,
    crossing.map(([at]) => weights?.[at] ?? 1),
  );
  pairs.push(...anchors);
  for (const gap of findGaps(anchors, [from, to, otherFrom, otherTo])) {
    const [start, end, otherStart, otherEnd] = trim(one, other, gap, pairs);
    if (start === end || otherStart === otherEnd) continue;
    const edits = diffArrays(one.slice(start, end), other.slice(otherStart, otherEnd), { maxEditLength: MAX_EDITS });
    isCut ||= !edits;
    let [i, j] = [start, otherStart];
    for (const { added, removed, count } of edits ?? []) {
      if (!added && !removed) for (let k = 0; k < count; k++) pairs.push([i + k, j + k]);
      if (!added) i += count;
      if (!removed) j += count;
    }
  }
  return { pairs: pairs.sort(byPlace), isCut };
}

export function byPlace([one]: Pair, [other]: Pair): number {
  return one - other;
}

/** Pairs what is equal at both ends of a gap, and returns what is left of it. */
function trim(
  one: readonly number[],
  other: readonly number[],
  [from, to, otherFrom, otherTo]: Gap,
  pairs: Pair[],
): Gap {
  let [i, j, iEnd, jEnd] = [from, otherFrom, to, otherTo];
  while (i < iEnd && j < jEnd && one[i] === other[j]) pairs.push([i++, j++]);
  while (i < iEnd && j < jEnd && one[iEnd - 1] === other[jEnd - 1]) pairs.push([--iEnd, --jEnd]);
  return [i, iEnd, j, jEnd];
}

/** Returns the places of the values of a part of a list; -1 for one that is there more than once. */
function findOnce(list: readonly number[], from: number, to: number): ReadonlyMap<number, number> {
  const places = new Map<number, number>();
  for (let at = from; at < to; at++) places.set(list[at]!, places.has(list[at]!) ? -1 : at);
  return places;
}

/** Returns the gaps that pairs in order leave. */
export function findGaps(pairs: readonly Pair[], [from, to, otherFrom, otherTo]: Gap): readonly Gap[] {
  const gaps: Gap[] = [];
  let [i, j] = [from, otherFrom];
  for (const [at, place] of [...pairs, [to, otherTo] as const]) {
    if (at > i && place > j) gaps.push([i, at, j, place]);
    [i, j] = [at + 1, place + 1];
  }
  return gaps;
}

/** Returns those of some pairs, which are in the order of the one list, that are in the order of the other and have the greatest weight. */
export function selectIncreasing(pairs: readonly Pair[], weights: readonly number[]): readonly Pair[] {
  const size = pairs.reduce((most, [, place]) => Math.max(most, place + 2), 1);
  /** A Fenwick tree: the best chain that ends at one of the places of a node. */
  const best = new Int32Array(size).fill(-1);
  const totals: number[] = [];
  const before: number[] = [];
  for (const [at, [, place]] of pairs.entries()) {
    let last = -1;
    for (let node = place; node > 0; node &= node - 1) {
      if (best[node]! >= 0 && (last < 0 || totals[best[node]!]! > totals[last]!)) last = best[node]!;
    }
    before.push(last);
    totals.push(weights[at]! + (last < 0 ? 0 : totals[last]!));
    for (let node = place + 1; node < size; node += node & -node) {
      if (best[node]! < 0 || totals[at]! > totals[best[node]!]!) best[node] = at;
    }
  }
  const chain: Pair[] = [];
  let last = totals.reduce((most, total, at) => (most < 0 || total > totals[most]! ? at : most), -1);
  for (; last >= 0; last = before[last]!) chain.push(pairs[last]!);
  return chain.reverse();
}
