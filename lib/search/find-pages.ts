import { isUnspacedScript } from '../search-terms.ts';
import { countEdits } from '../similar-names.ts';
import type { Passage } from './find-passage.ts';
import type { SearchIndex } from './open-index.ts';
import { type Content, type QueryWord, readQuery, type Volume, type WordHit } from './volume.ts';

export interface FoundPage {
  readonly path: string;
  readonly title: string;
  /** The version that its links lead to. */
  readonly slug: string;
  /** All versions in which it was found, in readers' order. */
  readonly slugs: readonly string[];
  /** The best first; `id` is '' for the page as a whole. */
  readonly passages: readonly Passage[];
  readonly score: number;
}

export interface FoundPages {
  readonly pages: readonly FoundPage[];
  readonly total: number;
  /** No page has all words of the query. */
  readonly isPartial: boolean;
  /** One of the words is on none of the pages searched, and nothing that resembles it is there together with the others. */
  readonly isStrange: boolean;
}

const MAX_PAGES = 20;
const MAX_PASSAGES = 4;
const NOTHING: FoundPages = { pages: [], total: 0, isPartial: false, isStrange: false };

interface FoundContent {
  /** 0 where it lacks too much of the query. */
  readonly score: number;
  readonly passages: readonly Passage[];
}

/**
 * Finds the pages that have all words of a query, wherever in the page. Where none has them, or few have, those that have a good part of
 * it, as `divideQuery` says; the more the better.
 */
export function findPages(
  volumes: readonly Volume[],
  query: string,
  site: Pick<SearchIndex, 'slug' | 'slugs'>,
  everywhere: boolean,
): FoundPages {
  const words = readQuery(query);
  if (words.length === 0) return NOTHING;
  const findIn = (list: readonly QueryWord[]) => list.map((word) => findHits(volumes, word, site.slug, everywhere));
  const search = (hits: ReturnType<typeof findIn>, shareOf: QueryPieces['shareOf']): FoundPages => {
    const found = volumes.flatMap((volume, at) =>
      findContents(
        volume,
        hits.map(({ byVolume }) => byVolume[at]!),
        shareOf,
      ),
    );
    return gatherPages(
      found.filter(({ score }) => score > 0),
      site,
      everywhere,
    );
  };
  const hits = findIn(words);
  const whole = search(hits, (found) => (found.every(Boolean) ? 1 : 0));
  if (whole.total >= FEW) return whole;
  const weights = hits.map(({ byVolume, isThere }) => (isThere ? weighWord(volumes, byVolume) : 0));
  const divided = divideQuery(words, weights);
  const isStrange = whole.total === 0 && weights.includes(0);
  if (!divided) return { ...whole, isStrange };
  const partial = search(divided.pieces === words ? hits : findIn(divided.pieces), divided.shareOf);
  if (whole.total === 0) return { ...partial, isPartial: true, isStrange };
  const known = new Set(whole.pages.map(({ path }) => path));
  const others = partial.pages.filter(({ path }) => !known.has(path));
  return { pages: [...whole.pages, ...others], total: whole.total + others.length, isPartial: false, isStrange };
}

/** Where fewer pages have all words, those that lack one follow. */
const FEW = 3;

/** Returns where a word is in each volume. What resembles it counts only where the word itself is on none of the pages searched. */
function findHits(
  volumes: readonly Volume[],
  word: QueryWord,
  slug: string,
  everywhere: boolean,
): { readonly byVolume: readonly WordHits[]; readonly isThere: boolean } {
  const sure = volumes.map((volume) => volume.findWord(word));
  const isSearched = (volume: Volume, section: number): boolean =>
    everywhere ||
    volume
      .contentsOf(section)
      .some((at) => volume.contents[at]!.places.some(({ versions }) => versions.includes(slug)));
  const isThere = volumes.some((volume, at) => [...sure[at]!.keys()].some((section) => isSearched(volume, section)));
  return { byVolume: isThere ? sure : volumes.map((volume) => volume.findSimilar(word)), isThere };
}

type WordHits = ReadonlyMap<number, WordHit>;

/** Returns how much a word says: the more, the fewer pages have it. */
function weighWord(volumes: readonly Volume[], byVolume: readonly WordHits[]): number {
  const all = volumes.reduce((sum, { contents }) => sum + contents.length, 0);
  const pages = volumes.map((volume, at) => new Set([...byVolume[at]!.keys()].flatMap(volume.contentsOf)).size);
  return Math.log(1 + all / Math.max(1, sumOf(pages)));
}

