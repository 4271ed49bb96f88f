import type { SiteStorage } from '../site-storage.ts';

const NAME = 'search';
const MAX_RECENT = 4;

/** Returns the queries that have found something before in this browser, the last one first. */
export function readRecent(storage: SiteStorage): readonly string[] {
  const queries = storage.read(NAME);
  return Array.isArray(queries) ? queries.filter((query) => typeof query === 'string').slice(0, MAX_RECENT) : [];
}

export function addRecent(storage: SiteStorage, query: string): void {
  const others = readRecent(storage).filter((other) => other !== query);
  storage.write(NAME, [query, ...others].slice(0, MAX_RECENT));
}

export function forgetRecent(storage: SiteStorage): void {
  storage.write(NAME, []);
}
