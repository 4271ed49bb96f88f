import type { VersionMoves } from '../../../lib/follow-page.ts';
import type { PageExtra, Ref, SourceError, Warning } from '../../model.ts';
import { sortVersions } from '../../refs/sort-versions.ts';
import type { SearchList } from '../../search/search-volume.ts';
import type { BuildSummary, Untranslated, UsedSource } from '../build-summary.ts';
import { describeMissing } from './missing-source.ts';
import type { MissingSource, StoredLayout, StoredSource, Version } from './version-source.ts';

/** The notes of a build for the next one, stored beside the published files as JSON. */
export interface BuildNotes {
  readonly format: 8;
  /** Hash of all external inputs of the build: engine, options, all refs. Equal = nothing to do. */
  readonly inputs: string;
  /** Hash of engine and settings; what is known of versions is valid only while it is unchanged. */
  readonly settingsKey: string;
  /** Errors and warnings are those of the site and of its versions, published or not. */
  readonly summary: Omit<BuildSummary, 'errors' | 'warnings' | 'ms' | 'stages' | 'rendered' | 'reused' | 'extensions'>;
  /** Warnings that belong to no version. */
  readonly siteWarnings: readonly Warning[];
  readonly versions: Readonly<Record<string, VersionNotes>>;
  /** By language code. */
  readonly search: Readonly<Record<string, IndexNotes>>;
  /** By language code. */
  readonly history: Readonly<Record<string, HistoryNotes>>;
  /** Versions that could not be built, by name. */
  readonly failed: Readonly<Record<string, FailedVersion>>;
  /** Names of all versions, published or not, in readers' order. */
  readonly order: readonly string[];
}

export interface VersionNotes {
  readonly kind: Ref['kind'];
  readonly oid: string;
  readonly tree: string;
  readonly time: number;
  /** The location of its documentation; undefined if it has none. */
  readonly source: StoredSource | undefined;
  /** Undefined when the version has no documentation. */
  readonly layout: StoredLayout | undefined;
  /** Hash of everything the version's releases depend on; '' = try again. */
  readonly key: string;
  /** Hash of what decides which pages it has; only where pages say since when they are there. */
  readonly listed?: string | undefined;
  /** Code of each language that has a release. */
  readonly languages: readonly string[];
  /** By language code. */
  readonly releases: Readonly<Record<string, ReleaseNotes>>;
  readonly pages: number;
  readonly fallbacks: number;
  /** Undefined = none. */
  readonly untranslated?: readonly Untranslated[] | undefined;
  readonly errors: readonly SourceError[];
  readonly warnings: readonly Warning[];
  /** Paths of pages that show only a notice and are hidden from search engines, by language code. */
  readonly unlisted?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Paths of translated pages with URLs of their own, and those of their originals, by language code. */
  readonly moved?: Readonly<Record<string, MovedPages>> | undefined;
  /** Kinds of files that its pages need besides the theme's own; undefined = none. */
  readonly extras?: readonly PageExtra[] | undefined;
  /** Names in links that may mean versions, with the slugs they meant, '' = none; undefined = there are none. */
  readonly named?: readonly (readonly [name: string, slug: string])[] | undefined;
  /** Its pages by language code, of which search and history are made. */
  readonly search: Readonly<Record<string, SearchList>>;
}

/** Paths of pages in a release, each with the path of the page that it translates. */
export type MovedPages = Readonly<Record<string, string>>;

export interface ReleaseNotes {
  /** See `createReleaseKeys`. */
  readonly key: string;
  /** Indexes of its warnings in those of the version. */
  readonly warnings: readonly number[];
}

export interface IndexNotes {
  /** Hash of the versions and pages in it; '' = some of the pages could not be found then. */
  readonly key: string;
  /** Names of its files, with the slugs of the versions that each is about. */
  readonly volumes: readonly { readonly file: string; readonly versions: readonly string[] }[];
  /** All of its files with their content keys. */
  readonly files: readonly (readonly [name: string, key: string])[];
}

