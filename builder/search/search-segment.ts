import { createBoundedMap } from '../../lib/bounded-map.ts';
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

/** A section with the terms of its title, heading and text, each with how often it stands there. */
interface CountedSection extends PageSection {
  readonly counts: readonly ReadonlyMap<string, number>[];
}

/** Indexes pages. Sections that are the same stand there once. `count` may remember sections, as `recallSection` does. */
export function buildSegment(input: SegmentInput, count = countSection): SearchSegment {
  const sections: (readonly [id: string, heading: string])[] = [];
  const lengths: number[][] = [];
  const texts: string[] = [];
  const places = new Map<string, number>();
  /** Terms with their numbers; where each stands, as the index has it; and the last of these places. */
  const terms = new Map<string, number>();
  const postings: string[] = [];
  const lastPlaces: number[] = [];

  const addTerms = (place: number, counts: ReadonlyMap<string, number>): number => {
    counts.forEach((times, term) => {
      const repeated = times > 1 ? ` -${times}` : '';
      const known = terms.get(term);
      if (known === undefined) {
        terms.set(term, terms.size);
        postings.push(place + repeated);
        lastPlaces.push(place);
        return;
      }
      postings[known] += ` ${place - lastPlaces[known]!}${repeated}`;
      lastPlaces[known] = place;
    });
    return counts.size;
  };
  /** Returns the place of a section; `title` is that of the page which begins with it, otherwise ''. */
  const addSection = (row: string, title: string, lead: string): number => {
    const identity = title === '' ? row : `${row}\n${title}\n${lead}`;
    const known = places.get(identity);
    if (known !== undefined) return known;
    const { id, heading, text, counts } = count(identity, () => [row, title, lead]);
    const section = sections.push([id, heading]) - 1;
    places.set(identity, section);
    lengths.push(counts.map((found, field) => addTerms(section * FIELDS + field, found)));
    texts.push(text);
    return section;
  };

  const pages = input.map(([{ title, lead }, entry]) => {
    const [first, ...rest] = listSectionRows(entry);
    return [title, [addSection(first!, title, lead), ...rest.map((row) => addSection(row, '', ''))]];
  });
  return {
    part: JSON.stringify([pages, sections, lengths, [...terms.keys()].join(' '), postings.join()]),
    texts: JSON.stringify(texts),
  };
}

type SectionParts = readonly [row: string, title: string, lead: string];

function countSection(_identity: string, list: () => SectionParts): CountedSection {
  const [row, title, lead] = list();
  const section = parseSectionRow(row);
  // The lead of a page belongs to its first section.
  const text = lead === '' ? section.text : `${lead} ${section.text}`.trim();
  return { ...section, text, counts: [title, section.heading, text].map(countTerms) };
}

/** Sections that this process has counted, by what determines them; their terms take some ten times their length. */
const recent = createBoundedMap<string, CountedSection>({ maxWeight: 2_000_000, weigh: (_, { length }) => length });

/** Returns a section that was counted before, or counts it: where a page changes, the others of its segment do not. */
export function recallSection(identity: string, list: () => SectionParts): CountedSection {
  let section = recent.get(identity);
  if (!section) {
    section = countSection(identity, list);
    recent.set(identity, section);
  }
  return section;
}
