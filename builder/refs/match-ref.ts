import picomatch from 'picomatch';

/**
 * Gives a test for ref names from a list of exact names and globs separated by `|`, e.g. `main|v1.*|dependabot/**`.
 * `*` stays within one part of a name, `**` crosses `/`. An entry that equals a name matches it whatever it contains.
 */
export function createRefMatcher(list: string, separator = '|'): (name: string) => boolean {
  const entries = parseRefList(list, separator);
  const exact = new Set(entries);
  const globs = entries.filter(isGlob).map((entry) => picomatch(entry, { dot: true, nonegate: true, noextglob: true }));
  return (name) => exact.has(name) || globs.some((matches) => matches(name));
}

/** Gives the entries of a `|`-separated list, trimmed, without empty ones. */
export function parseRefList(list: string, separator = '|'): readonly string[] {
  return list
    .split(separator)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** Tells whether an entry is meant as a pattern rather than as a name. */
export function isGlob(entry: string): boolean {
  return /[*?[\]{}]/.test(entry);
}
