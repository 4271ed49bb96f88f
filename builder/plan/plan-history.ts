import {
  bucketOfPath,
  createRoute,
  findBase,
  historyFile,
  type PageVersions,
  type VersionMoves,
} from '../../lib/follow-page.ts';
import { once } from '../../lib/once.ts';
import { contentKey } from '../cache/content-key.ts';
import { pageAddress } from '../compose/navigation.ts';
import { compareReleases } from '../history/compare-releases.ts';
import { listEvents, type PageEvent, presentEvents } from '../history/page-events.ts';
import type { PageOutline } from '../history/page-outline.ts';
import type {
  LanguageHistory,
  OutlineOf,
  ReleaseChanges,
  ReleasePage,
  ReleasePages,
} from '../history/release-changes.ts';
import { arrangeVersions, type VersionLines } from '../history/version-lines.ts';
import type { Ref } from '../model.ts';
import { createFileList, type FileGroup, type FileList, type SiteFiles } from '../publish/site-files.ts';
import { LATEST_SLUG } from '../refs/version-slug.ts';
import type { SearchList } from '../search/search-volume.ts';
import type { SearchEntries } from './pages/search-entries.ts';
import { createRedirect } from './releases/compose-later.ts';
import { createPathRegistry, type PathRegistry } from './releases/path-registry.ts';
import type { Site } from './site.ts';
import { type BuildNotes, type HistoryNotes, own } from './versions/build-notes.ts';

/** A version of the site with its pages by language code. */
export interface HistoryVersion {
  readonly ref: Ref;
  /** For readers. */
  readonly name: string;
  readonly slug: string;
  readonly search: Readonly<Record<string, SearchList>>;
}

/** Compares releases, of which the results are remembered, also by later builds. */
export interface ReleaseComparer {
  readonly compare: (older: ReleasePages, newer: ReleasePages) => ReleaseChanges;
  /** Returns undefined also for a page whose text the cache has dropped. */
  readonly outlineOf: OutlineOf;
  /** Returns whether no text was missing so far. */
  readonly isWhole: () => boolean;
}

export function createComparer(
  entries: Pick<SearchEntries, 'has' | 'outline' | 'findChanges' | 'keepChanges'>,
): ReleaseComparer {
  const isDropped = ({ key }: ReleasePage): boolean => key !== '' && !entries.has(key);
  const outlineOf = (page: ReleasePage): PageOutline | undefined =>
    page.key === '' || isDropped(page) ? undefined : entries.outline(page.key, page.lead ?? '');
  let isAllWhole = true;
  return {
    outlineOf,
    isWhole: () => isAllWhole,
    compare(older, newer) {
      const known = entries.findChanges(older.id, newer.id);
      if (known) return known;
      let isWhole = true;
      const changes = compareReleases(older, newer, (page) => {
        isWhole &&= !isDropped(page);
        return outlineOf(page);
      });
      isAllWhole &&= isWhole;
      return isWhole ? entries.keepChanges(older.id, newer.id, changes) : changes;
    },
  };
}

export interface PlannedHistory {
  readonly lines: VersionLines;
  /** By language code; what is asked of one is worked out then. */
  readonly languages: ReadonlyMap<string, LanguageHistory>;
  readonly notes: BuildNotes['history'];
  /** Content keys of the published files, by their names among the theme's own. */
  readonly files: ReadonlyMap<string, string>;
  readonly produce: ReadonlyMap<string, () => string>;
  /** Files that lead to where pages went, by the names of their groups, and the names of the versions that have them. */
  readonly moved: ReadonlyMap<string, FileGroup & { readonly ref: string }>;
}

/** Moves from a version's base that are published, of each kind. */
const MAX_MOVES = 2_000;
/** Pages of a release that lead to where other pages went. */
const MAX_LEADING = 1_000;

/**
 * Plans the history of all pages. A language in which nothing changed is taken over, and what is worked out for two releases is remembered:
 * a page that changes in one version costs one comparison.
 */
