import { contentKey } from '../cache/content-key.ts';
import { pageAddress } from '../compose/navigation.ts';
import type { ListModel, NotFoundModel, RedirectModel } from '../compose/page-model.ts';
import type { TextLink } from '../compose/theme.ts';
import type { PageExtra, Ref } from '../model.ts';
import { createFileList, type FileGroup, type FileList } from '../publish/site-files.ts';
import { LATEST_SLUG } from '../refs/version-slug.ts';
import { SEARCH_MANIFEST } from '../search/search-manifest.ts';
import { buildRobots, buildSitemaps, type SitemapPage } from '../site/sitemap.ts';
import { buildVersionIndex } from '../site/version-index.ts';
import type { Language } from '../source/languages.ts';
import type { Page } from '../source/pages/collect-pages.ts';
import { createPageFinder, placeHeader } from './navigation/place-header.ts';
import type { PlannedSearch } from './plan-search.ts';
import { createPathRegistry } from './releases/path-registry.ts';
import type { Site } from './site.ts';
import type { VersionNotes } from './versions/build-notes.ts';

/** A version with the languages that it has. */
export interface ReleasedVersion {
  readonly ref: Ref;
  /** What readers call it. */
  readonly name: string;
  readonly slug: string;
  readonly languages: readonly string[];
  readonly moved: VersionNotes['moved'] | undefined;
}

/** The releases of a site, to which the files outside them refer. */
export interface PlannedReleases {
  /** In readers' order, the latest first. */
  readonly versions: readonly ReleasedVersion[];
  /** The files of each release by `<language>/<slug>`. */
  readonly groups: ReadonlyMap<string, FileGroup>;
  /** Of the latest version, see `VersionNotes`. */
  readonly unlisted: VersionNotes['unlisted'];
  /** What pages need besides the theme's own files. */
  readonly extras: ReadonlySet<PageExtra>;
  readonly search: Pick<PlannedSearch, 'files' | 'manifest'>;
}

/** Files of the site's root, and functions that make the content of each key. */
export interface PlannedSiteFiles {
  readonly list: FileList;
  readonly producers: ReadonlyMap<string, () => string | Uint8Array>;
}

/** Plans the files that belong to no version: redirects to homes, 404 pages, sitemap, robots.txt, the theme's own. */
export function planSiteFiles(site: Site, releases: PlannedReleases, gitUrl: string | undefined): PlannedSiteFiles {
  const { settings, assetsFolder, images } = site;
  const { baseUrl, alsoBelow, single } = settings;
  const { composer, engineVersion } = site.tools;
  const files = new Map<string, string>();
  const producers = new Map<string, () => string | Uint8Array>();
  const add = (path: string, content: string | Uint8Array): void => {
    const key = typeof content === 'string' ? contentKey('file', content) : keyOfBytes(content);
    files.set(path, key);
    producers.set(key, () => content);
  };
  /** Adds a page that is composed when it is not published yet; its kind and model determine it. */
  const compose = <Model>(paths: readonly string[], model: Model, [kind, make]: Template<Model>): void => {
    const key = contentKey(kind, engineVersion, JSON.stringify([model, settings.templates]));
    for (const path of paths) files.set(path, key);
    producers.set(key, () => make(model));
  };
  const notFound: Template<NotFoundModel> = ['not-found', composer.composeNotFound];
  const redirect: Template<RedirectModel> = ['redirect', composer.composeRedirect];
  for (const { name, bytes } of composer.themeFiles([settings.theme.accent], releases.extras)) {
    add(assetsFolder + name, bytes);
  }
  add(assetsFolder + SEARCH_MANIFEST, releases.search.manifest);
  for (const [name, key] of releases.search.files) files.set(assetsFolder + name, key);
  for (const image of Object.values(images)) if ('bytes' in image) add(assetsFolder + image.name, image.bytes);
  add('versions.json', planVersionIndex(site, releases, gitUrl));
  // The folders of 404 pages, and the root that their URLs begin with; a site that is served below a path, too, has two.
  const root = baseUrl === undefined || alsoBelow !== undefined ? '/' : new URL(baseUrl).pathname;
  const roots: (readonly [folder: string, base: string])[] = [['', root]];
  if (alsoBelow !== undefined) roots.push([`${assetsFolder}below/`, alsoBelow]);
  for (const [index, { language, slug }] of listHomes(site, releases).entries()) {
    const home = pageAddress(site.releasePath(language.code, slug));
    const text = { tag: language.tag, dir: language.dir };
    for (const [folder, base] of roots) {
      const theme = site.theme(base);
      const header = placeHeader(
        site,
        { siteRoot: base, language },
        createPageFinder(pagesOf(site, { language, slug }), base + home),
      );
      const list = site.listPath(language.code);
      const model = { theme, header, list, language: text, base, home, assets: assetsFolder };
      const paths = [
        ...(index === 0 ? [`${folder}404.html`] : []),
        ...(index > 0 || !single ? [`${folder}${language.code}/404.html`] : []),
      ];
      compose(paths, model, notFound);
    }
    if (site.theme('./').switches) {
      const model = createListModel(site, releases, { language, slug });
      compose([site.listPath(language.code)], model, ['list', composer.composeList]);
    }
    if (single) continue;
    if (index === 0) compose(['index.html'], { url: `./${home}`, language: text }, redirect);
    compose([`${language.code}/index.html`], { url: `./${encodeURIComponent(slug)}/`, language: text }, redirect);
  }
  if (baseUrl !== undefined) {
    const pages = listSitemapPages(site, releases.unlisted, baseUrl);
    for (const [name, xml] of buildSitemaps(pages, baseUrl)) add(name, xml);
  }
  add('robots.txt', buildRobots(baseUrl === undefined ? undefined : `${baseUrl}sitemap.xml`));
  const list = createFileList(files);
  return { list: single ? withoutTaken(list, releases.groups.values()) : list, producers };
}

