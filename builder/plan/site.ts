import { once } from '../../lib/once.ts';
import { isWebUrl } from '../../lib/url-text.ts';
import { contentKey } from '../cache/content-key.ts';
import { pageAddress } from '../compose/navigation.ts';
import { type Brand, createTheme, listBrandFiles, type ThemeModel } from '../compose/theme.ts';
import type { Repository } from '../model.ts';
import { isPageFile } from '../page-path.ts';
import { LATEST_SLUG } from '../refs/version-slug.ts';
import type { Language } from '../source/languages.ts';
import type { LanguagePages, Page } from '../source/pages/collect-pages.ts';
import type { BuildTools } from './build-tools.ts';
import { createHostUrls, findHostPatterns, type HostUrls } from './links/host-urls.ts';
import type { SiteSettings } from './site-options.ts';
import { listSocial } from './theme/social.ts';
import { hasSource, type Version, type VersionSources } from './versions/version-source.ts';

type TitledSettings = SiteSettings & { readonly title: string };

/** Everything that the versions of a site share: its settings, its latest version's pages, and its URLs. */
export interface Site {
  readonly settings: TitledSettings;
  readonly tools: BuildTools;
  readonly languages: readonly Language[];
  /** The pages of the latest version by language, the default one first. */
  readonly latest: readonly LanguagePages[];
  /** Name of the latest version's ref. */
  readonly latestRef: string;
  readonly brand: Brand;
  /** The repository at its code host. */
  readonly host: HostUrls | undefined;
  /** Hash of everything besides their own tree that the releases of all versions depend on. */
  readonly key: string;
  /** Name of the version whose build reports what is wrong with the settings. */
  readonly settledBy: string;
  /** Folder of the theme's own files, with a final `/`. */
  readonly assetsFolder: string;
  /**
   * Returns the URL at which a file, from the repository's root, can be edited; undefined if it is not on the default
   * branch, or readers are not to see the repository.
   */
  editUrl(path: string): string | undefined;
  /** Returns the URL at which a file is shown, under the same conditions. */
  sourceUrl(path: string): string | undefined;
  /** Returns the URL at which a page of the latest version can be edited; undefined as above, or where its author wants none. */
  editPage(page: Page): string | undefined;
  /** Returns the look of pages from where `siteRoot` leads to the site's root. */
  theme(siteRoot: string): ThemeModel;
  /** Returns the path of a release in the site, with a final `/`, or ''. */
  releasePath(languageCode: string, slug: string): string;
  /** Returns the path of the list of versions and languages in a language. */
  listPath(languageCode: string): string;
  /** Returns the path of the list of what changed between versions in a language, or of the page about one version. */
  changesPath(languageCode: string, slug?: string): string;
  /** Returns the path of the feed of what changed between versions in a language. */
  feedPath(languageCode: string): string;
  /** Returns the paths of what is known of the translation into a language: its board, as JSON, and what pages are told. */
  boardPaths(languageCode: string): Readonly<Record<'page' | 'data' | 'notices' | 'badge', string>>;
  /**
   * Returns the absolute URLs of a page of `latest` in all languages that have it, the default one's first: none where one language
   * has it, or where the URL of the site is not known.
   */
  alternates(page: { readonly languageCode: string; readonly output: string }): readonly Alternate[];
  /** Returns the absolute URL of `latest` in a language; undefined where the URL of the site is not known. */
  latestRoot(languageCode: string): string | undefined;
  /** Returns the URL of the page in `latest`, absolute or from the site's root; undefined when it has none. */
  canonical(page: {
    readonly languageCode: string;
    readonly output: string;
    readonly siteRoot: string;
    readonly isFallback: boolean;
  }): string | undefined;
}

/** A page in one of its languages. */
export interface Alternate {
  /** BCP 47. */
  readonly tag: string;
  readonly url: string;
}

/** Folder of the theme's own files. */
const ASSETS_FOLDER = '_docbuild/';

