import { countTerms } from '../../lib/search-terms.ts';
import type { PageSection } from '../model.ts';
import { listSectionRows, parseSectionRow } from './page-entry.ts';
import type { SearchContent } from './search-volume.ts';

/** Some pages of a volume, indexed on their own: a volume is made of what its segments were made into before. */
export interface SearchSegment {
  /**
   * Their part of the index, JSON: `[contents: [[title, sections]], sections: [[id, heading]], lengths: [[title, heading,
   * text]], terms, postings]`. `sections` are counted from the segment's first, lengths are numbers of terms, `terms` are
   * separated by spaces and `postings` by commas. Those of a term are numbers: how far from the last one the next
   * place is, which is 3 × section + field, and where the term stands there more than once, minus how often.
   */
  readonly part: string;
  /** The text of each section for excerpts, a JSON array. */
  readonly texts: string;
}

/** Title, heading and text of a section. */
const FIELDS = 3;

/** The pages of a segment, each with what was kept of it, see `encodePageEntry`. */
export type SegmentInput = readonly (readonly [content: SearchContent, entry: string])[];

/** Indexes pages. Sections that are the same stand there once. */
export function buildSegment(input: SegmentInput): SearchSegment {
  const sections: (readonly [id: string, heading: string])[] = [];
  const lengths: number[][] = [];
  const texts: string[] = [];
  const places = new Map<string, number>();
  const postings = new Map<string, Postings>();

  const addTerms = (section: number, field: number, text: string): number => {
    const place = section * FIELDS + field;
    const counted = countTerms(text);
    for (const [term, count] of counted) {
      const known = postings.get(term);
      const repeated = count > 1 ? ` -${count}` : '';
      if (known) {
        known.text += ` ${place - known.last}${repeated}`;
        known.last = place;
      } else postings.set(term, { text: `${place}${repeated}`, last: place });
    }
    return counted.size;
  };
  /** Returns the place of a section; `title` is that of the page which begins with it, otherwise ''. */
  const addSection = (row: string, title: string, lead: string): number => {
    const identity = title === '' ? row : `${row}\n${title}\n${lead}`;
    const known = places.get(identity);
    if (known !== undefined) return known;
    const { id, heading, text } = withLead(parseSectionRow(row), lead);
    const section = sections.push([id, heading]) - 1;
    places.set(identity, section);
    lengths.push([title, heading, text].map((words, field) => addTerms(section, field, words)));
    texts.push(text);
    return section;
  };

  const pages = input.map(([{ title, lead }, entry]) => {
    const [first, ...rest] = listSectionRows(entry);
    return [title, [addSection(first!, title, lead), ...rest.map((row) => addSection(row, '', ''))]];
  });
  const rows = [...postings.values()].map(({ text }) => text);
  return {
    part: JSON.stringify([pages, sections, lengths, [...postings.keys()].join(' '), rows.join()]),
    texts: JSON.stringify(texts),
  };
}

/** Where a term stands, as the index has it, and the last of these places. */
interface Postings {
  text: string;
  last: number;
}

/** The lead of a page belongs to its first section. */
function withLead(section: PageSection, lead: string): PageSection {
  return lead === '' ? section : { ...section, text: `${lead} ${section.text}`.trim() };
}
