const KEY = 'docbuild-search';
const MAX_QUERIES = 6;

/** Returns what readers of this site have found before in this browser, the latest first. */
export function readRecent(): readonly string[] {
  try {
    const queries: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(queries) ? queries.filter((query) => typeof query === 'string').slice(0, MAX_QUERIES) : [];
  } catch {
    return [];
  }
}

/** Remembers queries; storage may be forbidden. */
export function storeRecent(queries: readonly string[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(queries.slice(0, MAX_QUERIES)));
  } catch {
    // They are then forgotten with the page.
  }
}
