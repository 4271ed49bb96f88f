/** Letters from which on a word may be an inner part of others. */
const MIN_INNER = 5;
const MAX_INNER = 50;

/** Matches the number of a version. */
const VERSION = /^(v?)\d+\.\d/;

/** Returns a version's number with the `v` that it lacks, or without the one it has; undefined for any other term. */
export function otherVersion(term: string): string | undefined {
  const match = VERSION.exec(term);
  return match ? (match[1] === '' ? `v${term}` : term.slice(1)) : undefined;
}

/**
 * Returns what may be meant by a term that begins no term of the index: itself with two neighbouring letters swapped, which
 * are as many as it has letters, and the terms that it is an inner part of: `contentloader` of `createcontentloader`.
 * `names` are the terms of the index, each between two spaces.
 */
export function listNearTerms(term: string, names: string): readonly string[] {
  const swaps: string[] = [];
  for (let at = 1; at < term.length; at++) {
    const [a, b] = [term[at - 1]!, term[at]!];
    if (a !== b) swaps.push(term.slice(0, at - 1) + b + a + term.slice(at + 1));
  }
  return [...(/\d/.test(term) ? [] : swaps), ...listAround(term, names)];
}

function listAround(term: string, names: string): readonly string[] {
  const found: string[] = [];
  const isNumber = /^\d/.test(term);
  if (term.length < MIN_INNER) return found;
  for (let at = names.indexOf(term); at >= 0 && found.length < MAX_INNER; ) {
    const end = names.indexOf(' ', at);
    // Part of a number is another number.
    if (!isNumber || !/[\d.]/.test(names[at - 1]!)) found.push(names.slice(names.lastIndexOf(' ', at) + 1, end));
    at = names.indexOf(term, end);
  }
  return found;
}