/** The name of a kind of page, and what makes one from its model. */
type Template<Model> = readonly [kind: string, make: (model: Model) => string];

const keysOfBytes = new WeakMap<Uint8Array, string>();

/** The theme's own files are the same bytes in all builds of a process. */
function keyOfBytes(bytes: Uint8Array): string {
  const key = keysOfBytes.get(bytes) ?? contentKey('file', bytes);
  keysOfBytes.set(bytes, key);
  return key;
}

/** Describes the page that lists the versions of a language and all languages, which the header leads to without JavaScript. */
function createListModel(site: Site, releases: PlannedReleases, { language, slug }: LanguageHome): ListModel {
  const { settings, assetsFolder, theme, listPath, releasePath } = site;
  const siteRoot = '../'.repeat(listPath(language.code).split('/').length - 1);
  const place = (code: string, name: string): string => siteRoot + pageAddress(releasePath(code, name));
  const links = (isTag: boolean): readonly TextLink[] =>
    releases.versions
      .filter(({ ref, languages }) => (ref.kind === 'tag') === isTag && languages.includes(language.code))
      .flatMap((version) => {
        const own = { title: version.name, url: place(language.code, version.slug) };
        const latest = { title: `${LATEST_SLUG} → ${own.title}`, url: place(language.code, LATEST_SLUG) };
        return version === releases.versions[0] ? [latest, own] : [own];
      });
  const home = place(language.code, slug);
  return {
    ...{ theme: theme(siteRoot), home, assets: siteRoot + assetsFolder },
    header: placeHeader(site, { siteRoot, language }, createPageFinder(pagesOf(site, { language, slug }), home)),
    language: { tag: language.tag, dir: language.dir },
    branches: settings.single ? [] : links(false),
    tags: settings.single ? [] : links(true),
    languages: listHomes(site, releases).map(({ language: { code, tag, dir }, slug }) => ({
      ...{ tag, dir, url: place(code, slug) },
    })),
  };
}

/** Returns the pages of the latest version that a home leads to; none for that of another version. */
function pagesOf({ latest }: Site, { language, slug }: LanguageHome): readonly Page[] {
  return (slug === LATEST_SLUG && latest.find((one) => one.language.code === language.code)?.pages) || [];
}

/** The home of a language; `slug` is that of `latest`, or of the first version that has the language. */
interface LanguageHome {
  readonly language: Language;
  readonly slug: string;
}

/** Returns the homes of all languages that have a page: those of the latest version first, each in the site's order. */
function listHomes({ languages }: Site, { versions }: PlannedReleases): readonly LanguageHome[] {
  const homes = languages.flatMap((language): readonly LanguageHome[] => {
    const at = versions.findIndex((version) => version.languages.includes(language.code));
    if (at < 0) return [];
    return [{ language, slug: at === 0 ? LATEST_SLUG : versions[at]!.slug }];
  });
  const isLatest = ({ slug }: LanguageHome): boolean => slug === LATEST_SLUG;
  return [...homes.filter(isLatest), ...homes.filter((home) => !isLatest(home))];
}

/** Lists the pages for search engines: those of the latest version, without untranslated and unreadable ones. */
function listSitemapPages(
  { latest, releasePath }: Site,
  unlisted: VersionNotes['unlisted'],
  baseUrl: string,
): readonly SitemapPage[] {
  const translations = new Map<string, { tag: string; url: string }[]>();
  for (const { language, pages } of latest) {
    const replaced = new Set(unlisted?.[language.code]);
    for (const page of pages) {
      if (page.isFallback || page.meta.visibility === 'unlisted' || page.meta.redirectTo !== undefined) continue;
      if (replaced.has(page.output)) continue;
      const alternates = translations.get(page.place) ?? [];
      translations.set(page.place, alternates);
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

/** Leaves out files whose paths belong to pages: a site with one version has pages at its root. */
function withoutTaken(list: FileList, groups: Iterable<FileGroup>): FileList {
  const registry = createPathRegistry();
  for (const { prefix, list: pages } of groups) for (const [path] of pages.files) registry.claim(prefix + path);
  return createFileList(list.files.filter(([path]) => registry.isFree(path)));
}

/** Returns the bytes of `versions.json` for a site whose releases are planned. */
function planVersionIndex(
  { settings, languages }: Site,
  { versions, groups }: PlannedReleases,
  gitUrl: string | undefined,
): Uint8Array {
  /** Versions with equal files share a list. */
  const listed = new Map<string, readonly string[]>();
  const index = buildVersionIndex({
    title: settings.title,
    gitUrl: settings.hideGit ? undefined : gitUrl,
    latest: versions[0]!.name,
    single: settings.single,
    languages: languages.map(({ code }) => code),
    tags: Object.fromEntries(languages.map(({ code, tag }) => [code, tag])),
    versions: versions.map(({ ref, name, slug, languages: codes, moved }) => ({
      ...{ name, ref: ref.name, kind: ref.kind, slug },
      pages: new Map(codes.map((code) => [code, listPages(groups.get(`${code}/${slug}`)!.list)])),
      moved: new Map(Object.entries(moved ?? {})),
    })),
  });
  return Buffer.from(index);

  function listPages({ id, files }: FileList): readonly string[] {
    const pages = listed.get(id) ?? files.map(([path]) => path).filter((path) => path.endsWith('.html'));
    listed.set(id, pages);
    return pages;
  }
}
