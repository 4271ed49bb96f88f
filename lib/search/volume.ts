import MiniSearch, { type AsPlainObject, type Query } from 'minisearch';
import { eachWord, isOption, toleranceOf } from '../search-terms.ts';

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

/** One word of a query in one section. */
export interface WordHit {
  readonly score: number;
  /** It is in the title of the page. */
  readonly isInTitle: boolean;
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
  /** Returns the sections that have a word, or one that begins with it. */
  findWord(word: QueryWord): ReadonlyMap<number, WordHit>;
  /** Returns the sections that have what may be meant by a word that is nowhere: resembling words, and those that it is a part of. */
  findSimilar(word: QueryWord): ReadonlyMap<number, WordHit>;
  /** All terms of the index. */
  readonly terms: readonly string[];
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
  const listed = [...terms.keys()];
  const names = ` ${listed.join(' ')} `;
  const optionsOf = countOptions(terms);
  return {
    contents,
    contentsOf: (section) => users[section]!,
    headingOf: (section) => sections[section]!.head,
    textOf: (section) => sections[section]!,
    findWord(readings) {
      const [first, ...others] = readings;
      if (!isOption(first![0]!)) return findForms(mini, names, readings);
      const named = [...findForms(mini, names, [first!])].map(([section, hit]): [number, WordHit] => [
        section,
        // Options are explained where many of them are listed, and only used elsewhere.
        { ...hit, score: hit.score * OPTION_BOOST * (1 + Math.log2(optionsOf.get(section)!)) },
      ]);
      if (named.length === 0) return findForms(mini, names, others);
      const plain = find(mini, others, (term) => ({ queries: [term], prefix: false, fuzzy: false }));
      return new Map([...plain, ...named]);
    },
    findSimilar: (readings) => findSimilar(mini, names, readings),
    terms: listed,
  };
}

/** Returns how many different options, see `isOption`, are named in the sections that name any. */
function countOptions(terms: ReadonlyMap<string, Postings>): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const [term, postings] of terms) {
    if (!isOption(term)) continue;
    const sections = new Set(Object.values(postings).flatMap((field) => Object.keys(field)));
    for (const section of sections) counts.set(Number(section), (counts.get(Number(section)) ?? 0) + 1);
  }
  return counts;
}

/** A word with its dashes says more than the word alone, wherever that stands. */
const OPTION_BOOST = 8;

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

const FORM = 0.5;
/** Scripts whose languages say by the ends of words what others say by their order. */
const INFLECTED = /^[\p{Script=Cyrillic}\p{Script=Greek}]+$/u;
const MIN_STEM = 4;
const MAX_ENDING = 2;

function findForms(mini: MiniSearch, names: string, readings: QueryWord): ReadonlyMap<number, WordHit> {
  return find(mini, readings, (term) => {
    const forms = listForms(term, names);
    const own = { queries: [term], fuzzy: false };
    if (forms.length === 0) return own;
    return { combineWith: 'OR', fuzzy: false, queries: [own, { queries: [...forms], boostTerm: () => FORM }] };
  });
}

/** Returns what all forms of a word begin with, up to two letters longer than it; undefined in languages that need no such thing. */
export function findStem(term: string): string | undefined {
  if (term.length <= MIN_STEM || !INFLECTED.test(term)) return undefined;
  return term.slice(0, Math.max(MIN_STEM, term.length - MAX_ENDING));
}

/** Returns the other forms of a word: `карты` of `карта`. They are the same word to readers, not one that resembles it. */
function listForms(term: string, names: string): readonly string[] {
  const stem = findStem(term);
  if (stem === undefined) return [];
  const forms: string[] = [];
  for (let at = names.indexOf(` ${stem}`); at >= 0; ) {
    const end = names.indexOf(' ', at + 1);
    const found = names.slice(at + 1, end);
    // What begins with the word is found anyway.
    if (found.length <= term.length + MAX_ENDING && !found.startsWith(term)) forms.push(found);
    at = names.indexOf(` ${stem}`, end);
  }
  return forms;
}

const NEAR = 0.5;

/** What resembles a word counts less than what it may be with two letters swapped, or is a part of. */
function findSimilar(mini: MiniSearch, names: string, readings: QueryWord): ReadonlyMap<number, WordHit> {
  const found = find(mini, readings, (term) => term);
  const near = new Map(readings.flat().map((term) => [term, isWord(term) ? listNearTerms(term, names) : []]));
  const wanted = [...near.values()].flat();
  if (wanted.length === 0) return found;
  const others = find(mini, readings, (term) => ({
    combineWith: 'OR',
    queries: [{ queries: [term] }, { queries: [...near.get(term)!], boostTerm: () => NEAR }],
    fuzzy: false,
  }));
  const sure = [...others].map(([section, hit]): [number, WordHit] => {
    // Where a near term stands, what only resembles the word is not meant.
    const terms = hit.terms.filter((term) => wanted.some((one) => term.startsWith(one)));
    return [section, terms.length > 0 ? { ...hit, terms } : hit];
  });
  return new Map([...found, ...sure]);
}

/** Checks whether a term is one that may be mistyped, or a version. */
function isWord(term: string): boolean {
  return toleranceOf(term).fuzzy > 0 || otherVersion(term) !== undefined;
}

/** A word is found by any of its readings, its whole before its parts; a reading by all of its terms. */
function find(mini: MiniSearch, readings: QueryWord, read: (term: string) => Query): ReadonlyMap<number, WordHit> {
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
    found.map(({ id, score, terms, match }) => {
      const isInTitle = Object.values(match).some((fields) => fields.includes('title'));
      return [id as number, { score, terms, isInTitle }];
    }),
  );
}

/** Letters from which on a word may be an inner part of others. */
const MIN_INNER = 5;
const MAX_INNER = 50;

const VERSION = /^(v?)\d+\.\d/;

/** Returns a version's number with the `v` that it lacks, or without the one it has; undefined for any other term. */
function otherVersion(term: string): string | undefined {
  const match = VERSION.exec(term);
  return match ? (match[1] === '' ? `v${term}` : term.slice(1)) : undefined;
}

/**
 * Returns what may be meant by a term that begins no term of the index: itself with two neighbouring letters swapped, which
 * are as many as it has letters, and the terms that it is an inner part of: `contentloader` of `createcontentloader`.
 * `names` are the terms of the index, each between two spaces.
 */
function listNearTerms(term: string, names: string): readonly string[] {
  const swaps: string[] = [];
  for (let at = 1; at < term.length; at++) {
    const [a, b] = [term[at - 1]!, term[at]!];
    if (a !== b) swaps.push(term.slice(0, at - 1) + b + a + term.slice(at + 1));
  }
  return [...(/\d/.test(term) ? [] : swaps), ...listAround(term, names)];
}

function listAround(term: string, names: string): readonly string[] {
  const found: string[] = [];
  const isNumber = /^\d/.test(term);
  if (term.length < MIN_INNER) return found;
  for (let at = names.indexOf(term); at >= 0 && found.length < MAX_INNER; ) {
    const end = names.indexOf(' ', at);
    // Part of a number is another number.
    if (!isNumber || !/[\d.]/.test(names[at - 1]!)) found.push(names.slice(names.lastIndexOf(' ', at) + 1, end));
    at = names.indexOf(term, end);
  }
  return found;
}
