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

/** Returns counted terms as bytes for the cache. */
export function encodeTerms(terms: ReadonlyMap<string, number>): Buffer {
  let encoded = '';
  for (const [term, count] of terms) encoded += count === 1 ? `${term} ` : `${term}\t${count} `;
  return Buffer.from(encoded);
}

/** Returns what `encodeTerms` made bytes of. */
export function decodeTerms(bytes: Buffer): ReadonlyMap<string, number> {
  const encoded = bytes.toString();
  const terms = new Map<string, number>();
  for (let at = 0; at < encoded.length; ) {
    const end = encoded.indexOf(' ', at);
    const item = encoded.slice(at, end);
    const tab = item.indexOf('\t');
    if (tab < 0) terms.set(item, 1);
    else terms.set(item.slice(0, tab), Number(item.slice(tab + 1)));
    at = end + 1;
  }
  return terms;
}
