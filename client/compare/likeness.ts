/** Words that stand for all words of a block: so many hashes, the lowest ones. */
const SKETCH = 160;
/** How many blocks of a list may share a word by which one of them is found. */
const MAX_HOLDERS = 16;
/** How many blocks one is compared with at most. */
const MAX_CANDIDATES = 8;

/** A sketch of a text: hashes of some of its words, sorted. Sketches of parts make one of the whole. */
export type Sketch = readonly number[];

const hashes = new Map<string, number>();

/** Returns a number of 32 bits for a word, the same one whenever it is asked. */
export function hashWord(word: string): number {
  const known = hashes.get(word);
  if (known !== undefined) return known;
  let hash = 2166136261;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 16777619);
  // Spreads what the last sign has changed over all bits.
  hash = Math.imul(hash ^ (hash >>> 15), 2246822507);
  hash = (hash ^ (hash >>> 13)) >>> 0;
  hashes.set(word, hash);
  return hash;
}

/** Returns the sketch of some words, and of parts that have one. */
export function drawSketch(words: Iterable<string>, parts: readonly Sketch[]): Sketch {
  const found = new Set<number>(parts.flat());
  for (const word of words) found.add(hashWord(word));
  return [...found].sort((a, b) => a - b).slice(0, SKETCH);
}

/** Returns how like two texts are, from 0 to 1: the part of their words that both have. */
export function compareSketches(one: Sketch, other: Sketch): number {
  let [i, j, common] = [0, 0, 0];
  // Beyond the end of a full sketch nothing is known.
  const end = Math.min(
    one.length < SKETCH ? Infinity : one[SKETCH - 1]!,
    other.length < SKETCH ? Infinity : other[SKETCH - 1]!,
  );
  while (i < one.length && j < other.length && one[i]! <= end && other[j]! <= end) {
    if (one[i] === other[j]) common++;
    const isFirst = one[i]! <= other[j]!;
    if (other[j]! <= one[i]!) j++;
    if (isFirst) i++;
  }
  while (i < one.length && one[i]! <= end) i++;
  while (j < other.length && other[j]! <= end) j++;
  return i + j === 0 ? 0 : (2 * common) / (i + j);
}

/**
 * Pairs texts by likeness: each with the one that is most like it and has none that is more like. Candidates are found by
 * words that few have, so that long lists cost little more than short ones. Pairs are in the order of the first list.
 */
export function pairLike(
  ones: readonly Sketch[],
  others: readonly Sketch[],
  rate: (one: number, other: number) => number,
): readonly (readonly [one: number, other: number])[] {
  const pairs: (readonly [number, number])[] = [];
  const [free, otherFree] = [new Set(ones.keys()), new Set(others.keys())];
  // Those whose first choice is taken have a second one.
  for (let round = 0; round < 3; round++) {
    const holders = new Map<number, number[]>();
    for (const place of otherFree) {
      for (const hash of others[place]!) {
        const list = holders.get(hash);
        if (list) list.push(place);
        else holders.set(hash, [place]);
      }
    }
    const best = new Map<number, readonly [place: number, score: number]>();
    const otherBest = new Map<number, readonly [place: number, score: number]>();
    for (const at of free) {
      for (const place of findCandidates(ones[at]!, holders)) {
        const score = rate(at, place);
        if (score > (best.get(at)?.[1] ?? 0)) best.set(at, [place, score]);
        if (score > (otherBest.get(place)?.[1] ?? 0)) otherBest.set(place, [at, score]);
      }
    }
    let isFound = false;
    for (const [at, [place]] of best) {
      if (otherBest.get(place)![0] !== at) continue;
      isFound = true;
      pairs.push([at, place]);
      free.delete(at);
      otherFree.delete(place);
    }
    if (!isFound) break;
  }
  return pairs.sort(([one], [other]) => one - other);
}

/** Returns the places of those that share the most words, of words that few have. */
function findCandidates(sketch: Sketch, holders: ReadonlyMap<number, readonly number[]>): readonly number[] {
  const counts = new Map<number, number>();
  for (const hash of sketch) {
    const places = holders.get(hash) ?? [];
    if (places.length > MAX_HOLDERS) continue;
    for (const place of places) counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  if (counts.size <= MAX_CANDIDATES) return [...counts.keys()];
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_CANDIDATES)
    .map(([place]) => place);
}
