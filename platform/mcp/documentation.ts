import { releasePath } from '../sites/locate-page.ts';
import { comparePage, listChanges } from './compare-versions.ts';
import { createPlaceFinder } from './find-place.ts';
import { readPart } from './read-part.ts';
import type { DocumentedSite, OpenedSite } from './read-site.ts';
import { searchSite } from './search-site.ts';

const MAX_VERSIONS = 200;

/** Answers questions about a site's texts. Methods throw DataError `not-found` or `invalid` whose message says what to ask instead. */
export function openDocumentation(documented: DocumentedSite) {
  const site: OpenedSite = { ...documented, places: createPlaceFinder(documented) };
  return {
    listVersions: () => listVersions(site),
    search: (asked: Parameters<typeof searchSite>[1]) => searchSite(site, asked),
    read: (asked: Parameters<typeof readPart>[1]) => readPart(site, asked),
    compare: (asked: Parameters<typeof comparePage>[1]) => comparePage(site, asked),
    changes: (asked: Parameters<typeof listChanges>[1]) => listChanges(site, asked),
  };
}

/** See `openDocumentation`. */
export type Documentation = ReturnType<typeof openDocumentation>;

function listVersions({ url, index, places }: OpenedSite) {
  const languages = index.languages.map((code) => {
    const names = places.namesOf(code);
    return {
      language: code,
      tag: index.tags.get(code) ?? code,
      versions: names.slice(0, MAX_VERSIONS).map((version) => ({
        version,
        kind: index.refs.get(version)?.kind ?? 'branch',
        isLatest: version === index.latest,
        pages: index.pagesOf(code, version)?.size ?? 0,
        url: url + releasePath(index, code, version),
      })),
      left: Math.max(0, names.length - MAX_VERSIONS),
    };
  });
  return {
    title: index.title ?? '',
    url,
    latest: index.latest,
    defaultLanguage: index.languages[0] ?? '',
    languages,
  };
}
