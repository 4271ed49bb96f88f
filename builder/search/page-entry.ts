import type { PageSection } from '../model.ts';

/** Text of a page beyond this length is not found. */
const MAX_PAGE_TEXT = 1_000_000;
const MAX_SECTIONS = 2_000;

/** Returns the sections of a page as a text for the cache: a row each, the same for equal sections. */
export function encodePageEntry(sections: readonly PageSection[]): string {
  let left = MAX_PAGE_TEXT;
  const rows = sections.slice(0, MAX_SECTIONS).map(({ id, heading, text: whole }) => {
    const text = whole.slice(0, left);
    left -= text.length;
    return JSON.stringify([id, heading, text]);
  });
  return rows.join('\n');
}

/** Returns the rows of a page; the first is its beginning. */
export function listSectionRows(entry: string): readonly string[] {
  return entry.split('\n');
}

/** Returns the section of a row. */
export function parseSectionRow(row: string): PageSection {
  const [id, heading, text] = JSON.parse(row) as [string, string, string];
  return { id, heading, text };
}
