import { createBoundedMap } from '../../lib/bounded-map.ts';
import { countTerms } from '../../lib/search-terms.ts';
import type { PageSection } from '../model.ts';
import type { SearchContent } from './search-volume.ts';

/** Title, heading and text of a section. */
const FIELDS = 3;

/** The pages of a segment, each with what was kept of it, see `encodePageEntry`. */
export type SegmentInput = readonly (readonly [content: SearchContent, entry: string])[];

/** A section with the terms of its title, heading and text, each with how often it stands there. */
interface CountedSection extends PageSection {
  readonly counts: readonly ReadonlyMap<string, number>[];
}

/**
 * Indexes pages, some of a volume, on their own: a volume is made of what its segments were made into before. Returns JSON:
 * `[contents: [[title, sections]], sections: [[id, heading]], lengths: [[title, heading, text]], terms, postings]`. `sections` are
 * counted from the segment's first, and those that are the same stand there once; lengths are numbers of terms, `terms` are separated by
 * spaces and `postings` by commas. Those of a term are numbers: how far from the last one the next place is, which is 3 × section +
 * field, and where the term stands there more than once, minus how often. `count` may remember sections, as `recallSection` does.
 */
export function buildSegment(input: SegmentInput, count = countSection): string {
  const lengths: number[][] = [];
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
  const { pages, sections } = listSections(input);
  const listed = sections.map(([identity, ...parts], section) => {
    const { id, heading, counts } = count(identity, () => parts);
    lengths.push(counts.map((found, field) => addTerms(section * FIELDS + field, found)));
    return [id, heading];
  });
  return JSON.stringify([pages, listed, lengths, [...terms.keys()].join(' '), postings.join()]);
}

/** Returns the text of each section of a segment for excerpts, a JSON array. */
export function listSegmentTexts(input: SegmentInput): string {
  return JSON.stringify(listSections(input).sections.map(([, ...parts]) => readSection(parts).text));
}

/** Returns the pages of a segment with the places of their sections, and the different ones among these. */
function listSections(input: SegmentInput) {
  const places = new Map<string, number>();
  const sections: (readonly [identity: string, ...SectionParts])[] = [];
  /** Returns the place of a section; `title` is that of the page which begins with it, otherwise ''. */
  const place = (row: string, title: string, lead: string): number => {
    const identity = title === '' ? row : `${row}\n${title}\n${lead}`;
    const known = places.get(identity);
    if (known !== undefined) return known;
    places.set(identity, sections.length);
    return sections.push([identity, row, title, lead]) - 1;
  };
  const pages = input.map(([{ title, lead }, entry]): readonly [string, readonly number[]] => {
    const [first, ...rest] = listSectionRows(entry);
    return [title, [place(first!, title, lead), ...rest.map((row) => place(row, '', ''))]];
  });
  return { pages, sections };
}

type SectionParts = readonly [row: string, title: string, lead: string];

function countSection(_identity: string, list: () => SectionParts): CountedSection {
  const parts = list();
  const section = readSection(parts);
  return { ...section, counts: [parts[1], section.heading, section.text].map(countTerms) };
}

/** The lead of a page belongs to its first section. */
function readSection([row, , lead]: SectionParts): PageSection {
  const section = parseSectionRow(row);
  return lead === '' ? section : { ...section, text: `${lead} ${section.text}`.trim() };
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

/** Text of a page beyond this length is not found. */
const MAX_PAGE_TEXT = 1_000_000;
const MAX_SECTIONS = 2_000;

/** Returns what is kept of the sections of a page. */
export function limitSections(sections: readonly PageSection[]): readonly PageSection[] {
  let left = MAX_PAGE_TEXT;
  return sections.slice(0, MAX_SECTIONS).map((section) => {
    const text = section.text.slice(0, left);
    left -= text.length;
    return { ...section, text };
  });
}

/** Returns the sections of a page, see `limitSections`, as a text for the cache: a row each, the same for equal sections. */
export function encodePageEntry(sections: readonly PageSection[]): string {
  return sections.map(({ id, heading, text }) => JSON.stringify([id, heading, text])).join('\n');
}

export function decodePageEntry(entry: string): readonly PageSection[] {
  return listSectionRows(entry).map(parseSectionRow);
}

/** Returns the rows of a page; the first is its beginning. */
function listSectionRows(entry: string): readonly string[] {
  return entry.split('\n');
}

function parseSectionRow(row: string): PageSection {
  const [id, heading, text] = JSON.parse(row) as [string, string, string];
  return { id, heading, text };
}
