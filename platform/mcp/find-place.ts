import { DataError } from '../../data/data-error.ts';
import { followPage, type PageVersions } from '../../lib/follow-page.ts';
import { selectSimilar } from '../../lib/similar-names.ts';
import { trimCharacters } from '../../lib/trim-characters.ts';
import { pageAddress, releasePath } from '../sites/locate-page.ts';
import type { SiteIndex } from '../sites/site-indexes.ts';

/** The version and language that is meant; undefined = the latest, the default one. */
export interface Place {
  readonly version?: string | undefined;
  readonly language?: string | undefined;
}

/** A version in one language. */
export interface Release {
  readonly language: string;
  /** As readers call it, also where `latest` was asked for. */
  readonly version: string;
  /** Folder in the site. */
  readonly folder: string;
  readonly pages: ReadonlySet<string>;
}

/**
 * Finds the versions and pages that programs mean, who write them as they like: by name, slug, ref or address, as they are called in
 * another version or language. Methods throw DataError `not-found` whose message names what there is.
 */
export function createPlaceFinder({ url, index }: { readonly url: string; readonly index: SiteIndex }) {
  return { findRelease, hasVersion, parsePage, findPage, getPage, findMoved, missingPage, lineOf, namesOf, urlOf };

  function hasVersion(name: string): boolean {
    return index.refs.has(name) || [...index.refs.values()].some(({ slug }) => slug === name);
  }

  /** Finds a version by its name, its slug or its ref, in a language. */
  function findRelease({ version, language }: Place): Release {
    const code = language === undefined || language === '' ? index.languages[0] : findLanguage(language);
    if (code === undefined) {
      const names = index.languages.join(', ');
      throw new DataError(
        'not-found',
        `There is no language "${cutText(language ?? '')}"; there are ${names || 'none'}`,
      );
    }
    const names = index.versions.get(code) ?? [];
    const isAlias = version === undefined || version === '' || (version === 'latest' && !index.refs.has('latest'));
    const name = isAlias
      ? names.includes('latest') || index.single
        ? index.latest
        : names[0]
      : findVersion(version, names);
    const pages = name === undefined ? undefined : index.pagesOf(code, name);
    if (name === undefined || !pages) {
      throw notFound(
        `There is no version "${cutText(version ?? 'latest')}" in language "${code}"`,
        [...new Set([...selectSimilar(version ?? '', names), ...names])].slice(0, 10),
        'there are',
      );
    }
    return { language: code, version: name, folder: releasePath(index, code, name), pages };
  }

  function findLanguage(wanted: string): string | undefined {
    const plain = wanted.toLowerCase().replaceAll('_', '-');
    const names = index.languages.map(
      (code) => [code, code.replaceAll('_', '-'), index.tags.get(code) ?? code] as const,
    );
    return (names.find((own) => own.some((name) => name.toLowerCase() === plain)) ??
      names.find((own) => own.some((name) => name.toLowerCase().split('-')[0] === plain.split('-')[0])))?.[0];
  }

  function findVersion(wanted: string, names: readonly string[]): string | undefined {
    const own = names.filter((name) => name !== 'latest' || index.refs.has(name));
    const plain = (name: string): string => name.toLowerCase().replace(/^v(?=\d)/, '');
    return (
      own.find((name) => name === wanted) ??
      own.find((name) => index.refs.get(name)?.slug === wanted || index.refs.get(name)?.ref === wanted) ??
      own.find((name) => plain(name) === plain(wanted))
    );
  }

  /** Reads what is meant by a page: its name, or its address in the site, which says the version and language, too. */
  function parsePage(text: string, place: Place): Place & { readonly page: string; readonly section: string } {
    const isUrl = /^[a-z]+:\/\//i.test(text) && URL.canParse(text);
    const [before = '', fragment = ''] = text.split('#', 2);
    const section = decodePart(fragment);
    const root = new URL(url).pathname;
    const pathname = isUrl ? new URL(text).pathname : before.split('?', 1)[0]!;
    const isAddress = isUrl || text.startsWith('/');
    const below = isAddress && pathname.startsWith(root) ? pathname.slice(root.length) : pathname;
    const parts = below.split('/').filter(Boolean).map(decodePart);
    const code = index.languages.find((one) => one === parts[0]);
    const isDefault = index.single && code === undefined;
    const named = code === undefined ? undefined : index.single ? index.latest : slugName(code, parts[1]);
    const isPlaced = (isAddress || hasNoPage(place, before)) && (isDefault || named !== undefined);
    const rest = isPlaced ? parts.slice(isDefault ? 0 : index.single ? 1 : 2) : parts;
    return {
      language: place.language ?? (isPlaced ? code : undefined),
      version: place.version ?? (isPlaced ? named : undefined),
      page: rest.join('/') + (below.endsWith('/') && rest.length > 0 ? '/' : ''),
      section,
    };
  }

  function slugName(code: string, slug: string | undefined): string | undefined {
    if (slug === 'latest') return 'latest';
    return index.versions.get(code)?.find((name) => index.refs.get(name)?.slug === slug);
  }

  function hasNoPage(place: Place, page: string): boolean {
    try {
      return findPage(findRelease(place), page) === undefined;
    } catch {
      return false;
    }
  }

  /** Finds the HTML file that is meant by the name of a page. */
  function findPage({ pages, language, version }: Release, asked: string): string | undefined {
    const stem = trimCharacters(asked, '/', { both: true }).replace(/\.(?:html|md|markdown|mdx)$/i, '');
    const isFolder = asked.endsWith('/');
    const usual = stem === '' ? ['index.html'] : [`${stem}.html`, `${stem}/index.html`];
    const candidates = isFolder ? usual.reverse() : usual;
    const named = candidates.find((candidate) => pages.has(candidate));
    if (named !== undefined) return named;
    // Translations may have paths of their own.
    const translated = candidates.map((candidate) => index.translationOf(language, version, candidate));
    const readme = /^(.*\/)?(?:readme|_index)$/i.exec(stem);
    const home = readme ? `${readme[1] ?? ''}index.html` : '';
    return translated.find((candidate) => pages.has(candidate)) ?? (pages.has(home) ? home : undefined);
  }

  /** Finds a page by its name, otherwise by the one that it has in other versions. Throws DataError `not-found`. */
  function getPage(
    release: Release,
    asked: string,
  ): { readonly path: string; readonly section: string; readonly movedFrom?: string } {
    const own = findPage(release, asked);
    if (own !== undefined) return { path: own, section: '' };
    const { language, version } = release;
    for (const name of namesOf(language)) {
      const path = findPage(findRelease({ language, version: name }), asked);
      if (path === undefined) continue;
      const place = followPage(lineOf(language), { version: name, path, section: '' }, version);
      if (place) return { ...place, movedFrom: nameOfPage(path) };
    }
    throw missingPage(release, asked);
  }

  function lineOf(language: string): PageVersions {
    const has = (version: string, path: string): boolean => index.pagesOf(language, version)?.has(path) === true;
    return { ...index.movesIn(language), has };
  }

  /** Returns the versions of a language without the alias. */
  function namesOf(language: string): readonly string[] {
    return (index.versions.get(language) ?? []).filter((name) => name !== 'latest' || index.refs.has(name));
  }

  function missingPage(release: Release, asked: string): DataError {
    const stem = asked.replace(/\.(?:html|md|markdown|mdx)$/i, '');
    const elsewhere = namesOf(release.language).filter(
      (version) => findPage(findRelease({ language: release.language, version }), asked) !== undefined,
    );
    const others = elsewhere.length > 0 ? ` (it is in ${elsewhere.slice(0, 5).join(', ')})` : '';
    const names = [...release.pages].map(nameOfPage);
    return notFound(
      `There is no page "${cutText(asked)}" in ${describeRelease(release)}${others}`,
      selectSimilar(stem, names),
      'similar pages are',
      'search for it',
    );
  }

  /** Finds where a page of one version is in another one. */
  function findMoved(from: Release, path: string | undefined, to: Release): string | undefined {
    const place = { version: from.version, path: path ?? '', section: '' };
    return path === undefined ? undefined : followPage(lineOf(to.language), place, to.version)?.path;
  }

  function urlOf({ folder }: Release, path: string): string {
    return url + folder + pageAddress(path);
  }
}

/** See `createPlaceFinder`. */
export type PlaceFinder = ReturnType<typeof createPlaceFinder>;

/** Returns a version in words. */
export function describeRelease({ version, language }: Release): string {
  return `version "${version}" in "${language}"`;
}

/** Returns a page's name in answers and questions: its path without the ending. */
export function nameOfPage(path: string): string {
  return path.replace(/\.html$/, '');
}

/** Returns the error of something that is not there; `names` are what is, introduced by some words, or `otherwise` is the advice. */
export function notFound(what: string, names: readonly string[], introduction: string, otherwise = ''): DataError {
  const list = names.map((name) => `"${cutText(name)}"`).join(', ');
  const advice = list === '' ? otherwise : `${introduction} ${list}`;
  return new DataError('not-found', advice === '' ? what : `${what}; ${advice}`);
}

/** Returns a text of others as it can stand in a message. */
export function cutText(text: string): string {
  const plain = text.replace(/\p{C}/gu, ' ');
  return plain.length > 200 ? `${plain.slice(0, 200)}…` : plain;
}

/** Decodes a part of an address; one that cannot be is returned as it is. */
export function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
