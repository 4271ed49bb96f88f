import { describeShare, drawBadge } from '../../lib/badge.ts';
import { once } from '../../lib/once.ts';
import { contentKey } from '../cache/content-key.ts';
import { languageName } from '../compose/intl-words.ts';
import { findMessages } from '../compose/messages.ts';
import { pageAddress } from '../compose/navigation.ts';
import type { BoardModel, BoardRow, ListModel, NotFoundModel, RedirectModel } from '../compose/page-model.ts';
import { listBrandFiles, SCRIPTS_FOLDER, type TextLink } from '../compose/theme.ts';
import type { PageExtra, Ref } from '../model.ts';
import { markdownPath } from '../page-path.ts';
import { createFileList, type FileGroup, type FileList } from '../publish/site-files.ts';
import { LATEST_SLUG } from '../refs/version-slug.ts';
import { SEARCH_MANIFEST, type SearchList } from '../search/search-volume.ts';
import { buildRobots, buildSitemaps, type SitemapPage } from '../site/sitemap.ts';
import { addTranslated, buildVersionIndex } from '../site/version-index.ts';
import type { Language } from '../source/languages.ts';
import type { Page } from '../source/pages/collect-pages.ts';
import { presentNotices, type TranslationBoard } from '../translations/translation-board.ts';
import { createPageFinder, placeTheme } from './navigation/place-header.ts';
import { type ChangedVersion, type ChangesFrame, planChangesFiles } from './plan-changes.ts';
import type { PlannedHistory } from './plan-history.ts';
import type { PlannedSearch } from './plan-search.ts';
import type { PlannedBoard } from './plan-translations.ts';
import { type ListedPage, LLMS_FILE, writeLlms } from './releases/llms.ts';
import { createPathRegistry } from './releases/path-registry.ts';
import { releaseGroup } from './releases/published-versions.ts';
import { isForSearchEngines, type Site } from './site.ts';
import type { VersionNotes } from './versions/build-notes.ts';

export interface ReleasedVersion {
  readonly ref: Ref;
  /** For readers. */
  readonly name: string;
  readonly slug: string;
  readonly languages: readonly string[];
  readonly moved: VersionNotes['moved'] | undefined;
}

/** The releases of a site, to which the files outside them refer. */
export interface PlannedReleases {
  /** In readers' order, the latest first. */
  readonly versions: readonly ReleasedVersion[];
  /** The files of each release, see `releaseGroup`. */
  readonly groups: ReadonlyMap<string, FileGroup>;
  /** Of the latest version, see `VersionNotes`. */
  readonly unlisted: VersionNotes['unlisted'];
  readonly extras: ReadonlySet<PageExtra>;
  readonly search: Pick<PlannedSearch, 'files' | 'manifest'>;
  /** The pages of the latest version by language. */
  readonly pages: Readonly<Record<string, SearchList>>;
  readonly history: Pick<PlannedHistory, 'files' | 'lines' | 'notes'>;
  /** By language code. */
  readonly changes: ReadonlyMap<string, readonly ChangedVersion[]>;
  /** How translations stand; none in a site with one language. */
  readonly boards: readonly PlannedBoard[];
}

/** Files of the site's root, and functions that make the content of each key. */
export interface PlannedSiteFiles {
  readonly list: FileList;
  readonly producers: ReadonlyMap<string, () => string | Uint8Array | Promise<string>>;
}