export interface HistoryNotes {
  /** Hash of the versions, their order and their pages; '' = the text of some pages was lost then. */
  readonly key: string;
  /** Hash of all moves and of the paths of all files: what decides which paths lead on. */
  readonly pathsKey: string;
  /** Number of its files, a power of two; 0 where nothing happened. */
  readonly buckets: number;
  /** All of its files with their content keys. */
  readonly files: readonly (readonly [name: string, key: string])[];
  /** Where pages went from the version before, by the names of versions; none for a version in which nothing moved. */
  readonly moves: Readonly<Record<string, VersionMoves>>;
}

export interface FailedVersion {
  readonly kind: Ref['kind'];
  readonly oid: string;
  readonly error: SourceError;
}

/** Returns all warnings of a build, in the order of its versions. */
export function listWarnings(notes: Pick<BuildNotes, 'siteWarnings' | 'versions' | 'order'>): readonly Warning[] {
  return [...notes.siteWarnings, ...notes.order.flatMap((name) => own(notes.versions, name)?.warnings ?? [])];
}

/** Returns the folders that published versions were taken from, each once, in the order of the versions. */
export function listSources(versions: BuildNotes['versions']): readonly UsedSource[] {
  const sources = new Map<string, UsedSource & { readonly refs: string[] }>();
  for (const [ref, { source, pages }] of Object.entries(versions)) {
    if (!source || pages === 0) continue;
    const key = JSON.stringify(source);
    const known = sources.get(key);
    if (known) known.refs.push(ref);
    else sources.set(key, { ...source, refs: [ref] });
  }
  return [...sources.values()];
}

/** Returns all errors of a build, in the order of its versions; versions that could not be built come first. */
export function listErrors({
  versions,
  failed,
  order,
}: Pick<BuildNotes, 'versions' | 'failed' | 'order'>): readonly SourceError[] {
  return order.flatMap((name) => [own(failed, name)?.error ?? [], own(versions, name)?.errors ?? []].flat());
}

/** Returns the refs whose versions are published, in readers' order, with the commits they were built from. */
export function listPublished({ versions, order }: Pick<BuildNotes, 'versions' | 'order'>): readonly Ref[] {
  return order.flatMap((name) => {
    const notes = own(versions, name);
    return notes && notes.pages > 0 ? [{ name, kind: notes.kind, oid: notes.oid }] : [];
  });
}

/**
 * Returns the notes of all versions, including those that could not be built; in a site with a single version, of that
 * one only.
 */
export function noteVersions(
  versions: BuildNotes['versions'],
  choices: { readonly failed: ReadonlyMap<string, FailedVersion>; readonly latest: string | undefined },
  single: boolean,
): Pick<BuildNotes, 'versions' | 'failed' | 'order'> {
  const failed = [...choices.failed].filter(([name]) => !single || name === choices.latest);
  const leftOut = failed.filter(([name]) => !Object.hasOwn(versions, name));
  const dated = [
    ...Object.entries(versions).map(([name, { kind, oid, time }]) => ({ name, kind, oid, time })),
    // The time of an unreadable version is unknown.
    ...leftOut.map(([name, { kind, oid }]) => ({ name, kind, oid, time: 0 })),
  ];
  const order = sortVersions(dated, choices.latest).map(({ name }) => name);
  return { versions, failed: Object.fromEntries(failed), order };
}

/** Returns a record's own value under any name, even `constructor`. */
export function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

export function noteSkipped({ ref, rootTree, time }: Version, key: string, missing: MissingSource): VersionNotes {
  const message = `Version skipped: ${describeMissing(missing)}`;
  const errors = missing.errors.map((error) => ({ ...error, ref: ref.name }));
  const warning: Warning = { ref: ref.name, file: missing.folder ?? '', line: 0, code: 'skipped-ref', message };
  const empty = {
    source: undefined,
    layout: undefined,
    languages: [],
    releases: {},
    pages: 0,
    fallbacks: 0,
    search: {},
  };
  return { ...empty, kind: ref.kind, oid: ref.oid, tree: rootTree, time, key, errors, warnings: [warning] };
}
