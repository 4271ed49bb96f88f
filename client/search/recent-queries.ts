import type { SiteStorage } from '../site-storage.ts';

const NAME = 'search';
const MAX_QUERIES = 6;

/** Returns what readers of this site have found before in this browser, the latest first. */
export function readRecent(storage: SiteStorage): readonly string[] {
  const queries = storage.read(NAME);
  return Array.isArray(queries) ? queries.filter((query) => typeof query === 'string').slice(0, MAX_QUERIES) : [];
}

/** Remembers queries. */
export function storeRecent(storage: SiteStorage, queries: readonly string[]): void {
  storage.write(NAME, queries.slice(0, MAX_QUERIES));
}
