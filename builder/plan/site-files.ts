import { contentKey } from '../cache/content-key.ts';
import type { Composer } from '../compose/create-composer.ts';
import { pageAddress } from '../compose/navigation.ts';
import type { ThemeModel } from '../compose/page-model.ts';
import { createFileList, type FileGroup, type FileList } from '../publish/site-files.ts';
import { LATEST_SLUG } from '../refs/version-slug.ts';
import { buildRobots, buildSitemaps, type SitemapPage } from '../site/sitemap.ts';
import { buildVersionIndex } from '../site/version-index.ts';
import type { Language } from '../source/languages.ts';
import type { LanguagePages } from '../source/pages/collect-pages.ts';
import type { SiteInput } from './plan-site.ts';
import { createPathRegistry } from './releases/path-registry.ts';
import type { VersionNotes } from './versions/build-notes.ts';
import type { Version } from './versions/version-source.ts';

/** Where readers of a language begin. */
export interface LanguageHome {
  readonly language: Language;
  /** Name of the version in addresses: `latest`, or the first one that has the language. */
  readonly slug: string;
}

/** Returns the homes of all languages that have a page: those of the latest version first, each in the site's order. */
export function listHomes(
  languages: readonly Language[],
  versions: readonly Version[],
  notes: Readonly<Record<string, VersionNotes>>,
  slugs: ReadonlyMap<string, string>,
): readonly LanguageHome[] {
  const homes = languages.flatMap((language): readonly LanguageHome[] => {
    const at = versions.findIndex(({ ref }) => notes[ref.name]!.languages.includes(language.code));
    if (at < 0) return [];
    return [{ language, slug: at === 0 ? LATEST_SLUG : slugs.get(versions[at]!.ref.name)! }];
  });
  const isLatest = ({ slug }: LanguageHome): boolean => slug === LATEST_SLUG;
  return [...homes.filter(isLatest), ...homes.filter((home) => !isLatest(home))];
}

/** What the files outside the releases are made from. */
export interface SiteFilesInput {
  readonly composer: Composer;
  /** Languages of the latest version, the default one first. */
  readonly latest: readonly LanguagePages[];
  /** See `VersionNotes`. */
  readonly unlisted: VersionNotes['unlisted'];
  /** Where readers of each language begin, the default one first. */
  readonly homes: readonly LanguageHome[];
  /** Path of a release in the site, with a final `/`, or ''. */
  readonly releasePath: (languageCode: string, slug: string) => string;
  readonly baseUrl: string | undefined;
  readonly alsoBelow: string | undefined;
  readonly single: boolean;
  readonly theme: (siteRoot: string) => ThemeModel;
  readonly accent: string | undefined;
  /** With a final `/`. */
  readonly assetsFolder: string;
  /** Extra files by path, e.g. the logo. */
  readonly extra: ReadonlyMap<string, Uint8Array>;
}

/** Files of the site's root and the bytes of each content. */
export interface PlannedSiteFiles {
  readonly list: FileList;
  readonly contents: ReadonlyMap<string, Uint8Array>;
}