/** Gathers what was found by pages, the best first. */
function gatherPages(
  found: readonly (FoundContent & { readonly content: Content })[],
  { slug, slugs }: Pick<SearchIndex, 'slug' | 'slugs'>,
  everywhere: boolean,
): FoundPages {
  const order = new Map(slugs.map((one, at) => [one, at]));
  const byPath = new Map<string, { slugs: Set<string>; best: FoundContent; title: string; slug: string }>();
  for (const { content, ...hit } of found) {
    for (const { path, versions } of content.places) {
      const own = everywhere ? versions : versions.filter((version) => version === slug);
      if (own.length === 0) continue;
      const newest = own.includes(slug) ? slug : own.reduce((a, b) => (order.get(b)! < order.get(a)! ? b : a));
      const known = byPath.get(path);
      const isNewer = !known || newest === slug || (known.slug !== slug && order.get(newest)! < order.get(known.slug)!);
      byPath.set(path, {
        slugs: new Set([...(known?.slugs ?? []), ...own]),
        best: isNewer ? hit : known.best,
        title: isNewer ? content.title : known.title,
        slug: isNewer ? newest : known.slug,
      });
    }
  }
  const sorted = [...byPath].sort(([pathA, a], [pathB, b]) => b.best.score - a.best.score || (pathA < pathB ? -1 : 1));
  return {
    pages: sorted.slice(0, MAX_PAGES).map(([path, page]) => ({
      path,
      title: page.title,
      slug: page.slug,
      slugs: slugs.filter((one) => page.slugs.has(one)),
      passages: page.best.passages,
      score: page.best.score,
    })),
    total: sorted.length,
    isPartial: false,
    isStrange: false,
  };
}

/** Rates the pages of a volume that have a word of the query by how much of it they have. `words` says where each is. */
function findContents(volume: Volume, words: readonly WordHits[], shareOf: QueryPieces['shareOf']) {
  const touched = new Set(words.flatMap((hits) => [...hits.keys()].flatMap((section) => volume.contentsOf(section))));
  return [...touched].map((at) => {
    const content = volume.contents[at]!;
    const sections = content.sections
      .map((section) => rate(section, words))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);
    const bests = words.map((hits) => Math.max(0, ...content.sections.map((section) => hits.get(section)?.score ?? 0)));
    const share = shareOf(bests.map((score) => score > 0));
    // Of a page whose title has some words, a section is wanted that has the others.
    const others = words.filter((hits) => !hits.get(content.sections[0]!)?.isInTitle);
    const scores = new Map(sections.map(({ section, score }) => [section, [rate(section, others).score, score]]));
    const wanted = [...sections].sort((a, b) => {
      const [ownA, ownB] = [scores.get(a.section)!, scores.get(b.section)!];
      return ownB[0]! - ownA[0]! || ownB[1]! - ownA[1]!;
    });
    return {
      content,
      // Words that stand together say more than words of one page.
      score: share * (sections[0]!.score + bests.reduce((sum, score) => sum + score, 0)),
      passages: wanted.slice(0, MAX_PASSAGES).map(({ section, terms }): Passage => {
        const isPage = section === content.sections[0];
        const [id, heading] = volume.headingOf(section);
        return { volume, section, terms, id, heading: isPage ? '' : heading };
      }),
    };
  });
}

function rate(section: number, words: readonly WordHits[]) {
  const hits = words.flatMap((found) => found.get(section) ?? []);
  const share = hits.length / Math.max(1, words.length);
  return {
    section,
    score: share * hits.reduce((sum, { score }) => sum + score, 0),
    terms: new Set(hits.flatMap(({ terms }) => terms)),
  };
}

const MAX_SIMILAR = 4;
/** Spellings that are looked at for one word. */
const MAX_SPELLINGS = 3;
/** Letters of a word that are compared. */
const MAX_SPELLED = 30;
/** More words are a sentence, and each is searched for. */
const MAX_SUGGESTED_WORDS = 6;

/**
 * Returns queries that find something, where one finds nothing or lacks a word that is nowhere: with the nearest spellings of such words,
 * and where it finds nothing, also without these, and its words alone.
 */
export function suggestQueries(
  volumes: readonly Volume[],
  query: string,
  site: Pick<SearchIndex, 'slug' | 'slugs'>,
  everywhere: boolean,
): readonly string[] {
  const find = (text: string): FoundPages => findPages(volumes, text, site, everywhere);
  const count = (text: string): number => (find(text).isStrange ? 0 : find(text).total);
  const isNothing = find(query).total === 0;
  const terms = new Set(volumes.flatMap((volume) => volume.terms));
  const words = query.split(/\s+/).filter(Boolean).slice(0, MAX_SUGGESTED_WORDS);
  const known = words.filter((word) => count(word) > 0);
  const spellings = words.map((word) => (known.includes(word) ? [word] : listSpellings(word, terms, count)));
  const isSpelled = isNothing || spellings.every((list) => list.length > 0);
  const respelled = Array.from({ length: isSpelled ? MAX_SPELLINGS : 0 }, (_, rank) =>
    spellings.flatMap((list) => list[Math.min(rank, list.length - 1)] ?? []).join(' '),
  );
  const queries = new Set([...respelled, ...(isNothing && words.length > 1 ? known : [])]);
  return [...queries].filter((text) => text !== '' && text !== query && count(text) > 0).slice(0, MAX_SIMILAR);
}

