import { BuildError } from '../../build-error.ts';
import type { Cache } from '../../cache/cache.ts';
import type { Draft } from '../../markdown/draft.ts';
import { readSections } from '../../markdown/draft-sections.ts';
import { encodePageEntry } from '../../search/page-entry.ts';

/** What search keeps in the cache: the text of pages by the pages' own keys, and the parts of the index by their segments'. */
export interface SearchEntries {
  /** Keeps the text of a page that has just been rendered. */
  keep(pageKey: string, draft: Draft): void;
  has(pageKey: string): boolean;
  /** Returns the text of a page, see `encodePageEntry`. Throws BuildError `worker` where it is no longer kept. */
  read(pageKey: string): string;
  keepPart(segmentKey: string, part: string): void;
  findPart(segmentKey: string): Uint8Array | undefined;
}

/** Creates the entries of one build. */
export function createSearchEntries(cache: Cache): SearchEntries {
  // Keys of pages determine all that is in them: another order of their digits costs less than a hash of each page.
  const keyOf = (pageKey: string): string => pageKey.slice(1) + pageKey.charAt(0);
  const partKeyOf = (segmentKey: string): string => cache.key('search-part', [segmentKey]);
  return {
    keep: (pageKey, draft) => cache.set(keyOf(pageKey), Buffer.from(encodePageEntry(readSections(draft)))),
    has: (pageKey) => cache.has(keyOf(pageKey)),
    read(pageKey) {
      const entry = cache.read(keyOf(pageKey), String);
      if (entry !== undefined) return entry;
      throw new BuildError('worker', 'The text of a page disappeared from the cache; build again');
    },
    keepPart: (segmentKey, part) => cache.set(partKeyOf(segmentKey), Buffer.from(part)),
    findPart: (segmentKey) => cache.read(partKeyOf(segmentKey), (value) => Buffer.from(value)),
  };
}
