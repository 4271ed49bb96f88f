import { contentKey, contentKeyOf } from '../../cache/content-key.ts';
import type { SourceError, Warning } from '../../model.ts';
import type { FileList } from '../../publish/site-files.ts';
import type { SearchList, SearchPage } from '../../search/search-volume.ts';
import type { LanguagePages, Page, SourceTree } from '../../source/pages/collect-pages.ts';
import { decodeText } from '../../source/text/decode-text.ts';
import type { Untranslated } from '../build-summary.ts';
import { createLinkResolver } from '../links/create-link-resolver.ts';
import { advisePath } from '../links/similar-paths.ts';
import { listHeaderProblems } from '../navigation/place-header.ts';
import { checkNav, listMissing, placeGeneratorNavigation, placeNav } from '../navigation/place-navigation.ts';
import { type NavigationBuilder, titlePage } from '../navigation/release-navigation.ts';
import type { RenderedVersion } from '../pages/render-versions.ts';
import type { RenderedPage } from '../pages/rendered-page.ts';
import { findProjectLine, PROJECT_FILE_NAME } from '../project-file.ts';
import type { VersionNotes } from '../versions/build-notes.ts';
import { noPagesWarning } from '../versions/missing-source.ts';
import { readProjectText } from '../versions/version-source.ts';
import { createLinkScope } from './link-scope.ts';
import { placeRedirects } from './path-registry.ts';
import { type PlannedRelease, planRelease } from './plan-release.ts';
import type { VersionScope } from './version-scope.ts';

export interface PublishedVersion {
  readonly notes: VersionNotes;
  readonly findList: (code: string) => FileList | undefined;
}

export interface PlannedVersion {
  readonly releases: ReadonlyMap<string, PlannedRelease>;
  /** The part of its notes that its pages decide. */
  readonly notes: Omit<VersionNotes, 'kind' | 'oid' | 'tree' | 'time' | 'source' | 'layout' | 'key' | 'listed'>;
  /** One of its pages may differ in the next build. */
  readonly isMomentary: boolean;
  /** Releases that any version with the same content can have, by the hashes of their content. */
  readonly portable: ReadonlyMap<string, PlannedRelease>;
}

/**
 * Plans the releases of a rendered version; unchanged ones are reused, and those that another version of this build has with the
 * same content: `findTwin` returns them by the hash of their content.
 */
export async function planVersion(
  version: VersionScope,
  buildNavigation: NavigationBuilder,
  published: PublishedVersion | undefined,
  findTwin: (content: string) => PlannedRelease | undefined,
): Promise<PlannedVersion> {
  const { site, source, tree, rendered } = version;
  const { project, generator } = source;
  const ref = source.version.ref.name;
  const own = await site.tools.readNavigation(source, version.find, tree.contents);
  const placed = new Map(
    tree.languages.map((language) => [language, placeGeneratorNavigation(own, { source, tree, language })]),
  );
  const { keysOf, placesOf } = createReleaseKeys(version, own.navigation);
  const keys = new Map(tree.languages.map((language) => [language.language.code, keysOf(language)]));
  const releases = new Map<string, PlannedRelease>();
  const portable = new Map<string, PlannedRelease>();
  const search: Record<string, SearchList> = {};
  for (const language of tree.languages) {
    const { code } = language.language;
    const { key, content } = keys.get(code)!;
    const known = findPublished(published, code, key);
    const release = known ?? takeTwin(content) ?? (await planAnew(language));
    releases.set(code, release);
    if (release.isPortable) portable.set(content, release);
    search[code] = known ? published!.notes.search[code]! : listReleasePages(language, rendered);
  }
  const idsOf = ({ file }: Page): ReadonlySet<string> | undefined => {
    const page = rendered.get(file);
    return page?.isReplaced ? undefined : page?.idSet;
  };
  const navProblems = project.nav
    ? checkNav(project.nav, tree, idsOf).map((note) => ({ ...note, file: PROJECT_FILE_NAME }))
    : listMissing([...placed.values()], { sourceFolder: source.sourceFolder, findSimilar: version.findSimilar });
  const problems: readonly Warning[] =
    tree.languages.length === 0
      ? [noPagesWarning(source, tree, site.languages)]
      : [
          ...navProblems.map((problem) => ({ ...problem, ref, code: 'dead-link' as const })),
          ...own.notes.map((note) => ({ ...note, ref, code: 'navigation' as const })),
          ...(await checkHeader(version)),
          ...(await checkNotes(version)),
        ];
  const warnings = collectWarnings(ref, { source, tree, rendered }, releases.values(), problems);
  const places = new Map(warnings.map((warning, at) => [identify(warning), at]));
  const untranslated = listUntranslated(version);
  return {
    releases,
    portable,
    isMomentary: [...rendered.values()].some((page) => page.isMomentary),
    notes: {
      languages: [...releases.keys()],
      releases: Object.fromEntries(
        [...releases].map(([code, release]) => [
          code,
          { key: keys.get(code)!.key, warnings: release.warnings.map((warning) => places.get(identify(warning))!) },
        ]),
      ),
      pages: tree.languages.reduce((sum, { pages, fallbacks }) => sum + pages.length - fallbacks, 0),
      fallbacks: tree.languages.reduce((sum, { fallbacks }) => sum + fallbacks, 0),
      untranslated: untranslated.length > 0 ? untranslated : undefined,
      errors: collectErrors(ref, { source, rendered }),
      warnings,
      unlisted: collectReplaced(tree, rendered),
      moved: collectMoved(tree),
      extras: collectExtras(rendered),
      named: version.links.named.length > 0 ? version.links.named : undefined,
      search,
    },
  };

  function takeTwin(content: string): PlannedRelease | undefined {
    const twin = findTwin(content);
    return twin && { ...twin, producers: new Map(), warnings: twin.warnings.map((warning) => ({ ...warning, ref })) };
  }

  async function planAnew(language: LanguagePages): Promise<PlannedRelease> {
    const { claims, markdown } = version.claimPages(language);
    const { redirects, problems } = placeRedirects(
      Object.entries(project.redirects ?? {}).map(([from, to]) => ({
        from,
        to,
        line: project.redirectLines?.[from] ?? 0,
      })),
      language.pages,
      claims,
    );
    const navigation = buildNavigation(language.pages, rendered, {
      generator,
      authored: project.nav && placeNav(project.nav, language.language.key, language.pages),
      placed: placed.get(language)!,
    });
    const release = await planRelease(version, {
      language,
      navigation,
      redirects,
      markdown,
      places: placesOf(language),
    });
    const leftOut = problems.map(({ page, line, message }) =>
      page
        ? { ref, file: source.realPath(page.file), line, code: 'duplicate-page' as const, message }
        : { ref, file: PROJECT_FILE_NAME, line, code: 'project-file' as const, message },
    );
    return { ...release, warnings: [...release.warnings, ...leftOut] };
  }
}