/** Plans the files that belong to no version: redirects to homes, 404 pages, sitemap, robots.txt, the theme's own. */
export function planSiteFiles(site: Site, releases: PlannedReleases, gitUrl: string | undefined): PlannedSiteFiles {
  const { settings, assetsFolder, brand } = site;
  const { baseUrl, alsoBelow, single } = settings;
  const { composer, engineVersion } = site.tools;
  const files = new Map<string, string>();
  const producers = new Map<string, () => string | Uint8Array | Promise<string>>();
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
  const { extras, boards } = releases;
  const tags = single ? [] : site.languages.map(({ tag }) => tag);
  const needs = { extras, hasBoards: boards.length > 0, tags };
  for (const { name, bytes } of composer.themeFiles(needs)) add(assetsFolder + name, bytes);
  for (const { name, bytes } of listBrandFiles(brand)) add(assetsFolder + name, bytes);
  for (const { file } of brand.scripts ?? []) if (file) add(SCRIPTS_FOLDER + file.name, file.bytes);
  add(assetsFolder + SEARCH_MANIFEST, releases.search.manifest);
  for (const [name, key] of releases.search.files) files.set(assetsFolder + name, key);
  for (const [name, key] of releases.history.files) files.set(assetsFolder + name, key);
  addVersionIndex(buildIndex(site, releases, gitUrl));
  // The folders of 404 pages, and the root that their URLs begin with; a site that is served below a path, too, has two.
  const root = baseUrl === undefined || alsoBelow !== undefined ? '/' : new URL(baseUrl).pathname;
  const roots: (readonly [folder: string, base: string])[] = [['', root]];
  if (alsoBelow !== undefined) roots.push([`${assetsFolder}below/`, alsoBelow]);
  for (const [index, { language, slug }] of listHomes(site, releases).entries()) {
    const home = pageAddress(site.releasePath(language.code, slug));
    const text = { tag: language.tag, dir: language.dir };
    for (const [folder, base] of roots) {
      const { theme, header } = placeTheme(
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
      const make = ({ boards: links, ...rest }: typeof model): string =>
        composer.composeList({
          ...rest,
          boards: links.map(({ key, ...link }) => ({
            ...link,
            percent: percentOf(boards.find((one) => one.key === key)!),
          })),
        });
      compose([site.listPath(language.code)], model, ['list', make]);
    }
    if (site.theme('./').switches?.hasVersions) {
      const frame = (siteRoot: string) => frameChanges(site, { language, slug }, siteRoot);
      const versions = releases.changes.get(language.code) ?? [];
      for (const { path, key, produce } of planChangesFiles(site, language, { versions, frame })) {
        files.set(path, key);
        producers.set(key, produce);
      }
    }
    const board = boards.find((one) => one.language === language.code);
    if (board) addBoard(board, { language, slug });
    if (single) continue;
    if (index === 0) compose(['index.html'], { url: `./${home}`, language: text }, redirect);
    compose([`${language.code}/index.html`], { url: `./${encodeURIComponent(slug)}/`, language: text }, redirect);
  }
  if (baseUrl !== undefined) {
    const pages = listSitemapPages(site, releases.unlisted, baseUrl);
    for (const [name, xml] of buildSitemaps(pages, baseUrl)) add(name, xml);
  }
  if (settings.machines !== false) add(LLMS_FILE, listForPrograms(site, releases));
  add('robots.txt', buildRobots(baseUrl === undefined ? undefined : `${baseUrl}sitemap.xml`));
  const list = createFileList(files);

  /** The counts of boards are added when the file is made: most boards of a preview are never looked at. */
  function addVersionIndex(index: string): void {
    if (boards.length === 0) {
      add('versions.json', index);
      return;
    }
    const key = contentKey('version-index', index, ...boards.map((board) => board.key));
    files.set('versions.json', key);
    const listPercents = (board: PlannedBoard) =>
      Object.fromEntries(board.make().versions.map(({ name, percent }) => [name, percent]));
    producers.set(key, () =>
      addTranslated(index, Object.fromEntries(boards.map((board) => [board.language, listPercents(board)]))),
    );
  }

  function addBoard(planned: PlannedBoard, home: LanguageHome): void {
    const { key: board, make, language: code } = planned;
    const { page, data, notices, badge } = site.boardPaths(code);
    const edits = listEditUrls(site, code);
    const edited = once(() => addEditUrls(make(), new Map(edits)));
    compose([data], { board, edits }, ['board-data', () => JSON.stringify(edited())]);
    const latest = releases.versions[0]!.slug;
    compose([notices], { board, latest }, ['notices', () => presentNotices(make(), latest)]);
    const frame = frameBoard(site, home);
    const composePage = (): string =>
      composer.composeBoard({ ...frame, versions: make().versions, rows: listBoardRows(site, edited(), home) });
    compose([page], { frame, data: files.get(data) }, ['board', composePage]);
    const draw = (): Promise<string> => drawBadge({ label: code, ...describeShare(percentOf(planned)) });
    compose([badge], { board }, ['badge', draw]);
  }

  return { list: single ? withoutTaken(list, releases.groups.values()) : list, producers };
}

/** Returns the list of the pages of `latest` in the default language, and of the lists of all other releases. */
function listForPrograms(site: Site, { versions, groups, pages: lists }: PlannedReleases): string {
  const [{ code }, ...others] = site.languages as readonly [Language, ...Language[]];
  const [latest, ...older] = versions as readonly [ReleasedVersion, ...ReleasedVersion[]];
  const words = findMessages(site.languages[0]!.tag);
  const has = (language: string, slug: string, path: string): boolean =>
    groups.get(releaseGroup(language, slug))?.list.files.some(([own]) => own === path) === true;
  const published = new Set(groups.get(releaseGroup(code, latest.slug))?.list.files.map(([path]) => path));
  const release = (language: string, slug: string): string => site.releasePath(language, slug);
  const pages = (lists[code]?.pages ?? []).flatMap(({ path, title, isHidden }): readonly ListedPage[] => {
    const file = markdownPath(path);
    const place = release(code, LATEST_SLUG);
    return published.has(file) && !isHidden
      ? [{ address: path, path: place + file, title, description: undefined }]
      : [];
  });
  const listsOf = (language: string, some: readonly ReleasedVersion[], titleOf: (version: ReleasedVersion) => string) =>
    some
      .filter(({ slug }) => has(language, slug, LLMS_FILE))
      .map((version) => {
        const slug = version === latest ? LATEST_SLUG : version.slug;
        const path = release(language, slug) + LLMS_FILE;
        return { address: path, path, title: titleOf(version), description: undefined };
      });
  const sections = [
    { title: '', pages },
    {
      title: words.switches.languages,
      pages: others.flatMap(({ code: own, tag }) => listsOf(own, [latest], () => languageName(tag, tag))),
    },
    { title: words.switches.versions, pages: listsOf(code, older, ({ name }) => name) },
  ];
  return writeLlms(
    sections.filter(({ pages: some }) => some.length > 0),
    { title: site.settings.title, description: undefined, pages: words.pages },
  );
}

type Template<Model> = readonly [kind: string, make: (model: Model) => string | Promise<string>];

const keysOfBytes = new WeakMap<Uint8Array, string>();

/** The theme's own files are the same bytes in all builds of a process. */
function keyOfBytes(bytes: Uint8Array): string {
  const key = keysOfBytes.get(bytes) ?? contentKey('file', bytes);
  keysOfBytes.set(bytes, key);
  return key;
}

/** A list whose boards are known by their keys. */
type PlannedList = Omit<ListModel, 'boards'> & {
  readonly boards: readonly (Omit<ListModel['boards'][number], 'percent'> & Pick<PlannedBoard, 'key'>)[];
};

/** Describes the page that lists the versions of a language and all languages, which the header leads to without JavaScript. */
function createListModel(site: Site, releases: PlannedReleases, { language, slug }: LanguageHome): PlannedList {
  const { settings, assetsFolder, listPath, releasePath } = site;
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
    home,
    assets: siteRoot + assetsFolder,
    ...placeTheme(site, { siteRoot, language }, createPageFinder(pagesOf(site, { language, slug }), home)),
    language: { tag: language.tag, dir: language.dir },
    changes: site.theme('./').switches?.hasVersions ? siteRoot + site.changesPath(language.code) : undefined,
    branches: settings.single ? [] : links(false),
    tags: settings.single ? [] : links(true),
    languages: listHomes(site, releases).map(({ language: { code, tag, dir }, slug }) => ({
      tag,
      dir,
      url: place(code, slug),
    })),
    boards: releases.boards.map(({ language: code, key }) => {
      const { tag, dir } = site.languages.find((one) => one.code === code)!;
      return { tag, dir, url: siteRoot + site.boardPaths(code).page, key };
    }),
  };
}

