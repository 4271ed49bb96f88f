import { createGlob, MAX_GLOB_LENGTH } from '../../lib/match-glob.ts';
import { BuildError } from '../build-error.ts';

const MAX_GLOBS = 1000;

/**
 * Returns a test for ref names from a list of exact names and globs separated by `|`, e.g. `main|v1.*|dependabot/**`.
 * `*` stays within one part of a name, `**` crosses `/`. An entry that equals a name always matches it. Throws
 * `bad-option` for more patterns, or a longer one, than are written by hand.
 */
export function createRefMatcher(list: string, separator = '|'): (name: string) => boolean {
  const exact = new Set(parseRefList(list, separator));
  const globs = [...exact].filter(isGlob);
  if (globs.length > MAX_GLOBS)
    throw new BuildError('bad-option', `A list of refs has more than ${MAX_GLOBS} patterns`);
  const long = globs.find((glob) => glob.length > MAX_GLOB_LENGTH);
  if (long !== undefined) {
    const message = `The pattern "${long.slice(0, 40)}…" for refs is longer than ${MAX_GLOB_LENGTH} characters`;
    throw new BuildError('bad-option', message);
  }
  const tests = globs.map(createGlob);
  return (name) => exact.has(name) || tests.some((matches) => matches(name));
}

/** Returns the entries of a `|`-separated list, trimmed, without empty ones. */
export function parseRefList(list: string, separator = '|'): readonly string[] {
  return list
    .split(separator)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** Returns whether an entry is meant as a pattern rather than as a name. */
export function isGlob(entry: string): boolean {
  return /[*?[{]/.test(entry);
}
