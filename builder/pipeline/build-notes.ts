import type { Generator, SourceError, Warning } from '../model.ts';
import type { LanguageLayout } from '../source/find-languages.ts';
import type { BuildSummary, UsedSource } from './build-options.ts';
import { describeMissing } from './missing-source-error.ts';
import type { MissingSource, Version, VersionSource } from './read-version.ts';

/** What a build leaves for the next one, beside the published files. JSON. */
export interface BuildNotes {
  readonly format: 4;
  /** Hash of everything the build looked at from outside: engine, options, all refs. Equal = nothing to do. */
  readonly inputs: string;
  /** Hash of engine and settings: what is known of versions holds only while it is the same. */
  readonly settingsKey: string;
  /** Errors and warnings are those of the site and of its versions. */
  readonly summary: Omit<BuildSummary, 'errors' | 'warnings' | 'ms' | 'stages' | 'rendered' | 'reused'>;
  /** Warnings that belong to no version. */
  readonly siteWarnings: readonly Warning[];
  readonly versions: Readonly<Record<string, VersionNotes>>;
}

/** What is known of a version that was built. */
export interface VersionNotes {
  readonly oid: string;
  readonly tree: string;
  readonly time: number;
  /** Where its documentation is; undefined when it has none. */
  readonly source: StoredSource | undefined;
  /** Undefined when the version has no documentation. */
  readonly layout: StoredLayout | undefined;
  /** Hash of everything the version's releases depend on. */
  readonly key: string;
  /** Code of each language that has a release. */
  readonly languages: readonly string[];
  /** By language code. */
  readonly releases: Readonly<Record<string, ReleaseNotes>>;
  readonly pages: number;
  readonly fallbacks: number;
  readonly errors: readonly SourceError[];
  readonly warnings: readonly Warning[];
}

/** Where a version keeps its documentation, as JSON. */
export interface StoredSource {
  /** From the repository's root, with neither `./` nor a final `/`; '' is the root. */
  readonly folder: string;
  readonly generator: Generator | undefined;
  readonly isReadmeOnly: boolean;
}

/** What is known of one language of a version that was built. */
export interface ReleaseNotes {
  /** See `createReleaseKeys`. */
  readonly key: string;
  /** Places of its warnings in those of the version. */
  readonly warnings: readonly number[];
}

/** A `LanguageLayout` as JSON. */
export interface StoredLayout {
  readonly folders: readonly (readonly [string, string])[];
  readonly suffixes: readonly (readonly [string, string])[];
  readonly hasRootPages: boolean;
}

/** Gives all warnings of a build, in the order of its versions. */
export function listWarnings(notes: Pick<BuildNotes, 'siteWarnings' | 'versions'>): readonly Warning[] {
  return [...notes.siteWarnings, ...Object.values(notes.versions).flatMap(({ warnings }) => warnings)];
}

/** Returns the folders that versions were taken from, each once, in the order of the versions. */
export function listSources(versions: BuildNotes['versions']): readonly UsedSource[] {
  const sources = new Map<string, UsedSource & { readonly refs: string[] }>();
  for (const [ref, { source }] of Object.entries(versions)) {
    if (!source) continue;
    const key = JSON.stringify(source);
    const known = sources.get(key);
    if (known) known.refs.push(ref);
    else sources.set(key, { ...source, refs: [ref] });
  }
  return [...sources.values()];
}

/** Gives all errors of a build, in the order of its versions. */
export function listErrors({ versions }: Pick<BuildNotes, 'versions'>): readonly SourceError[] {
  return Object.values(versions).flatMap(({ errors }) => errors);
}

/** Gives the notes of a manifest when they are of this format. */
export function readNotes(notes: unknown): BuildNotes | undefined {
  return typeof notes === 'object' && notes !== null && 'format' in notes && notes.format === 4
    ? (notes as BuildNotes)
    : undefined;
}

/** Gives a layout as JSON. */
export function storeLayout(layout: LanguageLayout): StoredLayout {
  return { folders: [...layout.folders], suffixes: [...layout.suffixes], hasRootPages: layout.hasRootPages };
}

/** Returns where a version keeps its documentation as JSON. */
export function storeSource({ sourceFolder, generator, isReadmeOnly }: VersionSource): StoredSource {
  return { folder: sourceFolder.replace(/\/$/, ''), generator, isReadmeOnly };
}

/** Gives a layout back from JSON. */
export function restoreLayout(stored: StoredLayout): LanguageLayout {
  return {
    folders: new Map(stored.folders),
    suffixes: new Map(stored.suffixes),
    hasRootPages: stored.hasRootPages,
  };
}

/** Returns the notes of a version that has no documentation. */
export function noteSkipped({ ref, rootTree, time }: Version, key: string, missing: MissingSource): VersionNotes {
  const message = `Version skipped: ${describeMissing(missing)}`;
  const warning: Warning = { ref: ref.name, file: missing.folder ?? '', line: 0, code: 'skipped-ref', message };
  const empty = { source: undefined, layout: undefined, languages: [], releases: {}, pages: 0, fallbacks: 0 };
  return { ...empty, oid: ref.oid, tree: rootTree, time, key, errors: [], warnings: [warning] };
}