export function planHistory(
  site: Site,
  /** In readers' order, the latest first. */
  versions: readonly HistoryVersion[],
  options: {
    /** Name of the default branch's ref. */
    readonly defaultBranch: string | undefined;
    /** The published site and the notes of the build that published it. */
    readonly previous: { readonly notes: BuildNotes; readonly site: SiteFiles } | undefined;
    /** Returns the files of a release; undefined where there is none. */
    readonly findGroup: (code: string, slug: string) => FileGroup | undefined;
  },
): PlannedHistory {
  const { previous, findGroup } = options;
  const comparer = createComparer(site.tools.searchEntries);
  const produce = new Map<string, () => string>();
  const found = new Map(versions.map((version) => [version.name, version]));
  const lines = nameLines(versions, options.defaultBranch);
  const languages = new Map(site.languages.map(({ code }) => [code, createLanguageHistory(code)]));
  const isAlone = site.settings.single || versions.length < 2;
  const notes = isAlone ? [] : [...languages].map(([code, history]) => [code, planLanguage(code, history)] as const);
  return {
    lines,
    languages,
    notes: Object.fromEntries(notes),
    files: new Map(notes.flatMap(([, { files }]) => files)),
    produce,
    moved: new Map(notes.flatMap(([code, own]) => planLanguageMoves(code, own))),
  };

  function createLanguageHistory(code: string): LanguageHistory {
    const lists = new Map(
      lines.order.flatMap((name) => {
        const list = own(found.get(name)!.search, code);
        return list ? [[name, list] as const] : [];
      }),
    );
    const baseOf = (name: string) =>
      findBase(
        (version) => lines.bases.get(version),
        (version) => lists.has(version),
        name,
      );
    const compare = (older: string, newer: string): ReleaseChanges =>
      comparer.compare(lists.get(older)!, lists.get(newer)!);
    return {
      versions: [...lists.keys()],
      baseOf,
      pagesOf: (name) => lists.get(name)!,
      outlineOf: comparer.outlineOf,
      compare,
      changesOf(name) {
        const base = baseOf(name);
        return base === undefined ? undefined : compare(base, name);
      },
    };
  }

  function planLanguage(code: string, history: LanguageHistory): HistoryNotes {
    const parts = history.versions.map((name) => {
      const { slug } = found.get(name)!;
      return [name, history.baseOf(name) ?? '', history.pagesOf(name).id, findGroup(code, slug)?.list.id ?? ''];
    });
    const key = contentKey(site.tools.engineVersion, JSON.stringify(parts));
    const known = previous && own(previous.notes.history, code);
    if (known?.key === key) return known;
    const events: (readonly [path: string, PageEvent])[] = [];
    const moves: [string, VersionMoves][] = [];
    for (const name of history.versions) {
      const changes = history.changesOf(name);
      if (!changes) continue;
      for (const event of listEvents(name, changes)) events.push(event);
      const own = listMoves(changes, filesOf(code, name), new Set(history.pagesOf(name).pages.map(({ path }) => path)));
      if (Object.keys(own).length > 0) moves.push([name, own]);
    }
    const { buckets, files } = presentEvents(events, bucketOfPath);
    const placed = [...files].map(([bucket, text]): readonly [string, string] => {
      const contents = contentKey('file', text);
      produce.set(contents, () => text);
      return [historyFile(code, bucket), contents];
    });
    const paths = history.versions.map((name) => {
      const { slug } = found.get(name)!;
      return [name, history.baseOf(name) ?? '', slug, idOfPaths(findGroup(code, slug)!.list)];
    });
    const pathsKey = contentKey(JSON.stringify([versions[0]!.name, moves, paths]));
    return { key: comparer.isWhole() ? key : '', pathsKey, buckets, files: placed, moves: Object.fromEntries(moves) };
  }

  function filesOf(code: string, name: string): ReadonlySet<string> {
    return pathsOf(findGroup(code, found.get(name)!.slug)!.list);
  }

  /** Plans the pages of each release that lead to where pages of other versions are in it, at the paths that they have there. */
  function planLanguageMoves(
    code: string,
    { moves, pathsKey }: HistoryNotes,
  ): readonly (readonly [string, FileGroup & { readonly ref: string }])[] {
    const paths = listMovedPaths(moves);
    if (paths.length === 0) return [];
    const history = languages.get(code)!;
    const isKnown = previous !== undefined && own(previous.notes.history, code)?.pathsKey === pathsKey;
    const { tag, dir } = site.languages.find((language) => language.code === code)!;
    const index: PageVersions = {
      baseOf: history.baseOf,
      movesOf: (name) => own(moves, name),
      has: (name, path) => filesOf(code, name).has(path),
    };
    const routesOf = new Map(history.versions.map((name) => [name, once(() => createRoute(index, name))]));
    return history.versions.flatMap((name) => {
      const { slug, ref } = found.get(name)!;
      const slugs = ref.name === versions[0]!.ref.name ? [slug, LATEST_SLUG] : [slug];
      const place = (group: FileList) =>
        slugs.map((one) => {
          const prefix = site.releasePath(code, one);
          return [`moved/${code}/${one}`, { prefix, list: group, ref: ref.name }] as const;
        });
      if (isKnown) {
        const before = previous.site.get(`moved/${code}/${slug}`);
        return before ? place(before.list) : [];
      }
      const { list } = findGroup(code, slug)!;
      const registry = once(() => claimAll(list));
      const files: (readonly [string, string])[] = [];
      const order = listNearest(history, name).map((other) => ({
        other,
        follow: once(() => routesOf.get(other)!()(name)),
      }));
      for (const path of paths) {
        if (index.has(name, path) || files.length >= MAX_LEADING || !registry().isFree(path)) continue;
        const target = order.find(({ other }) => index.has(other, path))?.follow()({ path, section: '' });
        if (!target || !registry().claim(path)) continue;
        const root = '../'.repeat(path.split('/').length - 1) || './';
        const hash = target.section === '' ? '' : `#${encodeURIComponent(target.section)}`;
        const redirect = createRedirect(site.tools, root + pageAddress(target.path) + hash, { tag, dir });
        files.push([path, redirect.key]);
        produce.set(redirect.key, redirect.make);
      }
      return files.length === 0 ? [] : place(createFileList(files));
    });
  }
}