/** Returns how much of the latest version readers find. */
function percentOf({ make }: PlannedBoard): number {
  return make().versions[0]!.percent;
}

/** Returns where the pages of the latest version can be edited, by their paths. */
function listEditUrls(site: Site, code: string): readonly (readonly [path: string, url: string])[] {
  const pages = site.latest.find(({ language }) => language.code === code)?.pages ?? [];
  return pages.flatMap((page) => {
    const url = site.editPage(page);
    return url === undefined ? [] : [[page.output, url] as const];
  });
}

function addEditUrls(board: TranslationBoard, edits: ReadonlyMap<string, string>): TranslationBoard {
  return {
    ...board,
    pages: board.pages.map((page) => {
      const edit = edits.get(page.path);
      return edit === undefined ? page : { ...page, edit };
    }),
  };
}

/** Describes what is around a board; it comes with the pages of the first version. */
function frameBoard(site: Site, { language, slug }: LanguageHome): Omit<BoardModel, 'rows' | 'versions'> {
  const { assetsFolder, listPath, releasePath, languages } = site;
  const paths = site.boardPaths(language.code);
  const siteRoot = rootOfBoard(site, language);
  const home = siteRoot + pageAddress(releasePath(language.code, slug));
  const [{ code: original, tag, dir }] = languages as readonly [Language, ...Language[]];
  const releases = (code: string): string => siteRoot + releasePath(code, '{slug}');
  return {
    language: { tag: language.tag, dir: language.dir },
    original: { tag, dir },
    ...placeTheme(site, { siteRoot, language }, createPageFinder(pagesOf(site, { language, slug }), home)),
    home,
    list: siteRoot + listPath(language.code),
    assets: siteRoot + assetsFolder,
    data: siteRoot + paths.data,
    places: { own: releases(language.code), original: releases(original) },
  };
}

