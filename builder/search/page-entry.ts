import { createBoundedMap } from '../../lib/bounded-map.ts';
import { countTerms } from '../../lib/search-terms.ts';
import type { PageSection } from '../model.ts';

/** A section of a page as the index takes it in; of its texts the terms, see `eachCounted`. */
export interface IndexedSection extends PageSection {
  readonly headingTerms: string;
  readonly textTerms: string;
}

/** More of one page is not found: a megabyte is a book. */
const MAX_PAGE_TEXT = 1_000_000;
const MAX_SECTIONS = 2_000;

/** Versions of a page share most of their sections, which are cut into words once. */
const recent = createBoundedMap<string, string>({
  maxWeight: 8_000_000,
  weigh: (encoded, text) => encoded.length + text.length,
});

/** Returns a page's sections with their terms as bytes for the cache, so that no later build has to cut its text into words. */
export function encodePageEntry(sections: readonly PageSection[]): Buffer {
  let left = MAX_PAGE_TEXT;
  const rows = sections.slice(0, MAX_SECTIONS).map(({ id, heading, text: whole }) => {
    const text = whole.slice(0, left);
    left -= text.length;
    return [id, heading, text, encodeTerms(heading), encodeTerms(text)];
  });
  return Buffer.from(JSON.stringify(rows));
}

/** Returns what `encodePageEntry` made bytes of. */
export function decodePageEntry(bytes: Buffer): readonly IndexedSection[] {
  const rows = JSON.parse(bytes.toString()) as [string, string, string, string, string][];
  return rows.map(([id, heading, text, headingTerms, textTerms]) => ({ id, heading, text, headingTerms, textTerms }));
}

/** Returns the terms of a text, each once and followed by its count where that is not 1. */
export function encodeTerms(text: string): string {
  let encoded = recent.get(text);
  if (encoded === undefined) {
    encoded = '';
    for (const [term, count] of countTerms(text)) encoded += count === 1 ? `${term} ` : `${term}\t${count} `;
    recent.set(text, encoded);
  }
  return encoded;
}

/** Calls back for each term of what `encodeTerms` returned. */
export function eachCounted(encoded: string, visit: (term: string, count: number) => void): void {
  for (let at = 0; at < encoded.length; ) {
    const end = encoded.indexOf(' ', at);
    const item = encoded.slice(at, end);
    const tab = item.indexOf('\t');
    if (tab < 0) visit(item, 1);
    else visit(item.slice(0, tab), Number(item.slice(tab + 1)));
    at = end + 1;
  }
}
