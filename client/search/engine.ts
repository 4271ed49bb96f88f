import { type FoundPage, type FoundPages, findPages, suggestQueries } from '../../lib/search/find-pages.ts';
import { findPassage, markTerms, type Passage, type Piece } from '../../lib/search/find-passage.ts';
import { openIndex, type SearchIndex, type Words } from '../../lib/search/open-index.ts';
import { needsTexts, preferPhrases } from '../../lib/search/prefer-phrases.ts';

/** The page that search was opened on. */
export interface SearchPlace {
  /** Folder of the theme's own files. */
  readonly assets: string;
  readonly href: string;
  readonly language: string;
}

export interface ShownPassage {
  readonly url: string;
  /** Empty for the page as a whole. */
  readonly heading: readonly Piece[];
}

export interface ShownPage {
  readonly url: string;
  readonly title: readonly Piece[];
  /** Which versions have it, '' where one version is searched. */
  readonly versions: string;
  /** The best first. */
  readonly passages: readonly ShownPassage[];
}

export interface ShownPages {
  readonly pages: readonly ShownPage[];
  readonly total: number;
  readonly isPartial: boolean;
  /** Queries that find something, where this one finds nothing. */
  readonly similar: readonly string[];
  /** Nothing is in the version that is read: these are in others. */
  readonly isElsewhere: boolean;
}

/** Answers with plain values, so that it can run in a worker. */
export interface SearchEngine {
  /** Returns what the dialog says, and whether there are several versions; undefined where the site has nothing to search. */
  open(place: SearchPlace): Promise<{ readonly words: Words; readonly hasVersions: boolean } | undefined>;
  find(query: string, everywhere: boolean): Promise<ShownPages>;
  /** Returns the excerpts of what was found last, in the order of pages and passages; empty where there is no text. */
  readExcerpts(): Promise<readonly (readonly Piece[])[]>;
}

/** Returns the bytes of a JSON file, which the caller may give away; rejects where it cannot be had. */
export type LoadBytes = (url: string) => Promise<ArrayBuffer>;

/** Texts that are not here by then do not decide which page is first. */
const TEXTS_MS = 150;

/** Creates what finds. */
export function createEngine(loadBytes: LoadBytes): SearchEngine {
  const load = async ({ href }: URL): Promise<unknown> => JSON.parse(new TextDecoder().decode(await loadBytes(href)));
  let index: SearchIndex | undefined;
  let shown: readonly Passage[] = [];
  return {
    async open({ assets, href, language }) {
      index = await openIndex(new URL(assets), href, language, { load });
      // The files for the first letter come while it is being typed.
      index?.load(false).catch(() => {});
      return index && { words: index.words, hasVersions: index.slugs.length > 1 };
    },
    async find(query, wantsEverywhere) {
      const site = index!;
      let everywhere = wantsEverywhere;
      let volumes = await site.load(everywhere);
      let found: FoundPages = findPages(volumes, query, site, everywhere);
      const similar = found.total > 0 && !found.isStrange ? [] : suggestQueries(volumes, query, site, everywhere);
      if (found.total === 0 && !everywhere && site.slugs.length > 1) {
        everywhere = true;
        volumes = await site.load(everywhere);
        found = findPages(volumes, query, site, everywhere);
      }
      const isElsewhere = everywhere && !wantsEverywhere && found.total > 0;
      found = await order(found, query, site);
      shown = found.pages.flatMap(({ passages }) => passages);
      const pages = found.pages.map((page) => present(site, page, everywhere));
      return { pages, total: found.total, isPartial: found.isPartial, similar, isElsewhere };
    },
    async readExcerpts() {
      const passages = shown;
      const texts = await index!.loadTexts(passages);
      return passages.map(({ terms }, at) => (texts[at] === '' ? [] : findPassage(texts[at]!, terms)));
    },
  };
}

/** Orders pages by what stands together in them, too. The texts are those of the excerpts, most of which are here from the keys before. */
async function order(found: FoundPages, query: string, site: SearchIndex): Promise<FoundPages> {
  if (!needsTexts(query)) return found;
  const loading = site.loadTexts(found.pages.flatMap(({ passages }) => passages)).catch(() => []);
  const waiting = new Promise<readonly string[]>((resolve) => setTimeout(resolve, TEXTS_MS, []));
  return preferPhrases(found, query, await Promise.race([loading, waiting]));
}

function present(index: SearchIndex, page: FoundPage, everywhere: boolean): ShownPage {
  const { path, slug, title, passages } = page;
  const terms = new Set(passages.flatMap((passage) => [...passage.terms]));
  return {
    url: index.urlOf(slug, path, ''),
    title: markTerms(title, terms),
    versions: everywhere ? describeVersions(index, page) : '',
    passages: passages.map((passage) => ({
      url: index.urlOf(slug, path, passage.id),
      heading: passage.id === '' ? [] : markTerms(passage.heading, passage.terms),
    })),
  };
}

/** Returns the versions that have the page, those in a row as a range: `v1.4 – v1.6`. */
function describeVersions(index: SearchIndex, { slugs }: FoundPage): string {
  const places = slugs.map((slug) => index.slugs.indexOf(slug));
  const ranges: string[] = [];
  for (let at = 0; at < slugs.length; ) {
    let end = at;
    while (places[end + 1] === places[end]! + 1) end++;
    const [newest, oldest] = [index.nameOf(slugs[at]!), index.nameOf(slugs[end]!)];
    ranges.push(end === at ? newest : `${oldest} – ${newest}`);
    at = end + 1;
  }
  return index.words.versions.replace('{versions}', () => ranges.join(', '));
}
