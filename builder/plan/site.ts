import { contentKey } from '../cache/content-key.ts';
import { pageAddress } from '../compose/navigation.ts';
import { createTheme, type ThemeImages, type ThemeModel } from '../compose/theme.ts';
import type { Repository } from '../model.ts';
import { LATEST_SLUG } from '../refs/version-slug.ts';
import type { Language } from '../source/languages.ts';
import { isPageFile } from '../source/page-path.ts';
import type { LanguagePages } from '../source/pages/collect-pages.ts';
import type { BuildTools } from './build-tools.ts';
import { createHostUrls, type HostUrls } from './links/host-urls.ts';
import type { SiteSettings } from './site-options.ts';
import { hasSource, type Version, type VersionSources } from './versions/version-source.ts';

/** The settings of a site whose title is known. */
type TitledSettings = SiteSettings & { readonly title: string };

/** What all versions of a site share: its settings, its latest version's pages, and its URLs. */
export interface Site {
  readonly settings: TitledSettings;
  readonly tools: BuildTools;
  readonly languages: readonly Language[];
  /** The pages of the latest version by language, the default one first. */
  readonly latest: readonly LanguagePages[];
  readonly images: ThemeImages;
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
   * branch.
   */
  editUrl(path: string): string | undefined;
  /** Returns the look of pages from where `siteRoot` leads to the site's root. */
  theme(siteRoot: string): ThemeModel;
  /** Returns the path of a release in the site, with a final `/`, or ''. */
  releasePath(languageCode: string, slug: string): string;
  /** Returns the path of the list of versions and languages in a language. */
  listPath(languageCode: string): string;
  /** Returns the URL of the page in `latest`, absolute or from the site's root; undefined when it has none. */
  canonical(page: {
    readonly languageCode: string;
    readonly output: string;
    readonly siteRoot: string;
    readonly isFallback: boolean;
  }): string | undefined;
}

/** Folder of the theme's own files. */
const ASSETS_FOLDER = '_docbuild/';

/** Creates the value of a site. */
export function createSite({
  repository,
  editable,
  ...site
}: Pick<Site, 'settings' | 'tools' | 'languages' | 'latest' | 'images' | 'settledBy'> & {
  readonly repository: Pick<Repository, 'webUrl' | 'head' | 'refs'>;
  /** Pages on the default branch, from the repository's root: only they can be edited there. */
  readonly editable: ReadonlySet<string>;
}): Site {
  const { settings, languages, latest, images, tools } = site;
  const { head, webUrl, refs } = repository;
  const isBranch = refs.some((ref) => ref.name === head && ref.kind === 'branch');
  const host = createHostUrls(settings.codeHosts ?? [], webUrl, isBranch ? head : undefined);
  const hasRepository = webUrl !== undefined && !settings.hideGit;
  const outputs = new Map(
    latest.map(({ language, pages }) => [language.code, new Set(pages.map((page) => page.output))]),
  );
  for (const set of outputs.values()) set.add('index.html');
  const defaultCode = languages[0]!.code;
  const releasePath = (code: string, slug: string): string => {
    if (!settings.single) return `${code}/${slug}/`;
    return code === defaultCode ? '' : `${code}/`;
  };
  const themes = new Map<string, ThemeModel>();
  return {
    ...site,
    host,
    assetsFolder: ASSETS_FOLDER,
    key: contentKey(
      tools.engineVersion,
      JSON.stringify([
        settings,
        languages,
        Object.values(images).map((image) => ('url' in image ? image.url : image.name)),
        host?.edit('x'),
        hasRepository,
      ]),
      latest
        .map(({ language, pages }) => `${language.code}\n${pages.map((page) => page.output).join('\n')}`)
        .join('\0'),
      [...editable].sort().join('\n'),
    ),
    editUrl: (path) => (editable.has(path) ? host?.edit(path) : undefined),
    releasePath,
    listPath: (code) => `${ASSETS_FOLDER}versions/${code}.html`,
    theme(siteRoot) {
      let theme = themes.get(siteRoot);
      if (!theme) {
        theme = createTheme(settings, images, {
          ...{ siteRoot, assets: siteRoot + ASSETS_FOLDER, languages: languages.length, hasRepository },
        });
        themes.set(siteRoot, theme);
      }
      return theme;
    },
    canonical({ languageCode, output, siteRoot, isFallback }) {
      const target = isFallback ? defaultCode : languageCode;
      if (!outputs.get(target)?.has(output)) return undefined;
      if (settings.single && settings.baseUrl === undefined) return undefined;
      return (settings.baseUrl ?? siteRoot) + pageAddress(releasePath(target, LATEST_SLUG)) + pageAddress(output);
    },
  };
}

/** Returns the pages on the default branch, from the repository's root: only they can be edited there. */
export async function listEditable(head: Version, sources: VersionSources): Promise<ReadonlySet<string>> {
  const source = await sources.read(head);
  if (!hasSource(source)) return new Set();
  const pages = source.listing.files.filter(({ path, isLeftOut }) => isPageFile(path) && !isLeftOut);
  return new Set(pages.map(({ path }) => source.realPath(path)));
}