/** Returns the terms that are the fewest edits away from a word, those on more pages first. A lone letter or sign may be anything. */
function listSpellings(word: string, terms: Iterable<string>, count: (term: string) => number): readonly string[] {
  const wanted = word.toLowerCase().slice(0, MAX_SPELLED);
  if (!/[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(wanted)) return [];
  const most = Math.max(1, Math.floor(wanted.length / 3));
  const found: { readonly term: string; readonly edits: number }[] = [];
  for (const term of terms) {
    const edits = countEdits(wanted, term, most);
    if (edits <= most) found.push({ term, edits });
  }
  return found
    .sort((a, b) => a.edits - b.edits)
    .slice(0, 4 * MAX_SPELLINGS)
    .map((one) => ({ ...one, pages: count(one.term) }))
    .filter(({ pages }) => pages > 0)
    .sort((a, b) => a.edits - b.edits || b.pages - a.pages)
    .slice(0, MAX_SPELLINGS)
    .map(({ term }) => term);
}

/** The share of a query's signs that a page must have. */
const LEAST = 0.4;
/** A word in letters counts as much as one of two signs. */
const WORD = 2;
/** Most of what is written in hiragana is grammar, and so are some signs of Chinese. */
const GRAMMAR = 0.25;
const IS_GRAMMAR = /^[\p{Script=Hiragana}的了与和在是及或吗]/u;

/** A query in the pieces that pages may lack. */
interface QueryPieces {
  /** Words, and pairs of signs of scripts that do not part words. */
  readonly pieces: readonly QueryWord[];
  /** Returns how much of the query a page has, from 0 to 1, or 0 where it lacks too much; `found` says which pieces it has. */
  shareOf(found: readonly boolean[]): number;
}

/**
 * Divides a query that few pages have as a whole; undefined where nothing of it may be missing. Of words, those may be that are nowhere, one
 * of two or more, and others that say little, as all pages have them. Where a script does not part words, nobody knows what is
 * one, and one that is missing breaks the pairs around it, too; so there it is signs that are counted. `weights` say how much each word
 * says, 0 where it is nowhere.
 */
function divideQuery(words: readonly QueryWord[], weights: readonly number[]): QueryPieces | undefined {
  if (!words.some(isRun)) {
    const known = weights.filter((weight) => weight > 0).length;
    if (known === 0 && words.length < 3) return undefined;
    const total = sumOf(weights);
    return {
      pieces: words,
      shareOf(found) {
        const count = found.filter(Boolean).length;
        const weight = sumOf(weights.filter((_, at) => found[at]));
        if (known === 0) return count < words.length - 1 ? 0 : count / words.length;
        const isEnough = weight > 0 && (count >= words.length - 1 || weight >= LEAST * total);
        return isEnough ? weight / total : 0;
      },
    };
  }
  const parts = words.map((word) => {
    if (!isRun(word)) return { pieces: [word], weights: [WORD] };
    const pairs = word[word.length - 1]!;
    return { pieces: pairs.map((pair) => [[pair]]), weights: weighSigns(pairs) };
  });
  const total = parts.reduce((sum, { weights }) => sum + sumOf(weights), 0);
  return {
    pieces: parts.flatMap(({ pieces }) => pieces),
    shareOf(found) {
      let first = 0;
      let sum = 0;
      for (const { pieces, weights } of parts) {
        const own = found.slice(first, first + pieces.length);
        // A sign is found by the pair that it begins, or by the one that it ends.
        sum += sumOf(weights.filter((_, at) => own[at] || own[at - 1]));
        first += pieces.length;
      }
      return sum < LEAST * total ? 0 : sum / total;
    },
  };
}

function isRun(word: QueryWord): boolean {
  return isUnspacedScript(word[0]![0]!);
}

/** Returns the weights of the signs that pairs consist of, or of a lone sign. */
function weighSigns(pairs: readonly string[]): readonly number[] {
  const last = [...pairs[pairs.length - 1]!].slice(1).join('');
  return [...pairs, ...(last === '' ? [] : [last])].map((text) => (IS_GRAMMAR.test(text) ? GRAMMAR : 1));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
