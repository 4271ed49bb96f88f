import { isRunOfSigns } from '../../lib/search-terms.ts';
import type { QueryWord } from './volume.ts';

/** The share of a query's signs that a page must have. */
const LEAST = 0.4;
/** A word in letters counts as much as one of two signs. */
const WORD = 2;
/** Most of what is written in hiragana is grammar. */
const GRAMMAR = 0.25;

/** A query in the pieces that pages may lack. */
export interface QueryPieces {
  /** Words, and pairs of signs of scripts that do not part words. */
  readonly pieces: readonly QueryWord[];
  /** Returns how much of the query a page has, from 0 to 1, or 0 where it lacks too much; `found` says which pieces it has. */
  shareOf(found: readonly boolean[]): number;
}

/**
 * Divides a query that no page has as a whole; undefined where nothing of it may be missing. Of words, one of three or more
 * may be. Where a script does not part words, nobody knows what is one, and one that is missing breaks the pairs around it,
 * too; so there it is signs that are counted.
 */
export function divideQuery(words: readonly QueryWord[]): QueryPieces | undefined {
  if (!words.some(isRun)) {
    if (words.length < 3) return undefined;
    const least = words.length - 1;
    const share = (count: number): number => (count < least ? 0 : count / words.length);
    return { pieces: words, shareOf: (found) => share(found.filter(Boolean).length) };
  }
  const parts = words.map((word) => {
    if (!isRun(word)) return { pieces: [word], weights: [WORD] };
    const pairs = word[word.length - 1]!;
    return { pieces: pairs.map((pair) => [[pair]]), weights: weighSigns(pairs) };
  });
  const total = parts.reduce((sum, { weights }) => sum + sumOf(weights), 0);
  return {
    pieces: parts.flatMap(({ pieces }) => pieces),
    shareOf(found) {
      let first = 0;
      let sum = 0;
      for (const { pieces, weights } of parts) {
        const own = found.slice(first, first + pieces.length);
        // A sign is found by the pair that it begins, or by the one that it ends.
        sum += sumOf(weights.filter((_, at) => own[at] || own[at - 1]));
        first += pieces.length;
      }
      return sum < LEAST * total ? 0 : sum / total;
    },
  };
}

function isRun(word: QueryWord): boolean {
  return isRunOfSigns(word[0]![0]!);
}

/** Returns the weights of the signs that pairs consist of, or of a lone sign. */
function weighSigns(pairs: readonly string[]): readonly number[] {
  const last = [...pairs[pairs.length - 1]!].slice(1).join('');
  return [...pairs, ...(last === '' ? [] : [last])].map((text) => (/^\p{Script=Hiragana}/u.test(text) ? GRAMMAR : 1));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
