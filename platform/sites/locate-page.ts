import { type FollowedPage, followFrom } from '../../lib/follow-page.ts';
import { encodePath } from '../../lib/url-text.ts';
import type { SiteIndex } from './site-indexes.ts';

/** Where a page stands in a site, and where it stands in other languages and versions. */
export interface Here {
  readonly lang: string;
  /** Name of the version, or `latest`; '' where a page is asked for in a version that does not exist (any longer). */
  readonly version: string;
  /** Path of the page in its release; '' = the home page. */
  readonly path: string;
  readonly alternates: readonly Alternate[];
}

/** A page that readers may switch to. */
export interface Alternate {
  readonly lang: string;
  readonly version: string;
  /** From the site's root, without a slash in front. */
  readonly url: string;
  /** Whether the same page exists there, at whatever path; else `url` leads to the nearest page above it. */
  readonly exists: boolean;
  /** Id of the section that the page is now; absent = it is a page. */
  readonly section?: string;
  /** Where sections of the page are that have gone elsewhere, by their ids: `url` with a `#` and an id. */
  readonly sections?: Readonly<Record<string, string>>;
}

/**
 * Finds a page by its path from the site's root (`/en/v1/guide/a.html`), and the same page in every version of its
 * language and in every language, there in its version or else in `latest`, a page that does not exist in both. Undefined for a path
 * that is no page's in a version of a language, whether there is such a version or not.
 */
export function locatePage(index: SiteIndex, path: string): Here | undefined {
  const place = index.single ? splitSingle(index, path) : splitPath(index, path);
  if (!place) return undefined;
  const { lang, version } = place;
  const known = version === '' ? (index.versions.get(lang) ?? []) : [version];
  const page = resolvePage(
    known.map((name) => index.pagesOf(lang, name)),
    place.page,
  );
  const original = index.originalOf(lang, version, page);
  const isMissing = index.pagesOf(lang, version)?.has(page) === false;
  const targets = [
    ...(index.versions.get(lang) ?? []).map((name) => [lang, name] as const),
    ...index.languages
      .filter((code) => code !== lang)
      .flatMap((code) => {
        const own = versionIn(index, code, version);
        // Where there is no such page, its readers look for it elsewhere.
        return isMissing && own !== 'latest'
          ? [[code, own] as const, [code, 'latest'] as const]
          : [[code, own] as const];
      }),
  ];
  const nameOf = (name: string): string => (name === 'latest' ? index.latest : name);
  const followIn = (code: string, from: string): ((target: string) => FollowedPage | undefined) => {
    const names = (index.versions.get(code) ?? []).map(nameOf);
    const has = (name: string, file: string): boolean => index.pagesOf(code, name)?.has(file) === true;
    return followFrom({ ...index.movesIn(code), has }, { version: nameOf(version), path: from }, names);
  };
  const follow = followIn(lang, page);
  const followOriginal = followIn(index.languages[0]!, original);
  const alternates = targets.flatMap(([code, name]): readonly Alternate[] => {
    const pages = index.pagesOf(code, name);
    if (!pages) return [];
    const root = releasePath(index, code, name);
    const followed = code === lang ? follow(nameOf(name)) : undefined;
    const originalThere = code === lang ? original : (followOriginal(nameOf(name))?.path ?? original);
    // A page that has kept its path may be a translation with a path of its own.
    const isMoved = followed !== undefined && followed.path !== page;
    const there = isMoved ? followed.path : index.translationOf(code, name, originalThere);
    const isSame = code !== lang || followed !== undefined || there !== page;
    const exists = isSame && pages.has(there);
    const target = exists ? there : findNearest(pages, there);
    const place = { lang: code, version: name, url: root + pageAddress(target), exists };
    if (!followed) return [place];
    const sections = followed.sections.map(
      ([id, { path: at, section }]) => [id, `${root}${pageAddress(at)}#${encodeURIComponent(section)}`] as const,
    );
    return [
      {
        ...place,
        ...(followed.section !== '' && { section: followed.section }),
        ...(sections.length > 0 && { sections: Object.fromEntries(sections) }),
      },
    ];
  });
  return { lang, version, path: pageAddress(page), alternates };
}

interface Place {
  readonly lang: string;
  readonly version: string;
  readonly page: string;
}

export function splitPath(index: SiteIndex, path: string): Place | undefined {
  const [lang = '', slug = '', ...rest] = path.replace(/^\/+/, '').split('/');
  if (!index.versions.has(lang)) return undefined;
  const version = slug === 'latest' ? 'latest' : ([...index.refs].find(([, ref]) => ref.slug === slug)?.[0] ?? '');
  return version === '' && rest.length === 0 ? undefined : { lang, version, page: rest.join('/') };
}

function splitSingle(index: SiteIndex, path: string): Place | undefined {
  const [first = '', ...rest] = path.replace(/^\/+/, '').split('/');
  const [own] = index.languages;
  if (own === undefined) return undefined;
  const isOther = first !== own && index.versions.has(first);
  const version = index.latest;
  return isOther
    ? { lang: first, version, page: rest.join('/') }
    : { lang: own, version, page: [first, ...rest].join('/') };
}

/** A language that lacks the version is entered by its first one, which is `latest` where there is one. */
function versionIn(index: SiteIndex, code: string, version: string): string {
  return index.pagesOf(code, version) ? version : (index.versions.get(code)?.[0] ?? version);
}

/** Returns the file that an address stands for in any of some versions: with its ending, or the index of a folder. */
export function resolvePage(versions: readonly (ReadonlySet<string> | undefined)[], page: string): string {
  const stem = page.replace(/\/$/, '');
  const index = stem === '' ? 'index.html' : `${stem}/index.html`;
  const candidates =
    page === '' ? [index] : page.endsWith('/') ? [index, `${stem}.html`] : [page, `${page}.html`, index];
  return candidates.find((candidate) => versions.some((pages) => pages?.has(candidate))) ?? candidates[0]!;
}

/** Returns the index of the nearest folder above that has one; the home page always counts. */
export function findNearest(pages: ReadonlySet<string>, page: string): string {
  for (let folder = page; folder.includes('/'); ) {
    folder = folder.slice(0, folder.lastIndexOf('/'));
    if (pages.has(`${folder}/index.html`)) return `${folder}/index.html`;
  }
  return 'index.html';
}

/** Returns the folder of a release from the site's root, encoded; '' = the root itself. */
export function releasePath(index: SiteIndex, lang: string, version: string): string {
  if (index.single) return lang === index.languages[0] ? '' : `${lang}/`;
  return `${lang}/${version === 'latest' ? 'latest' : encodeURIComponent(index.refs.get(version)!.slug)}/`;
}

/** Returns the address of a page's file, encoded: that of its folder for an index. */
export function pageAddress(page: string): string {
  const path = page === 'index.html' || page.endsWith('/index.html') ? page.slice(0, -'index.html'.length) : page;
  return encodePath(path);
}
