import type { Passage } from './find-passage.ts';
import type { SearchIndex } from './open-index.ts';
import { divideQuery, type QueryPieces } from './query-share.ts';
import { type Content, type QueryWord, readQuery, type Volume, type WordHit } from './volume.ts';

/** A page that was found. */
export interface FoundPage {
  readonly path: string;
  readonly title: string;
  /** The version that its links lead to. */
  readonly slug: string;
  /** All versions in which it was found, in readers' order. */
  readonly slugs: readonly string[];
  /** What was found of it, the best first; `id` is '' for the page as a whole. */
  readonly passages: readonly Passage[];
}

export interface FoundPages {
  readonly pages: readonly FoundPage[];
  readonly total: number;
  /** No page has all words of the query. */
  readonly isPartial: boolean;
}

const MAX_PAGES = 20;
const MAX_PASSAGES = 4;
const NOTHING: FoundPages = { pages: [], total: 0, isPartial: false };

interface FoundContent {
  /** 0 where it lacks too much of the query. */
  readonly score: number;
  readonly passages: readonly Passage[];
}

/**
 * Finds the pages that have all words of a query, wherever in the page. Where none has them, those that have a good part of it,
 * as `divideQuery` says; the more the better.
 */
export function findPages(
  volumes: readonly Volume[],
  query: string,
  site: Pick<SearchIndex, 'slug' | 'slugs'>,
  everywhere: boolean,
): FoundPages {
  const words = readQuery(query);
  if (words.length === 0) return NOTHING;
  const search = (list: readonly QueryWord[], shareOf: QueryPieces['shareOf']): FoundPages => {
    const found = volumes.flatMap((volume) => findContents(volume, list, shareOf));
    return gatherPages(
      found.filter(({ score }) => score > 0),
      site,
      everywhere,
    );
  };
  const whole = search(words, (found) => (found.every(Boolean) ? 1 : 0));
  if (whole.total > 0) return whole;
  const divided = divideQuery(words);
  return divided ? { ...search(divided.pieces, divided.shareOf), isPartial: true } : NOTHING;
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
    })),
    total: sorted.length,
    isPartial: false,
  };
}

/** Finds the pages of a volume that have a word of the query, rated by how much of it they have. */
function findContents(volume: Volume, query: readonly QueryWord[], shareOf: QueryPieces['shareOf']) {
  const words = query.map((word) => volume.findWord(word));
  const touched = new Set(words.flatMap((hits) => [...hits.keys()].flatMap((section) => volume.contentsOf(section))));
  return [...touched].map((at) => {
    const content = volume.contents[at]!;
    const sections = content.sections
      .map((section) => rate(section, words))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);
    const bests = words.map((hits) => Math.max(0, ...content.sections.map((section) => hits.get(section)?.score ?? 0)));
    const share = shareOf(bests.map((score) => score > 0));
    return {
      content,
      // Words that stand together say more than words of one page.
      score: share * (sections[0]!.score + bests.reduce((sum, score) => sum + score, 0)),
      passages: sections.slice(0, MAX_PASSAGES).map(({ section, terms }): Passage => {
        const isPage = section === content.sections[0];
        const [id, heading] = volume.headingOf(section);
        return { volume, section, terms, id, heading: isPage ? '' : heading };
      }),
    };
  });
}

function rate(section: number, words: readonly ReadonlyMap<number, WordHit>[]) {
  const hits = words.flatMap((found) => found.get(section) ?? []);
  const share = hits.length / words.length;
  return {
    section,
    score: share * hits.reduce((sum, { score }) => sum + score, 0),
    terms: new Set(hits.flatMap(({ terms }) => terms)),
  };
}