function rootOfBoard(site: Site, { code }: Language): string {
  return '../'.repeat(site.boardPaths(code).page.split('/').length - 1);
}

/** Lists the pages of a board's first version; what there is to do stands first. */
function listBoardRows(site: Site, board: TranslationBoard, { language }: LanguageHome): readonly BoardRow[] {
  const siteRoot = rootOfBoard(site, language);
  const [first] = board.versions as readonly [TranslationBoard['versions'][number]];
  const place = (code: string, path: string): string =>
    siteRoot + pageAddress(site.releasePath(code, first.slug)) + pageAddress(path);
  const compare = (url: string, version: string): string => `${url}?compare=${encodeURIComponent(version)}`;
  const rows = board.pages.flatMap(({ path, original: from = path, title, edit, states }): readonly BoardRow[] => {
    const found = states.find(({ versions }) => versions[0] === 0);
    if (!found) return [];
    const { state, since = '', inStep, amount, sections = [] } = found;
    const original = place(board.original, from);
    return [
      {
        title,
        url: place(board.language, path),
        state,
        since,
        amount,
        compare: inStep === undefined ? undefined : compare(original, inStep),
        edit,
        sections: sections.map(({ state, id, heading, inStep: last }) => {
          const isShown = state !== 'missing' && last !== undefined;
          const anchor = id === '' || state === 'removed' ? '' : `#${encodeURIComponent(id)}`;
          return { state, heading, url: (isShown ? compare(original, last) : original) + anchor };
        }),
      },
    ];
  });
  const rank = ({ state }: BoardRow): number => ['missing', 'behind', 'current'].indexOf(state);
  return rows.sort((a, b) => rank(a) - rank(b));
}

/** Describes what pages about versions show around their content, from where `siteRoot` leads to the site's root. */
function frameChanges(site: Site, { language, slug }: LanguageHome, siteRoot: string): ChangesFrame {
  const home = siteRoot + pageAddress(site.releasePath(language.code, slug));
  return {
    home,
    assets: siteRoot + site.assetsFolder,
    ...placeTheme(site, { siteRoot, language }, createPageFinder(pagesOf(site, { language, slug }), home)),
    language: { tag: language.tag, dir: language.dir },
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
      if (!isForSearchEngines(page) || replaced.has(page.output)) continue;
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

/** Returns `versions.json` for a site whose releases are planned, but for what boards say. */
function buildIndex(
  { settings, languages }: Site,
  { versions, groups, history }: PlannedReleases,
  gitUrl: string | undefined,
): string {
  /** Versions with equal files share a list. */
  const listed = new Map<string, readonly string[]>();
  return buildVersionIndex({
    title: settings.title,
    gitUrl: settings.hideGit ? undefined : gitUrl,
    latest: versions[0]!.name,
    single: settings.single,
    languages: languages.map(({ code }) => code),
    tags: Object.fromEntries(languages.map(({ code, tag }) => [code, tag])),
    versions: versions.map(({ ref, name, slug, languages: codes, moved }) => ({
      name,
      ref: ref.name,
      kind: ref.kind,
      slug,
      pages: new Map(codes.map((code) => [code, listPages(groups.get(releaseGroup(code, slug))!.list)])),
      moved: new Map(Object.entries(moved ?? {})),
    })),
    bases: history.lines.bases,
    history: new Map(Object.entries(history.notes)),
  });

  function listPages({ id, files }: FileList): readonly string[] {
    const pages = listed.get(id) ?? files.map(([path]) => path).filter((path) => path.endsWith('.html'));
    listed.set(id, pages);
    return pages;
  }
}
