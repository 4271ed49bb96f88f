import { findPages } from '../../lib/search/find-pages.ts';
import { findPassage } from '../../lib/search/find-passage.ts';
import { preferPhrases } from '../../lib/search/prefer-phrases.ts';
import { nameOfPage, type Place } from './find-place.ts';
import { type OpenedSite, openSearch } from './read-site.ts';

const MAX_QUERY = 200;
const MAX_FOUND = 10;
const MAX_PASSAGES = 3;
/** Versions in which a page was found that are named. */
const MAX_NAMED = 10;

/** Value of a version with which all are searched. */
export const ALL_VERSIONS = 'all';

/** Finds pages as the search of the site does, the best first; `version` may be `all`. */
export async function searchSite(site: OpenedSite, { query, version, language }: Place & { readonly query: string }) {
  const { places } = site;
  const everywhere = version?.toLowerCase() === ALL_VERSIONS && !places.hasVersion(ALL_VERSIONS);
  const release = places.findRelease({ language, version: everywhere ? undefined : version });
  const found = await openSearch(site, release);
  const asked = query.slice(0, MAX_QUERY);
  const volumes = found ? await found.load(everywhere) : [];
  const all = found && findPages(volumes, asked, found, everywhere);
  const passages = all?.pages.flatMap((page) => page.passages) ?? [];
  const texts = found ? await found.loadTexts(passages) : [];
  const textOf = new Map(passages.map((passage, at) => [passage, texts[at]!]));
  const { pages, total, isPartial } = all
    ? preferPhrases(all, asked, texts)
    : { pages: [], total: 0, isPartial: false };
  const shown = pages.slice(0, MAX_FOUND).map((page) => ({ ...page, passages: page.passages.slice(0, MAX_PASSAGES) }));
  return {
    query: asked,
    version: everywhere ? ALL_VERSIONS : release.version,
    language: release.language,
    total,
    isPartial,
    pages: shown.map(({ path, title, slug, slugs, passages }) => {
      const name = found!.nameOf(slug);
      const versions = everywhere ? slugs.slice(0, MAX_NAMED).map(found!.nameOf) : [];
      return {
        page: nameOfPage(path),
        title,
        version: name,
        url: places.urlOf(places.findRelease({ language: release.language, version: name }), path),
        ...(everywhere && { versions, otherVersions: slugs.length - versions.length }),
        passages: passages.map((passage) => ({
          section: passage.id,
          heading: passage.heading,
          excerpt: findPassage(textOf.get(passage)!, passage.terms)
            .map(({ text }) => text)
            .join(''),
        })),
      };
    }),
  };
}
