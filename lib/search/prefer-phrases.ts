import { eachTerm } from '../search-terms.ts';
import type { FoundPages } from './find-pages.ts';
import type { Passage } from './find-passage.ts';
import { findStem, type QueryWord, readQuery } from './volume.ts';

/** Gain of a page, as a share of its score, where all words of a query stand one behind the other. */
const GAINS = { head: 1.5, text: 1 };
/** Pages that are looked at; what is further down is not meant. */
const MAX_PAGES = 10;
/** Characters of a section that are. */
const MAX_TEXT = 10_000;
/** Characters between two words that stand together: a space, or some signs. */
const MAX_GAP = 3;

/**
 * Returns the same pages, those first in which words of the query stand one behind the other as they do there, in a heading or in the text:
 * `script client` is meant as `<script client>` before it is any page with both words. `texts` are those of the passages of all pages, in
 * their order; what has none counts by its heads.
 */
export function preferPhrases(found: FoundPages, query: string, texts: readonly string[]): FoundPages {
  const words = readQuery(query);
  if (words.length < 2 || found.pages.length < 2) return found;
  let at = 0;
  const isMeant = words.map(createMeaning);
  const rated = found.pages.map((page, rank) => {
    const own = texts.slice(at, at + page.passages.length);
    at += page.passages.length;
    if (rank >= MAX_PAGES) return page;
    const heads = listPairs([page.title, ...page.passages.map(({ heading }) => heading)], isMeant);
    const bodies = listPairs(
      own.filter((_, place) => hasTwo(page.passages[place]!, isMeant)),
      isMeant,
    );
    const gain = Math.max(GAINS.head * heads.size, GAINS.text * bodies.size) / (words.length - 1);
    return { ...page, score: page.score * (1 + gain) };
  });
  return { ...found, pages: rated.sort((a, b) => b.score - a.score) };
}

/** Checks whether the order of what is found may depend on texts. */
export function needsTexts(query: string): boolean {
  return readQuery(query).length > 1;
}

/** Tells whether a term stands for a word. */
type Meaning = (term: string) => boolean;

function createMeaning(readings: QueryWord): Meaning {
  const beginnings = readings.flat().map((term) => findStem(term) ?? term);
  return (term) => beginnings.some((one) => term === one || (one.length > 1 && term.startsWith(one)));
}

/** Checks whether two words are in a passage at all. */
function hasTwo({ terms }: Passage, isMeant: readonly Meaning[]): boolean {
  const found = [...terms];
  return isMeant.filter((isOne) => found.some(isOne)).length > 1;
}

/** Returns the words of a query, by their places, that stand in one of the texts right before the word that follows them in the query. */
function listPairs(texts: readonly string[], isMeant: readonly Meaning[]): ReadonlySet<number> {
  const pairs = new Set<number>();
  for (const text of texts) {
    if (text !== '' && pairs.size < isMeant.length - 1) addPairs(text.slice(0, MAX_TEXT), isMeant, pairs);
  }
  return pairs;
}

function addPairs(text: string, isMeant: readonly Meaning[], pairs: Set<number>): void {
  const spans = isMeant.map(() => ({ starts: new Set<number>(), ends: new Set<number>() }));
  eachTerm(text, (term, start, end) => {
    for (const [at, isOne] of isMeant.entries()) {
      if (!isOne(term)) continue;
      spans[at]!.starts.add(start);
      spans[at]!.ends.add(end);
    }
  });
  for (const [at, { starts }] of spans.slice(1).entries()) {
    const before = spans[at]!;
    // Parts of one word, `clientScript`, have its place.
    const isPair = (start: number): boolean =>
      before.starts.has(start) || GAPS.some((gap) => before.ends.has(start - gap));
    if ([...starts].some(isPair)) pairs.add(at);
  }
}

const GAPS = Array.from({ length: MAX_GAP + 1 }, (_, gap) => gap);
