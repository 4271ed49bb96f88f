import type { SourceError, Warning } from '../../model.ts';
import type { FileList } from '../../publish/site-files.ts';
import type { SearchList } from '../../search/search-volume.ts';
import type { LanguagePages, SourceTree } from '../../source/pages/collect-pages.ts';
import { PROJECT_FILE_NAME } from '../../source/project-file.ts';
import type { Untranslated } from '../build-summary.ts';
import { checkNav, listMissing, placeGeneratorNavigation, placeNav } from '../navigation/place-navigation.ts';
import type { NavigationBuilder } from '../navigation/release-navigation.ts';
import type { RenderedVersion } from '../pages/render-versions.ts';
import type { ReleaseNotes, VersionNotes } from '../versions/build-notes.ts';
import { noPagesWarning } from '../versions/missing-source.ts';
import { checkHeader } from './check-header.ts';
import { placeRedirects } from './path-registry.ts';
import { type PlannedRelease, planRelease } from './plan-release.ts';
import { createReleaseKeys } from './release-key.ts';
import { listSearchPages } from './release-search.ts';
import type { VersionScope } from './version-scope.ts';

/** A version as it is published now. */
export interface PublishedVersion {
  readonly notes: VersionNotes;
  /** Returns the files of one language. */
  readonly findList: (code: string) => FileList | undefined;
}

/** A version's releases by language code. */
export interface PlannedVersion {
  readonly releases: ReadonlyMap<string, PlannedRelease>;
  readonly pages: number;
  readonly fallbacks: number;
  readonly untranslated: readonly Untranslated[];
  readonly errors: readonly SourceError[];
  readonly warnings: readonly Warning[];
  readonly releaseNotes: Readonly<Record<string, ReleaseNotes>>;
  readonly unlisted: VersionNotes['unlisted'];
  readonly moved: VersionNotes['moved'];
  readonly extras: VersionNotes['extras'];
  readonly named: VersionNotes['named'];
  /** Pages that readers may search for, by language code. */
  readonly search: Readonly<Record<string, SearchList>>;
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
  const keyOf = createReleaseKeys(version, own.navigation);
  const keys = new Map(tree.languages.map((language) => [language.language.code, keyOf(language)]));
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
    search[code] = known ? published!.notes.search[code]! : listSearchPages(language, rendered);
  }
  const navProblems = project.nav
    ? checkNav(project.nav, tree).map((note) => ({ ...note, file: PROJECT_FILE_NAME }))
    : listMissing([...placed.values()]);
  const problems: readonly Warning[] =
    tree.languages.length === 0
      ? [noPagesWarning(source, tree, site.languages)]
      : [
          ...navProblems.map((problem) => ({ ...problem, ref, code: 'dead-link' as const })),
          ...own.notes.map((note) => ({ ...note, ref, code: 'navigation' as const })),
          ...(await checkHeader(version)),
        ];
  const warnings = collectWarnings(ref, { source, tree, rendered }, releases.values(), problems);
  const places = new Map(warnings.map((warning, at) => [identify(warning), at]));
  return {
    releases,
    releaseNotes: Object.fromEntries(
      [...releases].map(([code, release]) => [
        code,
        { key: keys.get(code)!.key, warnings: release.warnings.map((warning) => places.get(identify(warning))!) },
      ]),
    ),
    pages: [...tree.languages].reduce((sum, { pages, fallbacks }) => sum + pages.length - fallbacks, 0),
    fallbacks: tree.languages.reduce((sum, { fallbacks }) => sum + fallbacks, 0),
    untranslated: listUntranslated(version),
    errors: collectErrors(ref, { source, rendered }),
    unlisted: collectReplaced(tree, rendered),
    moved: collectMoved(tree),
    extras: collectExtras(rendered),
    named: version.links.named.length > 0 ? version.links.named : undefined,
    search,
    isMomentary: [...rendered.values()].some((page) => page.isMomentary),
    warnings,
    portable,
  };

  function takeTwin(content: string): PlannedRelease | undefined {
    const twin = findTwin(content);
    return twin && { ...twin, producers: new Map(), warnings: twin.warnings.map((warning) => ({ ...warning, ref })) };
  }

  async function planAnew(language: LanguagePages): Promise<PlannedRelease> {
    const { redirects, problems } = placeRedirects(
      Object.entries(project.redirects ?? {}).map(([from, to]) => ({
        ...{ from, to },
        line: project.redirectLines?.[from] ?? 0,
      })),
      language.pages,
      version.claimPages(language),
    );
    const navigation = buildNavigation(language.pages, rendered, {
      generator,
      authored: project.nav && placeNav(project.nav, language.language.key, language.pages),
      placed: placed.get(language)!,
    });
    const release = await planRelease(version, { language, navigation, redirects });
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
  const add = (warning: Warning): void => {
    warnings.set(identify(warning), warning);
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
  for (const [path, page] of rendered) {
    for (const error of page.errors) errors.push({ ...error, ref, file: source.realPath(path) });
  }
  return errors.sort(comparePlaces);
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
function collectMoved({ languages: [first, ...others] }: SourceTree): VersionNotes['moved'] {
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
