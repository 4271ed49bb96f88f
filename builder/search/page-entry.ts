import { createBoundedMap } from '../../lib/bounded-map.ts';
import { eachTerm } from '../../lib/search-terms.ts';
import type { PageSection } from '../model.ts';

/** Terms of a text, each with how often it stands there. */
export type Terms = readonly (readonly [term: string, count: number])[];

/** A section of a page as the index takes it in. */
export interface IndexedSection extends PageSection {
  readonly headingTerms: Terms;
  readonly textTerms: Terms;
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
  return rows.map(([id, heading, text, headingTerms, textTerms]) => ({
    ...{ id, heading, text },
    headingTerms: decodeTerms(headingTerms),
    textTerms: decodeTerms(textTerms),
  }));
}

/** Counts the terms of a text. */
export function countTerms(text: string): Terms {
  const terms = new Map<string, number>();
  eachTerm(text, (term) => terms.set(term, (terms.get(term) ?? 0) + 1));
  return [...terms];
}

/** Returns the terms of a text, each followed by its count where that is not 1. */
function encodeTerms(text: string): string {
  let encoded = recent.get(text);
  if (encoded === undefined) {
    encoded = countTerms(text)
      .map(([term, count]) => (count === 1 ? term : `${term}\t${count}`))
      .join(' ');
    recent.set(text, encoded);
  }
  return encoded;
}

function decodeTerms(text: string): Terms {
  if (text === '') return [];
  return text.split(' ').map((item) => {
    const tab = item.indexOf('\t');
    return tab < 0 ? [item, 1] : [item.slice(0, tab), Number(item.slice(tab + 1))];
  });
}
