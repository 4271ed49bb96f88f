import { BuildError } from '../../build-error.ts';
import { type Cache, defineCacheKind } from '../../cache/cache.ts';
import { outlinePage, type PageOutline } from '../../history/page-outline.ts';
import type { ReleaseChanges } from '../../history/release-changes.ts';
import type { PageSection } from '../../model.ts';
import { decodePageEntry, encodePageEntry, limitSections } from '../../search/search-segment.ts';

/**
 * The cache of what pages say: their text and outlines by the pages' own keys, what differs between lists of them, and the parts of the
 * search index by their segments' keys.
 */
export interface SearchEntries {
  keep(pageKey: string, sections: readonly PageSection[]): void;
  has(pageKey: string): boolean;
  /** Returns the text of a page, see `encodePageEntry`. Throws BuildError `worker` where it is no longer kept. */
  read(pageKey: string): string;
  keepPart(segmentKey: string, part: string): void;
  findPart(segmentKey: string): Uint8Array | undefined;
  /** Returns the outline of a page, with the text that its front matter puts above it. Throws as `read` does. */
  outline(pageKey: string, lead: string): PageOutline;
  /** Returns what differs between two lists of pages, by their ids, if that was kept. */
  findChanges(older: string, newer: string): ReleaseChanges | undefined;
  keepChanges(older: string, newer: string, changes: ReleaseChanges): ReleaseChanges;
}

/** Some thousand characters each. */
const OUTLINE = defineCacheKind<PageOutline>('outline', { maxEntries: 5_000 });
const CHANGES = defineCacheKind<ReleaseChanges>('changes', { maxEntries: 2_000 });

export function createSearchEntries(cache: Cache): SearchEntries {
  // Keys of pages determine all that is in them: another order of their digits costs less than a hash of each page.
  const keyOf = (pageKey: string): string => pageKey.slice(1) + pageKey.charAt(0);
  const partKeyOf = (segmentKey: string): string => cache.key('search-part', [segmentKey]);
  const read = (pageKey: string): string => {
    const entry = cache.read(keyOf(pageKey), String);
    if (entry !== undefined) return entry;
    throw new BuildError('worker', 'The text of a page disappeared from the cache; build again');
  };
  return {
    keep(pageKey, all) {
      const sections = limitSections(all);
      cache.set(keyOf(pageKey), Buffer.from(encodePageEntry(sections)));
      cache.keep(OUTLINE, [pageKey], outlinePage(sections));
    },
    has: (pageKey) => cache.has(keyOf(pageKey)),
    read,
    outline(pageKey, lead) {
      const parts = lead === '' ? [pageKey] : [pageKey, lead];
      const known = cache.recall(OUTLINE, parts);
      if (known) return known;
      const [first, ...rest] = decodePageEntry(read(pageKey));
      const sections = [{ ...first!, text: `${lead} ${first!.text}`.trim() }, ...rest];
      return cache.keep(OUTLINE, parts, outlinePage(sections));
    },
    findChanges: (older, newer) => cache.recall(CHANGES, [older, newer]),
    keepChanges: (older, newer, changes) => cache.keep(CHANGES, [older, newer], changes),
    keepPart: (segmentKey, part) => cache.set(partKeyOf(segmentKey), Buffer.from(part)),
    findPart: (segmentKey) => cache.read(partKeyOf(segmentKey), (value) => Buffer.from(value)),
  };
}
