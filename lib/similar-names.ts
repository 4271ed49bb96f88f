/**
 * Returns the names that are most like one that nobody has, the best first: by the pairs of letters that both have, those of their
 * last segments counting double. Takes time in proportion to all letters. Empty where none has much in common with it.
 */
export function selectSimilar(wanted: string, names: Iterable<string>, max = 5): readonly string[] {
  const own = countPairs(wanted.slice(0, MAX_LENGTH));
  const rated: { readonly name: string; readonly score: number }[] = [];
  for (const name of names) {
    const score = rate(own, countPairs(name.slice(0, MAX_LENGTH)));
    if (score >= LEAST) rated.push({ name, score });
  }
  return rated
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, max)
    .map(({ name }) => name);
}

/** Longer names are compared by their beginnings. */
const MAX_LENGTH = 300;
/** The share of pairs in common from which on a name may have been meant. */
const LEAST = 0.35;

/** Pairs of letters with how often they stand there, and how many they are. */
interface Pairs {
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
}

function countPairs(name: string): Pairs {
  const text = name.toLowerCase();
  const last = text.slice(text.lastIndexOf('/', text.length - 2) + 1);
  const counts = new Map<string, number>();
  let total = 0;
  for (const part of [text, last]) {
    const framed = ` ${part} `;
    for (let at = 1; at < framed.length; at++) {
      const pair = framed.slice(at - 1, at + 1);
      counts.set(pair, (counts.get(pair) ?? 0) + 1);
      total++;
    }
  }
  return { counts, total };
}

/** Returns Dice's coefficient of two names. */
function rate(a: Pairs, b: Pairs): number {
  let common = 0;
  for (const [pair, count] of b.counts) common += Math.min(count, a.counts.get(pair) ?? 0);
  return (2 * common) / (a.total + b.total);
}

/**
 * Returns the one of `known` that was probably meant by a name that is none of them: it differs in nothing but capitals and signs
 * between words, or else in the fewest letters, one in every five but at least one and at most three. Of equals the first counts.
 */
export function findMeant(written: string, known: Iterable<string>): string | undefined {
  if (written.length > MAX_LENGTH) return undefined;
  const bare = stripSigns(written);
  const most = written.length < 3 ? 0 : Math.min(3, Math.max(1, Math.floor(written.length / 5)));
  let found: string | undefined;
  let least = most + 1;
  for (const name of known) {
    if (name === written) continue;
    if (bare !== '' && stripSigns(name) === bare) return name;
    const edits = least > 1 ? countEdits(name, written, least - 1) : least;
    if (edits >= least) continue;
    least = edits;
    found = name;
  }
  return found;
}

/** Returns a name without capitals and the signs that part its words. */
export function stripSigns(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '');
}

/**
 * Returns how many letters must be inserted, removed, replaced or exchanged with their neighbour; `most + 1` stands for any higher
 * number. Takes time in proportion to the length times `most`.
 */
export function countEdits(a: string, b: string, most: number): number {
  const beyond = most + 1;
  if (Math.abs(a.length - b.length) > most) return beyond;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => Math.min(at, beyond));
  for (let i = 1; i <= a.length; i++) {
    const next = new Array<number>(b.length + 1).fill(beyond);
    if (i <= most) next[0] = i;
    let least = next[0]!;
    // Farther from the diagonal, the difference in length alone is too much.
    for (let j = Math.max(1, i - most); j <= Math.min(b.length, i + most); j++) {
      const isSame = a[i - 1] === b[j - 1];
      let cost = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (isSame ? 0 : 1), beyond);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1);
      next[j] = cost;
      if (cost < least) least = cost;
    }
    if (least > most) return beyond;
    before = row;
    row = next;
  }
  return row[b.length]!;
}
