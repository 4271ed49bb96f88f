import MiniSearch, { type AsPlainObject, type Query } from 'minisearch';
import { eachWord, toleranceOf } from '../../lib/search-terms.ts';
import { listNearTerms, otherVersion } from './near-terms.ts';

/** An index file, see `presentVolume`. */
interface StoredVolume {
  readonly format: number;
  readonly versions: readonly string[];
  readonly pages: readonly (readonly [path: string, runs: readonly number[]])[];
  readonly segments: readonly (readonly [textFile: string, part: StoredPart])[];
}

/** See `SearchSegment`. */
type StoredPart = readonly [
  contents: readonly (readonly [title: string, sections: readonly number[]])[],
  sections: readonly (readonly [id: string, heading: string])[],
  lengths: readonly (readonly number[])[],
  terms: string,
  postings: string,
];

/** A page as it is in some versions of a volume. */
export interface Content {
  readonly title: string;
  readonly sections: readonly number[];
  /** Where it stands, and in which versions, the oldest first. */
  readonly places: { readonly path: string; readonly versions: string[] }[];
}

/** What was found of one word of a query in one section. */
export interface WordHit {
  readonly score: number;
  /** Terms of the index that stand for the word there. */
  readonly terms: readonly string[];
}

/** The pages of some versions in one language. */
export interface Volume {
  readonly contents: readonly Content[];
  /** Places in `contents` of the pages that have a section. */
  contentsOf(section: number): readonly number[];
  headingOf(section: number): readonly [id: string, heading: string];
  textOf(section: number): { readonly file: string; readonly place: number };
  /** Returns the sections that have a word. */
  findWord(word: QueryWord): ReadonlyMap<number, WordHit>;
}

/** A title says more than a heading, and a heading more than a text. */
const BOOST = { title: 6, heading: 3, text: 1 };
const FIELDS = Object.keys(BOOST);

/** Words of a query that are looked for; the rest of what somebody pasted is left out. */
const MAX_WORDS = 20;

/** Opens an index file. Throws for a format that this script does not know. */
export function openVolume(stored: unknown): Volume {
  const { format, versions, pages, segments } = stored as StoredVolume;
  if (format !== 2) throw new Error(`Unknown format ${format}`);
  const contents: Content[] = [];
  const sections: { readonly head: readonly [string, string]; readonly file: string; readonly place: number }[] = [];
  /** Places in `contents` of the pages that have a section, by section. */
  const users: number[][] = [];
  const lengths: (readonly number[])[] = [];
  const terms = new Map<string, Postings>();
  for (const [file, [ownContents, heads, ownLengths, ownTerms, postings]] of segments) {
    const first = sections.length;
    for (const [place, head] of heads.entries()) users[sections.push({ head, file, place }) - 1] = [];
    for (const [title, own] of ownContents) {
      const content = contents.push({ title, sections: own.map((section) => first + section), places: [] }) - 1;
      for (const section of contents[content]!.sections) users[section]!.push(content);
    }
    lengths.push(...ownLengths);
    addTerms(terms, ownTerms, postings, first);
  }
  for (const [path, runs] of pages) {
    for (let at = 0; at < runs.length; at += 3) {
      const { places } = contents[runs[at + 2]!]!;
      const found = versions.slice(runs[at], runs[at + 1]! + 1);
      const place = places.find((one) => one.path === path);
      if (place) place.versions.push(...found);
      else places.push({ path, versions: found });
    }
  }
  const mini = createMiniSearch(lengths, [...terms]);
  const names = ` ${[...terms.keys()].join(' ')} `;
  return {
    contents,
    contentsOf: (section) => users[section]!,
    headingOf: (section) => sections[section]!.head,
    textOf: (section) => sections[section]!,
    findWord: (readings) => findWord(mini, names, readings),
  };
}

/** How often a term stands in each section, by field, as MiniSearch wants it. */
type Postings = Record<string, Record<string, number>>;