export function createSite({
  repository,
  editable,
  realPath,
  versions,
  ...site
}: Pick<Site, 'settings' | 'tools' | 'languages' | 'latest' | 'latestRef' | 'brand' | 'settledBy'> & {
  readonly repository: Pick<Repository, 'webUrl' | 'head' | 'refs'>;
  /** Pages on the default branch, from the repository's root: only they can be edited there. */
  readonly editable: ReadonlySet<string>;
  /** Returns the path of a page's file of the latest version from the repository's root. */
  readonly realPath: (file: string) => string;
  /** How many versions there are. */
  readonly versions: number;
}): Site {
  const { settings, languages, latest, brand, tools } = site;
  const { head, webUrl, refs } = repository;
  const isBranch = refs.some((ref) => ref.name === head && ref.kind === 'branch');
  const host = createHostUrls(settings.codeHosts ?? [], webUrl, isBranch ? head : undefined);
  const url = settings.hideGit || webUrl === undefined || !isWebUrl(webUrl) ? undefined : webUrl;
  const shown = url === undefined ? undefined : { url, icon: findHostPatterns(settings.codeHosts ?? [], url)?.icon };
  const outputs = new Map(
    latest.map(({ language, pages }) => [language.code, new Set(pages.map((page) => page.output))]),
  );
  for (const set of outputs.values()) set.add('index.html');
  const defaultCode = languages[0]!.code;
  const releasePath = (code: string, slug: string): string => {
    if (!settings.single) return `${code}/${slug}/`;
    return code === defaultCode ? '' : `${code}/`;
  };
  const { social } = settings.theme;
  const themed = { ...settings, theme: { ...settings.theme, social: social && listSocial(social) } };
  const themes = new Map<string, ThemeModel>();
  const latestRoot = (code: string): string | undefined =>
    settings.baseUrl && settings.baseUrl + pageAddress(releasePath(code, LATEST_SLUG));
  const listed = once(() => listAlternates(latest, latestRoot));
  const editUrl = (path: string): string | undefined => (shown && editable.has(path) ? host?.edit(path) : undefined);
  return {
    ...site,
    host,
    assetsFolder: ASSETS_FOLDER,
    key: contentKey(
      tools.engineVersion,
      JSON.stringify([
        settings,
        languages,
        describeBrand(brand),
        host?.edit('x'),
        settings.llmsFull === 'none' ? '' : site.latestRef,
        shown,
        versions > 1,
      ]),
      latest.map(({ language, pages }) => `${language.code}\n${pages.map(describePlace).join('\n')}`).join('\0'),
      [...editable].sort().join('\n'),
    ),
    editUrl,
    sourceUrl: (path) => (shown && editable.has(path) ? host?.view(path, false) : undefined),
    editPage({ file, meta: { frame } }) {
      return frame.edit === false ? undefined : (frame.edit ?? editUrl(realPath(file)));
    },
    releasePath,
    listPath: (code) => `${ASSETS_FOLDER}versions/${code}.html`,
    changesPath: (code, slug) => `${ASSETS_FOLDER}changes/${code}${slug === undefined ? '' : `/${slug}`}.html`,
    feedPath: (code) => `${ASSETS_FOLDER}changes/${code}.xml`,
    boardPaths(code) {
      const stem = `${ASSETS_FOLDER}translations/${code}`;
      return { page: `${stem}.html`, data: `${stem}.json`, notices: `${stem}.notices.json`, badge: `${stem}.svg` };
    },
    theme(siteRoot) {
      let theme = themes.get(siteRoot);
      if (!theme) {
        theme = createTheme(themed, brand, {
          siteRoot,
          assets: siteRoot + ASSETS_FOLDER,
          languages: languages.length,
          versions,
          repository: shown,
        });
        themes.set(siteRoot, theme);
      }
      return theme;
    },
    alternates: ({ languageCode, output }) => listed().get(`${languageCode}/${output}`) ?? [],
    latestRoot,
    canonical({ languageCode, output, siteRoot, isFallback }) {
      const target = isFallback ? defaultCode : languageCode;
      if (!outputs.get(target)?.has(output)) return undefined;
      if (settings.single && settings.baseUrl === undefined) return undefined;
      return (settings.baseUrl ?? siteRoot) + pageAddress(releasePath(target, LATEST_SLUG)) + pageAddress(output);
    },
  };
}

/** Returns what decides what pages show of a brand. */
function describeBrand(brand: Brand): readonly unknown[] {
  const scripts = (brand.scripts ?? []).map(({ file, ...script }) => [file?.name, script]);
  return [listBrandFiles(brand).map(({ name }) => name), brand.preloads, scripts];
}

/** Returns what decides where a page of the latest version is found, in a line. */
function describePlace({ output, place, isFallback, meta }: Page): string {
  const state = isFallback ? 'fallback' : meta.redirectTo ? 'redirect' : meta.visibility;
  return `${output}\t${place === output ? '' : place}\t${state}`;
}

/** Returns whether search engines are told of a page of the latest version. */
export function isForSearchEngines({ isFallback, meta }: Page): boolean {
  return !isFallback && meta.visibility !== 'unlisted' && meta.redirectTo === undefined;
}

/** Returns the pages of the latest version in all their languages, by language and path; those in one language are left out. */
function listAlternates(
  latest: readonly LanguagePages[],
  latestRoot: (code: string) => string | undefined,
): ReadonlyMap<string, readonly Alternate[]> {
  const byPlace = new Map<string, { readonly key: string; readonly alternate: Alternate }[]>();
  for (const { language, pages } of latest) {
    const root = latestRoot(language.code);
    for (const page of root === undefined ? [] : pages.filter(isForSearchEngines)) {
      const found = byPlace.get(page.place) ?? [];
      byPlace.set(page.place, found);
      const alternate = { tag: language.tag, url: root! + pageAddress(page.output) };
      found.push({ key: `${language.code}/${page.output}`, alternate });
    }
  }
  const several = [...byPlace.values()].filter(({ length }) => length > 1);
  return new Map(
    several.flatMap((found) => {
      const alternates = found.map(({ alternate }) => alternate);
      return found.map(({ key }) => [key, alternates] as const);
    }),
  );
}

/** Returns the pages on the default branch, from the repository's root: only they can be edited there. */
export async function listEditable(head: Version, sources: VersionSources): Promise<ReadonlySet<string>> {
  const source = await sources.read(head);
  if (!hasSource(source)) return new Set();
  const pages = source.listing.files.filter(
    ({ path, isLeftOut, isMade, origin }) => isPageFile(path) && !isLeftOut && !(isMade && origin === undefined),
  );
  return new Set(pages.map(({ path }) => source.realPath(path)));
}
