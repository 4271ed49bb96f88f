import type { Composer } from '../compose/create-composer.ts';
import { pageAddress } from '../compose/navigation.ts';
import type { ThemeModel } from '../compose/page-model.ts';
import type { Repository } from '../model.ts';
import { LATEST_SLUG } from '../refs/version-slug.ts';
import type { Language } from '../source/choose-languages.ts';
import type { LanguagePages } from '../source/collect-pages.ts';
import { createHostUrls, type HostUrls } from './links/host-urls.ts';
import type { ThemeLogo } from './read-logo.ts';
import type { SiteSettings } from './site-settings.ts';

/** Addresses and texts that are the same for all versions of a site. */
export interface SiteFrame {
  readonly languages: readonly Language[];
  readonly host: HostUrls | undefined;
  /** Files on the default branch, from the repository's root. */
  readonly editable: ReadonlySet<string>;
  readonly theme: (siteRoot: string) => ThemeModel;
  readonly assetsFolder: string;
  readonly releasePath: (languageCode: string, slug: string) => string;
  readonly canonical: (
    languageCode: string,
    output: string,
    siteRoot: string,
    isFallback: boolean,
  ) => string | undefined;
  readonly composer: Composer;
  readonly engineVersion: string;
}

/** Folder of the theme's own files. */
const ASSETS_FOLDER = '_docbuild/';

/** Creates the frame of a site. */
export function createSiteFrame(options: {
  readonly repository: Pick<Repository, 'webUrl' | 'head' | 'refs'>;
  readonly settings: SiteSettings;
  readonly languages: readonly Language[];
  /** Pages of the latest version by language. */
  readonly latest: readonly LanguagePages[];
  readonly editable: ReadonlySet<string>;
  readonly composer: Composer;
  readonly engineVersion: string;
  readonly logo: ThemeLogo | undefined;
}): SiteFrame {
  const { repository, settings, languages, latest, composer } = options;
  const { head } = repository;
  const isBranch = repository.refs.some((ref) => ref.name === head && ref.kind === 'branch');
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
    languages,
    composer,
    engineVersion: options.engineVersion,
    host: createHostUrls(repository.webUrl, isBranch ? head : undefined),
    editable: options.editable,
    assetsFolder: ASSETS_FOLDER,
    releasePath,
    theme(siteRoot) {
      let theme = themes.get(siteRoot);
      if (!theme) {
        theme = createTheme(settings, siteRoot, options.logo);
        themes.set(siteRoot, theme);
      }
      return theme;
    },
    canonical(code, output, siteRoot, isFallback) {
      const target = isFallback ? defaultCode : code;
      if (!outputs.get(target)?.has(output)) return undefined;
      if (settings.single && settings.baseUrl === undefined) return undefined;
      return (settings.baseUrl ?? siteRoot) + pageAddress(releasePath(target, LATEST_SLUG)) + pageAddress(output);
    },
  };
}

function createTheme(settings: SiteSettings, siteRoot: string, logo: ThemeLogo | undefined): ThemeModel {
  const { theme, button } = settings;
  const { accent, links, footer } = theme;
  return {
    siteTitle: settings.title,
    accent,
    logo: logo && (logo.url ?? siteRoot + ASSETS_FOLDER + logo.name),
    links: (links ?? []).map(({ title, url }) => ({
      title,
      url: isAbsolute(url) ? url : siteRoot + url.replace(/^\.?\/+/, ''),
    })),
    footer,
    button: button === false ? undefined : { script: button?.script, api: button?.api, site: siteRoot },
  };
}

function isAbsolute(url: string): boolean {
  return /^[a-z][a-z0-9+.-]*:|^\/\//i.test(url);
}
