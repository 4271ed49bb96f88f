import { createHash } from 'node:crypto';
import { isAbsoluteUrl } from '../../lib/url-text.ts';
import { contentKey } from '../cache/content-key.ts';
import { pageAddress } from '../compose/navigation.ts';
import type { ThemeModel } from '../compose/page-model.ts';
import type { ObjectReader, Repository, Warning } from '../model.ts';
import { LATEST_SLUG } from '../refs/version-slug.ts';
import type { Language } from '../source/languages.ts';
import { isPageFile } from '../source/page-path.ts';
import type { LanguagePages } from '../source/pages/collect-pages.ts';
import type { BuildTools } from './build-tools.ts';
import { createHostUrls, type HostUrls } from './links/host-urls.ts';
import type { SiteSettings } from './site-options.ts';
import { hasSource, type PathFinder, type Version, type VersionSources } from './versions/version-source.ts';

/** The site's logo: an address elsewhere, or a file that is published with the theme's own. */
export type ThemeLogo =
  | { readonly url: string; readonly name?: undefined }
  | { readonly url?: undefined; readonly name: string; readonly bytes: Uint8Array };

const MAX_LOGO_BYTES = 1_000_000;

/** Reads the logo that a project file names, from the repository's root or the source folder; a missing one is a warning. */
export async function readLogo(options: {
  readonly logo: string | undefined;
  readonly ref: string;
  readonly sourceFolder: string;
  readonly reader: ObjectReader;
  readonly find: PathFinder;
}): Promise<{ readonly logo: ThemeLogo | undefined; readonly warnings: readonly Warning[] }> {
  const { logo, find } = options;
  if (logo === undefined) return { logo: undefined, warnings: [] };
  if (/^https?:\/\//i.test(logo)) return { logo: { url: logo }, warnings: [] };
  const path = logo.replace(/^\.?\/+/, '');
  const entry = (await find(path)) ?? (await find(options.sourceFolder + path));
  const extension = /\.(?:svg|png|jpe?g|webp|gif|avif|ico)$/i.exec(path)?.[0].toLowerCase();
  const bytes =
    entry?.kind === 'file' && extension !== undefined ? await options.reader.readBlob(entry.oid) : undefined;
  if (bytes && bytes.length <= MAX_LOGO_BYTES) {
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 8);
    return { logo: { name: `logo.${hash}${extension}`, bytes }, warnings: [] };
  }
  const message = `Logo "${logo}" is not an image in the repository of at most ${MAX_LOGO_BYTES / 1e6} MB`;
  return {
    logo: undefined,
    warnings: [{ ref: options.ref, file: '.docbuild.yml', line: 0, code: 'missing-file', message }],
  };
}

/** A site as all its versions share it: its settings, what is known of its latest version, and its URLs. */
export interface Site {
  readonly settings: SiteSettings;
  readonly tools: BuildTools;
  readonly languages: readonly Language[];
  /** The pages of the latest version by language, the default one first. */
  readonly latest: readonly LanguagePages[];
  readonly logo: ThemeLogo | undefined;
  /** The repository at its code host. */
  readonly host: HostUrls | undefined;
  /** Hash of what the releases of all versions depend on besides their own tree. */
  readonly key: string;
  /** Folder of the theme's own files, with a final `/`. */
  readonly assetsFolder: string;
  /** Returns where a file, from the repository's root, can be edited; undefined when it is not on the default branch. */
  editUrl(path: string): string | undefined;
  theme(siteRoot: string): ThemeModel;
  /** Returns the path of a release in the site, with a final `/`, or ''. */
  releasePath(languageCode: string, slug: string): string;
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
}: Pick<Site, 'settings' | 'tools' | 'languages' | 'latest' | 'logo'> & {
  readonly repository: Pick<Repository, 'webUrl' | 'head' | 'refs'>;
  /** Pages on the default branch, from the repository's root: only they can be edited there. */
  readonly editable: ReadonlySet<string>;
}): Site {
  const { settings, languages, latest, logo, tools } = site;
  const { head, webUrl, refs } = repository;
  const isBranch = refs.some((ref) => ref.name === head && ref.kind === 'branch');
  const host = createHostUrls(settings.codeHosts ?? [], webUrl, isBranch ? head : undefined);
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
      JSON.stringify([settings, languages, logo?.name, host?.edit('x')]),
      latest
        .map(({ language, pages }) => `${language.code}\n${pages.map((page) => page.output).join('\n')}`)
        .join('\0'),
      [...editable].sort().join('\n'),
    ),
    editUrl: (path) => (editable.has(path) ? host?.edit(path) : undefined),
    releasePath,
    theme(siteRoot) {
      let theme = themes.get(siteRoot);
      if (!theme) {
        theme = createTheme(settings, siteRoot, logo);
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

function createTheme(settings: SiteSettings, siteRoot: string, logo: ThemeLogo | undefined): ThemeModel {
  const { theme, button } = settings;
  const { accent, links, footer } = theme;
  return {
    siteTitle: settings.title,
    accent,
    logo: logo && (logo.url ?? siteRoot + ASSETS_FOLDER + logo.name),
    links: (links ?? []).map(({ title, url }) => ({
      title,
      url: isAbsoluteUrl(url) ? url : siteRoot + url.replace(/^\.?\/+/, ''),
    })),
    footer,
    button: button === false ? undefined : { script: button?.script, api: button?.api, site: siteRoot },
  };
}

/** Returns the pages on the default branch, from the repository's root: only they can be edited there. */
export async function listEditable(head: Version, sources: VersionSources): Promise<ReadonlySet<string>> {
  const source = await sources.read(head);
  if (!hasSource(source)) return new Set();
  const pages = source.listing.files.filter(({ path, isLeftOut }) => isPageFile(path) && !isLeftOut);
  return new Set(pages.map(({ path }) => source.realPath(path)));
}