/** Number of pages that are named for each language. */
const NAMED_PAGES = 100;

function listUntranslated({ source, tree }: Pick<RenderedVersion, 'source' | 'tree'>): readonly Untranslated[] {
  const { name: ref, kind } = source.version.ref;
  if (kind === 'tag') return [];
  return tree.languages.flatMap(({ language, pages }) => {
    const missing = pages.filter(({ isFallback, meta }) => isFallback && meta.redirectTo === undefined);
    const files = missing.slice(0, NAMED_PAGES).map(({ file }) => source.realPath(file));
    return missing.length === 0
      ? []
      : [{ ref, language: language.code, pages: missing.length, of: pages.length, files }];
  });
}

/** Returns the published release if everything it depends on is unchanged. */
function findPublished(published: PublishedVersion | undefined, code: string, key: string): PlannedRelease | undefined {
  if (!published || !Object.hasOwn(published.notes.releases, code)) return undefined;
  const notes = published.notes.releases[code]!;
  const list = notes.key === key ? published.findList(code) : undefined;
  const warnings = notes.warnings.map((at) => published.notes.warnings[at]!);
  return list && { list, producers: new Map(), warnings, isPortable: false };
}

function collectWarnings(
  ref: string,
  { source, tree, rendered }: Pick<RenderedVersion, 'source' | 'tree' | 'rendered'>,
  releases: Iterable<PlannedRelease>,
  problems: readonly Warning[],
): readonly Warning[] {
  const warnings = new Map<string, Warning>();
  const lineOf = createLineReader(source);
  const add = (warning: Warning): void => {
    const line = lineOf(warning.file, warning.line);
    warnings.set(identify({ ...warning, line }), line === warning.line ? warning : { ...warning, line });
  };
  for (const warning of source.listing.warnings) add({ ...warning, ref });
  for (const warning of tree.warnings) add({ ...warning, ref, file: source.realPath(warning.file) });
  for (const [file, page] of rendered) {
    for (const warning of page.warnings) add({ ...warning, ref, file: source.realPath(file) });
  }
  for (const release of releases) release.warnings.forEach(add);
  problems.forEach(add);
  return [...warnings.values()].sort(comparePlaces);
}

