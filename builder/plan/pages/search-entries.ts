import type { Cache } from '../../cache/cache.ts';
import type { Draft } from '../../markdown/draft.ts';
import { readSections } from '../../markdown/draft-sections.ts';
import { encodePageEntry } from '../../search/page-entry.ts';

/** What search knows of pages, kept in the cache by the pages' own keys. */
export interface SearchEntries {
  /** Keeps what a page says that has just been rendered. */
  keep(pageKey: string, draft: Draft): void;
  has(pageKey: string): boolean;
  read(pageKey: string): Buffer | undefined;
}

/** Creates the entries of one build. */
export function createSearchEntries(cache: Cache): SearchEntries {
  const keyOf = (pageKey: string): string => cache.key('search', [pageKey]);
  return {
    keep: (pageKey, draft) => cache.set(keyOf(pageKey), encodePageEntry(readSections(draft))),
    has: (pageKey) => cache.has(keyOf(pageKey)),
    read: (pageKey) => cache.get(keyOf(pageKey)),
  };
}