/** Arranges versions by the names that readers know. */
function nameLines(versions: readonly HistoryVersion[], defaultBranch: string | undefined): VersionLines {
  const names = new Map(versions.map(({ ref, name }) => [ref.name, name]));
  const { order, bases } = arrangeVersions(versions, defaultBranch);
  const nameOf = (ref: string): string => names.get(ref)!;
  return {
    order: order.map(nameOf),
    bases: new Map([...bases].map(([ref, base]) => [nameOf(ref), nameOf(base)])),
  };
}

/** Returns what is published of moves; `files` and `pages` are the paths of the newer release: whatever else is there was put there by authors. */
function listMoves(
  { moved, merged, split, sections }: ReleaseChanges,
  files: ReadonlySet<string>,
  pages: ReadonlySet<string>,
): VersionMoves {
  const led = [...moved, ...merged].map(({ from }) => from).filter((path) => files.has(path) && !pages.has(path));
  const some = <T>(name: keyof VersionMoves, list: readonly T[]) =>
    list.length === 0 ? {} : { [name]: list.slice(0, MAX_MOVES) };
  return {
    ...some(
      'moved',
      moved.map(({ from, to }) => [from, to] as const),
    ),
    ...some(
      'merged',
      merged.map(({ from, to, section }) => [from, to, section] as const),
    ),
    ...some(
      'split',
      split.map(({ from, section, to }) => [from, section, to] as const),
    ),
    ...some(
      'sections',
      sections.map(({ from, fromSection, to, toSection }) => [from, fromSection, to, toSection] as const),
    ),
    ...some('led', led),
  };
}

/** Returns all paths that a page has left, or has come to, in any version. */
function listMovedPaths(moves: HistoryNotes['moves']): readonly string[] {
  const paths = new Set<string>();
  for (const { moved = [], merged = [], split = [] } of Object.values(moves)) {
    for (const [from, to] of moved) for (const path of [from, to]) paths.add(path);
    for (const [from] of merged) paths.add(from);
    for (const [, , to] of split) paths.add(to);
  }
  return [...paths].sort();
}

/** Returns the other versions, those first that a version follows, the nearest first; then the rest, the newest first. */
function listNearest({ versions, baseOf }: LanguageHistory, name: string): readonly string[] {
  const before = new Set<string>();
  for (let base = baseOf(name); base !== undefined; base = baseOf(base)) before.add(base);
  return [...before, ...[...versions].reverse().filter((other) => other !== name && !before.has(other))];
}

const pathSets = new WeakMap<FileList, ReadonlySet<string>>();

function pathsOf(list: FileList): ReadonlySet<string> {
  const paths = pathSets.get(list) ?? new Set(list.files.map(([path]) => path));
  pathSets.set(list, paths);
  return paths;
}

const idsOfPaths = new WeakMap<FileList, string>();

function idOfPaths(list: FileList): string {
  const id = idsOfPaths.get(list) ?? contentKey(list.files.map(([path]) => path).join('\0'));
  idsOfPaths.set(list, id);
  return id;
}

function claimAll({ files }: FileList): PathRegistry {
  const registry = createPathRegistry();
  for (const [path] of files) registry.claim(path);
  return registry;
}