function collectErrors(
  ref: string,
  { source, rendered }: Pick<RenderedVersion, 'source' | 'rendered'>,
): readonly SourceError[] {
  const errors: SourceError[] = source.errors.map((error) => ({ ...error, ref }));
  const lineOf = createLineReader(source);
  for (const [path, page] of rendered) {
    const file = source.realPath(path);
    for (const error of page.errors) errors.push({ ...error, ref, file, line: lineOf(file, error.line) });
  }
  return errors.sort(comparePlaces);
}

/** The lines of a page that an extension made are not those of the file that it is made from. */
function createLineReader({ listing, realPath }: RenderedVersion['source']): (file: string, line: number) => number {
  const made = listing.files.filter(({ isMade }) => isMade);
  if (made.length === 0) return (_, line) => line;
  const files = new Set(made.map(({ path }) => realPath(path)));
  return (file, line) => (files.has(file) ? 0 : line);
}

function collectReplaced({ languages }: SourceTree, rendered: RenderedVersion['rendered']): VersionNotes['unlisted'] {
  const replaced = languages.map(({ language, pages }) => {
    const own = pages.filter(({ file, isFallback }) => !isFallback && rendered.get(file)!.isReplaced);
    return [language.code, own.map(({ output }) => output)] as const;
  });
  const found = replaced.filter(([, outputs]) => outputs.length > 0);
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

/** Returns the translations whose URLs differ from those of their originals. */
export function collectMoved({ languages: [first, ...others] }: SourceTree): VersionNotes['moved'] {
  if (first === undefined || others.length === 0) return undefined;
  const originals = new Map(first.pages.map(({ place, output }) => [place, output]));
  const moved = others.map(({ language, pages }) => {
    const pairs = pages.flatMap(({ place, output }) => {
      const original = originals.get(place);
      return original === undefined || original === output ? [] : [[output, original] as const];
    });
    return [language.code, pairs] as const;
  });
  const found = moved.filter(([, pairs]) => pairs.length > 0);
  return found.length > 0
    ? Object.fromEntries(found.map(([code, pairs]) => [code, Object.fromEntries(pairs)]))
    : undefined;
}

function collectExtras(rendered: RenderedVersion['rendered']): VersionNotes['extras'] {
  const extras = new Set([...rendered.values()].flatMap((page) => page.extras));
  return extras.size > 0 ? [...extras].sort() : undefined;
}

type Place = Pick<Warning, 'file' | 'line' | 'message'>;

function comparePlaces(a: Place, b: Place): number {
  return (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || (a.message < b.message ? -1 : 1);
}

function identify({ file, line, code, message }: Warning): string {
  return `${file}\0${line}\0${code}\0${message}`;
}

/**
 * Returns what is wrong with the links of the header and of the footer in the default language. Only the version that the settings come from is
 * asked: older ones need not have all pages.
 */
async function checkHeader(version: VersionScope): Promise<readonly Warning[]> {
  const { site, source, tree } = version;
  const { ref } = source.version;
  const [main] = tree.languages;
  if (!main || site.settledBy !== ref.name || !(site.settings.theme.links || site.settings.theme.footer)) return [];
  const { language, pages } = main;
  const shown = new Map(pages.map((page) => [page.output, page]));
  const resolve = createLinkResolver(createLinkScope(version, { language, shown }, language.key));
  const folder = version.languageFolder(language.key);
  const place = { folder, languageFolder: folder, root: './', siteRoot: './', ids: new Set<string>() };
  const problems = listHeaderProblems(
    site,
    (url) => {
      const { problem } = resolve({ kind: 'link', url, line: 0 }, place);
      return problem ? undefined : url;
    },
    (url) => {
      const [path = ''] = url.split(/[?#]/, 1);
      const wanted = folder + path.replace(/^\.?\/+/, '');
      return advisePath(path, { wanted, folder, find: version.findSimilar });
    },
  );
  const { rootTree } = source.version;
  const text = problems.length > 0 ? await readProjectText(site.tools.reader, rootTree) : '';
  return Promise.all(
    problems.map(async ({ path, code, message }) => {
      const line = await findProjectLine(text, path);
      return { ref: ref.name, file: PROJECT_FILE_NAME, line, code, message };
    }),
  );
}

/** Checks what pages say of their age by themselves, in the version that can be mended: the one that the settings come from. */
async function checkNotes(version: VersionScope): Promise<readonly Warning[]> {
  const { site, badges, source, tree, rendered } = version;
  const ref = source.version.ref.name;
  if (!badges || site.settledBy !== ref) return [];
  const warnings: Warning[] = [];
  for (const { language, pages } of tree.languages) {
    for (const { file, oid, output, isFallback } of pages) {
      const { key, isReplaced } = rendered.get(file)!;
      if (isFallback || isReplaced) continue;
      const decoded = decodeText(await site.tools.reader.readBlob(oid));
      if (!('text' in decoded)) continue;
      const { sections } = site.tools.searchEntries.outline(key, '');
      for (const problem of badges.check(ref, language.code, { path: output, text: decoded.text, sections })) {
        warnings.push({ ref, file: source.realPath(file), code: 'since', ...problem });
      }
    }
  }
  return warnings;
}

/** Hashes of a release. */
interface ReleaseKeys {
  /** Of everything. */
  readonly key: string;
  /** Of everything but which version it is. */
  readonly content: string;
}

/**
 * Returns functions that hash everything a language's release depends on: its own rendered pages, the locations and
 * anchors of all other pages, and the content of every other file; and that without the text of its own pages, which
 * decides where their links lead. `navigation` is what the generator's own files contain; plain data.
 */
function createReleaseKeys(
  { site, slug, source, tree, rendered, outside, links, dateOf, badges }: VersionScope,
  navigation: unknown,
): {
  readonly keysOf: (language: LanguagePages) => ReleaseKeys;
  readonly placesOf: (language: LanguagePages) => string;
} {
  const files: string[] = [];
  for (const [path, { oid, origin, isLeftOut, isLinked }] of tree.files) {
    const page = tree.pageOfFile.get(path);
    const text = rendered.get(path);
    const anchors = text && describeAnchors(text);
    files.push(path, page && anchors !== undefined ? `${page.output}\0${anchors}` : oid);
    if (origin !== undefined || isLeftOut) files.push(`${origin}`, `${isLeftOut}`, `${isLinked}`);
  }
  const shared = contentKey(
    site.key,
    JSON.stringify([
      source.sourceFolder,
      source.generator,
      source.statics,
      source.site?.bases,
      source.site?.aliases,
      source.site?.hasPageFolders,
      source.project,
      [...source.layout.folders],
    ]),
    tree.languages.map(({ language }) => JSON.stringify(language)).join('\n'),
    files.join('\0'),
    JSON.stringify(navigation) ?? '',
    [...outside.files].flat().join('\0'),
    [...outside.folders].join('\0'),
    links.named.flat().join('\0'),
  );
  const keysOf = ({ language, pages }: LanguagePages): ReleaseKeys => {
    const content = contentKey(
      shared,
      language.key,
      badges?.keyOf(source.version.ref.name, language.code) ?? '',
      pages
        .map(({ file, oid, output, isFallback }) =>
          [file, output, isFallback, rendered.get(file)!.key, dateOf(source.realPath(file), oid)].join('\0'),
        )
        .join('\0'),
    );
    return { content, key: contentKey(content, slug, source.version.ref.name) };
  };
  const placesOf = ({ language, pages }: LanguagePages): string => {
    const places = pages.flatMap(({ file, output, place, isFallback, meta }) => {
      return [file, output, place, isFallback, meta.title ?? rendered.get(file)!.title];
    });
    return contentKey(shared, slug, language.key, places.join('\0'));
  };
  return { keysOf, placesOf };
}

/** The anchors of pages as a text: versions share pages, and a build takes most from the one before. */
const anchorsOf = new WeakMap<RenderedPage, string>();

function describeAnchors(page: RenderedPage): string {
  const anchors = anchorsOf.get(page) ?? (page.isReplaced ? '?' : contentKeyOf(page.ids));
  anchorsOf.set(page, anchors);
  return anchors;
}

/** Returns the pages of a release; those that only lead elsewhere are none. */
export function listReleasePages({ pages }: LanguagePages, rendered: ReadonlyMap<string, RenderedPage>): SearchList {
  const found = pages.flatMap((page): readonly SearchPage[] => {
    const text = rendered.get(page.file)!;
    const { isSearchable, visibility, redirectTo } = page.meta;
    if (redirectTo !== undefined) return [];
    const isHidden = !isSearchable || visibility !== 'listed' || text.isReplaced;
    return [
      {
        path: page.output,
        title: titlePage(page, text),
        key: text.isReplaced ? '' : text.key,
        lead: leadOf(page),
        ...(isHidden && { isHidden }),
        ...(page.isFallback && { isFallback: true }),
      },
    ];
  });
  const parts = found.map(({ path, title, key, lead, isHidden, isFallback }) =>
    [path, title, key, lead, isHidden ? 'hidden' : '', isFallback ? 'fallback' : ''].join('\0'),
  );
  return { id: contentKey(parts.join('\n')), pages: found };
}

function leadOf({ meta: { layout, hero, features } }: Page): string {
  if (layout !== 'home') return '';
  const texts = [hero?.name, hero?.text, hero?.tagline, ...features.flatMap(({ title, details }) => [title, details])];
  return texts.filter(Boolean).join(' · ');
}
