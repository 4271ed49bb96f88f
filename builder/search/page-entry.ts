import { countTerms } from '../../lib/search-terms.ts';
import type { PageSection } from '../model.ts';

/** More of one page is not found: a megabyte is a book. */
const MAX_PAGE_TEXT = 1_000_000;
const MAX_SECTIONS = 2_000;

/** Returns a page's sections as bytes for the cache: a row for each, equal for equal sections. */
export function encodePageEntry(sections: readonly PageSection[]): Buffer {
  let left = MAX_PAGE_TEXT;
  const rows = sections.slice(0, MAX_SECTIONS).map(({ id, heading, text: whole }) => {
    const text = whole.slice(0, left);
    left -= text.length;
    return JSON.stringify([id, heading, text]);
  });
  return Buffer.from(rows.join('\n'));
}

/** Returns the rows of a page, its beginning first. */
export function listSectionRows(entry: Buffer): readonly string[] {
  return entry.toString().split('\n');
}

/** Returns the section of a row. */
export function parseSectionRow(row: string): PageSection {
  const [id, heading, text] = JSON.parse(row) as [string, string, string];
  return { id, heading, text };
}

/** Returns the terms of a text, each once and followed by its count where that is not 1. */
export function encodeTerms(text: string): string {
  let encoded = '';
  for (const [term, count] of countTerms(text)) encoded += count === 1 ? `${term} ` : `${term}\t${count} `;
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