/** Plans the files that belong to no version: redirects to homes, 404 pages, sitemap, robots.txt, the theme's own. */
export function planSiteFiles(input: SiteFilesInput): PlannedSiteFiles {
  const { composer, homes, releasePath, assetsFolder } = input;
  const files = new Map<string, string>();
  const contents = new Map<string, Uint8Array>();
  const add = (path: string, content: string | Uint8Array): void => {
    const key = contentKey('file', content);
    files.set(path, key);
    contents.set(key, typeof content === 'string' ? Buffer.from(content) : content);
  };
  for (const { name, bytes } of composer.themeFiles([input.accent])) add(assetsFolder + name, bytes);
  for (const [path, bytes] of input.extra) add(path, bytes);
  // Where 404 pages lie, and the root that their addresses begin with.
  const roots: (readonly [folder: string, base: string])[] = [
    ['', input.baseUrl === undefined ? '/' : new URL(input.baseUrl).pathname],
  ];
  if (input.alsoBelow !== undefined) roots.push([`${assetsFolder}below/`, input.alsoBelow]);
  for (const [index, { language, slug }] of homes.entries()) {
    const home = pageAddress(releasePath(language.code, slug));
    const text = { tag: language.tag, dir: language.dir };
    const theme = input.theme('');
    for (const [folder, base] of roots) {
      const notFound = composer.composeNotFound({ theme, language: text, base, home, assets: assetsFolder });
      if (index === 0) add(`${folder}404.html`, notFound);
      if (index > 0 || !input.single) add(`${folder}${language.code}/404.html`, notFound);
    }
    if (input.single) continue;
    if (index === 0) add('index.html', composer.composeRedirect({ url: `./${home}`, language: text }));
    add(
      `${language.code}/index.html`,
      composer.composeRedirect({ url: `./${encodeURIComponent(slug)}/`, language: text }),
    );
  }
  if (input.baseUrl !== undefined) {
    for (const [name, xml] of buildSitemaps(listSitemapPages(input, input.baseUrl), input.baseUrl)) add(name, xml);
  }
  add('robots.txt', buildRobots(input.baseUrl === undefined ? undefined : `${input.baseUrl}sitemap.xml`));
  return { list: createFileList(files), contents };
}

/** Lists what search engines should know: the latest version's pages, without those shown for want of a translation or of a readable text. */
function listSitemapPages({ latest, unlisted, releasePath }: SiteFilesInput, baseUrl: string): readonly SitemapPage[] {
  const translations = new Map<string, { tag: string; url: string }[]>();
  for (const { language, pages } of latest) {
    const replaced = new Set(unlisted?.[language.code]);
    for (const page of pages) {
      if (page.isFallback || page.meta.visibility === 'unlisted' || page.meta.redirectTo !== undefined) continue;
      if (replaced.has(page.output)) continue;
      const alternates = translations.get(page.output) ?? [];
      translations.set(page.output, alternates);
      alternates.push({
        tag: language.tag,
        url: baseUrl + pageAddress(releasePath(language.code, LATEST_SLUG)) + pageAddress(page.output),
      });
    }
  }
  return [...translations.values()].flatMap((alternates) =>
    alternates.map(({ url }) => ({ url, alternates: alternates.length > 1 ? alternates : [] })),
  );
}

/** Leaves out files whose place a page has: in a site with one version, pages stand where the site's own files would. */
export function withoutTaken(list: FileList, groups: Iterable<FileGroup>): FileList {
  const claims = createPathRegistry();
  for (const { prefix, list: pages } of groups) for (const [path] of pages.files) claims.claim(prefix + path);
  return createFileList(list.files.filter(([path]) => claims.isFree(path)));
}

/** Returns the bytes of `versions.json` for a site whose releases are planned. */
export function planVersionIndex(
  input: Pick<SiteInput, 'repository' | 'settings' | 'versions' | 'hideGit'> & {
    readonly languages: readonly Language[];
    readonly latest: Version;
    readonly slugs: ReadonlyMap<string, string>;
    readonly notes: Readonly<Record<string, VersionNotes>>;
    readonly groups: ReadonlyMap<string, FileGroup>;
  },
): Uint8Array {
  const { repository, settings, versions, languages, latest, slugs, notes, groups } = input;
  const index = buildVersionIndex({
    gitUrl: input.hideGit ? undefined : repository.webUrl,
    latest: latest.ref.name,
    single: settings.single,
    languages: languages.map(({ code }) => code),
    versions: versions.map(({ ref: { name, kind } }) => {
      const slug = slugs.get(name)!;
      return { name, kind, slug, pages: listPages(groups, slug, notes[name]!.languages) };
    }),
  });
  return Buffer.from(index);
}

/** Returns the HTML files of a version's releases, by language. */
function listPages(
  groups: ReadonlyMap<string, FileGroup>,
  slug: string,
  codes: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    codes.map((code) => {
      const { files } = groups.get(`${code}/${slug}`)!.list;
      return [code, files.map(([path]) => path).filter((path) => path.endsWith('.html'))];
    }),
  );
}
