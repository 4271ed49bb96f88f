import type { Data, LineOf } from '../text/data-values.ts';
import type { FrontMatterProblem } from '../text/front-matter.ts';

/** Keys of other tools that look like mistyped ones. */
const OTHER_KEYS: ReadonlySet<string> = new Set(['editLinks', 'featured', 'tile', 'update']);

/** Of shorter keys, too many others are one letter away. */
const MIN_LENGTH = 4;
/** Longer texts are not keys. */
const MAX_LENGTH = 40;
/** From this length on, two letters may be wrong. */
const MIN_LENGTH_FOR_TWO = 10;
const MAX_PROBLEMS = 10;

/**
 * Returns the keys of front matter that were meant to be one of `known`: with a letter too many, too few, wrong or in
 * another place, or in another spelling (`edit-link`). All other keys may belong to another tool.
 */
export function findMistypedKeys(
  data: Data,
  known: ReadonlySet<string>,
  lineOf: LineOf,
): readonly FrontMatterProblem[] {
  const problems: FrontMatterProblem[] = [];
  for (const key of Object.keys(data)) {
    if (known.has(key) || OTHER_KEYS.has(key) || key.length < MIN_LENGTH || key.length > MAX_LENGTH) continue;
    const lower = key.toLowerCase();
    const isReadInLowerCase = known.has(lower) && Object.hasOwn(data, lower);
    const meant = isReadInLowerCase ? undefined : findMeant(key, known);
    if (meant === undefined || Object.hasOwn(data, meant)) continue;
    problems.push({ line: lineOf([key]), message: `Unknown key "${key}": did you mean "${meant}"?` });
    if (problems.length === MAX_PROBLEMS) break;
  }
  return problems;
}

function findMeant(key: string, known: ReadonlySet<string>): string | undefined {
  const bare = strip(key);
  const all = [...known].filter((name) => name.length >= MIN_LENGTH).sort((a, b) => b.length - a.length);
  return (
    all.find((name) => strip(name) === bare) ??
    all.find((name) => {
      // Short keys differ in one letter from words that mean something else: `lead`, `text`.
      const isShort = name.length <= 5;
      if (isShort && name[0] !== key[0]) return false;
      // So do plurals: `slugs`, `action`.
      if (name === `${key}s` || key === `${name}s`) return false;
      return isNear(name, key, Math.min(name.length, key.length) >= MIN_LENGTH_FOR_TWO ? 2 : 1);
    })
  );
}

function strip(key: string): string {
  return key.toLowerCase().replace(/[-_ ]/g, '');
}

/** Returns whether at most `most` letters must be inserted, removed, replaced or exchanged with their neighbour. */
function isNear(a: string, b: string, most: number): boolean {
  if (Math.abs(a.length - b.length) > most) return false;
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let cost = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1);
      next.push(cost);
    }
    before = row;
    row = next;
  }
  return row[b.length]! <= most;
}