/** Adds the terms of a segment, whose first section is the section `first` of the volume. */
function addTerms(terms: Map<string, Postings>, names: string, rows: string, first: number): void {
  if (names === '') return;
  const lists = rows.split(',');
  for (const [at, name] of names.split(' ').entries()) {
    const known = terms.get(name) ?? {};
    terms.set(name, known);
    let place = first * FIELDS.length;
    let field: Record<string, number> = {};
    let section = 0;
    for (const number of lists[at]!.split(' ')) {
      if (number[0] === '-') field[section] = -number;
      else {
        place += Number(number);
        section = Math.floor(place / FIELDS.length);
        field = known[place % FIELDS.length] ??= {};
        field[section] = 1;
      }
    }
  }
}

/** MiniSearch keeps what the engine has computed already. */
function createMiniSearch(lengths: readonly (readonly number[])[], terms: AsPlainObject['index']): MiniSearch {
  const count = lengths.length;
  const averages = FIELDS.map((_, field) => lengths.reduce((sum, own) => sum + own[field]!, 0) / Math.max(1, count));
  return MiniSearch.loadJS(
    {
      documentCount: count,
      nextId: count,
      documentIds: Object.fromEntries(lengths.map((_, at) => [at, at])),
      fieldIds: Object.fromEntries(FIELDS.map((field, at) => [field, at])),
      fieldLength: Object.fromEntries(lengths.map((own, at) => [at, own])) as unknown as AsPlainObject['fieldLength'],
      averageFieldLength: averages,
      storedFields: {},
      dirtCount: 0,
      index: terms,
      serializationVersion: 2,
    },
    { fields: FIELDS, tokenize: (term) => [term], processTerm: (term) => term },
  );
}

/** Readings of a word, see `SearchWord`. */
export type QueryWord = readonly (readonly string[])[];

/** Returns the words of a query, each once. */
export function readQuery(query: string): readonly QueryWord[] {
  const words = new Map<string, QueryWord>();
  eachWord(query, ({ readings }) => {
    const version = otherVersion(readings[0]![0]!);
    words.set(JSON.stringify(readings), version === undefined ? readings : [...readings, [version]]);
  });
  return [...words.values()].slice(0, MAX_WORDS);
}

/**
 * A word is found by any of its readings, its whole before its parts; a reading by all of its terms. Where nothing begins with
 * one of them, terms that are near count, too, and more than those that resemble it.
 */
function findWord(mini: MiniSearch, names: string, readings: QueryWord): ReadonlyMap<number, WordHit> {
  const found = find(mini, readings, readings.flat(), (term) => term);
  if ([...found.values()].some(({ isSure }) => isSure)) return found;
  const near = new Map(readings.flat().map((term) => [term, isWord(term) ? listNearTerms(term, names) : []]));
  if ([...near.values()].every((terms) => terms.length === 0)) return found;
  const others = find(mini, readings, [...near.values()].flat(), (term) => ({
    combineWith: 'OR',
    queries: [{ queries: [term] }, { queries: [...near.get(term)!], boostTerm: () => NEAR }],
    fuzzy: false,
  }));
  return new Map([...found, ...others]);
}

const NEAR = 0.5;

/** Checks whether a term is one that may be mistyped, or a version. */
function isWord(term: string): boolean {
  return toleranceOf(term).fuzzy > 0 || otherVersion(term) !== undefined;
}

interface SureHit extends WordHit {
  /** One of the terms begins with one that is wanted. */
  readonly isSure: boolean;
}

function find(
  mini: MiniSearch,
  readings: QueryWord,
  wanted: readonly string[],
  read: (term: string) => Query,
): ReadonlyMap<number, SureHit> {
  const queries = readings.map((terms, at) => ({
    combineWith: 'AND' as const,
    queries: terms.map(read),
    boostTerm: () => (at === 0 ? 1 : 0.5),
  }));
  const found = mini.search(
    { combineWith: 'OR', queries },
    {
      boost: BOOST,
      prefix: (term) => toleranceOf(term).prefix,
      fuzzy: (term) => toleranceOf(term).fuzzy,
      weights: { prefix: 0.4, fuzzy: 0.2 },
    },
  );
  return new Map(
    found.map(({ id, score, terms }) => {
      // Where the word itself stands, what only resembles it is not meant.
      const sure = terms.filter((term) => wanted.some((one) => term.startsWith(one)));
      const isSure = sure.length > 0;
      return [id as number, { score, terms: isSure ? sure : terms, isSure }];
    }),
  );
}
