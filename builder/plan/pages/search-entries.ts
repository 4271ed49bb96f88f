import { countTerms } from '../../../lib/search-terms.ts';
import type { Cache } from '../../cache/cache.ts';
import type { Draft } from '../../markdown/draft.ts';
import { readSections } from '../../markdown/draft-sections.ts';
import { decodeTerms, encodePageEntry, encodeTerms } from '../../search/page-entry.ts';
import type { SearchTexts } from '../../search/search-volume.ts';

/** What search knows of pages, kept in the cache by the pages' own keys, and the terms of texts by the texts. */
export interface SearchEntries extends SearchTexts {
  /** Keeps what a page says that has just been rendered. */
  keep(pageKey: string, draft: Draft): void;
  has(pageKey: string): boolean;
}

/** Terms of shorter texts are not worth a place in the cache. */
const MIN_KEPT_TEXT = 100;

/** Creates the entries of one build. */
export function createSearchEntries(cache: Cache): SearchEntries {
  const keyOf = (pageKey: string): string => cache.key('search', [pageKey]);
  return {
    keep: (pageKey, draft) => cache.set(keyOf(pageKey), encodePageEntry(readSections(draft))),
    has: (pageKey) => cache.has(keyOf(pageKey)),
    readEntry: (pageKey) => cache.get(keyOf(pageKey)),
    readTerms(text) {
      if (text.length < MIN_KEPT_TEXT) return countTerms(text);
      const key = cache.key('search-terms', [text]);
      const known = cache.get(key);
      if (known) return decodeTerms(known);
      const terms = countTerms(text);
      cache.set(key, encodeTerms(terms));
      return terms;
    },
  };
}
