import { createWorkMemory } from '../../../lib/bounded-map.ts';
import { BuildError } from '../../build-error.ts';
import type { BuildLimits } from '../../build-limits.ts';
import type { Generator, ObjectReader, Ref, SourceError } from '../../model.ts';
import { listSource, type SourceListing } from '../../source/files/list-source.ts';
import { createTreePaths, type TreePaths } from '../../source/files/tree-paths.ts';
import type { FileWarning, Listing, SourceFile } from '../../source/files/walk-tree.ts';
import type { GeneratorSite } from '../../source/generators/describe-site.ts';
import { isReadme, type SourceFinder } from '../../source/generators/find-source.ts';
import { leaveOut } from '../../source/generators/leave-out.ts';
import { findLanguages, firstSegment, type LanguageLayout } from '../../source/languages.ts';
import { isIndexPage } from '../../source/page-path.ts';
import { PROJECT_FILE_NAME, parseProjectFile } from '../../source/project-file.ts';
import type { ProjectFile } from '../../source/project-file-schema.ts';
import { decodeText, describeEncoding } from '../../source/text/decode-text.ts';
import { attempt, type Failures } from './version-failures.ts';

/** A ref with what its commit holds. */
export interface Version {
  readonly ref: Ref;
  readonly rootTree: string;
  /** Committer time, seconds since 1970. */
  readonly time: number;
}

/** A version's documentation as it is in the repository, before the site's languages are chosen. */
export interface VersionSource {
  readonly version: Version;
  readonly project: ProjectFile;
  /** The errors of its project file. */
  readonly errors: readonly FileError[];
  /** Source folder from the repository's root with a final `/`, or ''. */
  readonly sourceFolder: string;
  /** The generator that the files were written for, and its site; undefined if none is recognised. */
  readonly generator: Generator | undefined;
  readonly site: GeneratorSite | undefined;
  /** Folders, from the repository's root, whose files are published at the site's root. */
  readonly statics: readonly string[];
  /** Only the README files at the root are listed, not the whole source folder. */
  readonly isReadmeOnly: boolean;
  readonly listing: SourceListing;
  /** Returns a listed file's own path, from the repository's root; symbolic links are followed. */
  readonly realPath: (file: string) => string;
  /** Returns the path in the listing at which a file of the repository is shown; undefined when it is not. */
  readonly pathOf: (file: string) => string | undefined;
  readonly layout: LanguageLayout;
}

/** Finds files and folders of one tree by path, through symbolic links that stay inside the repository. */
export type PathFinder = TreePaths['find'];

/** The valid part of a tree's `.docbuild.yml`. */
export interface ReadProject {
  readonly project: ProjectFile;
  /** The errors in the rest. */
  readonly errors: readonly FileError[];
  readonly warnings: readonly FileWarning[];
}

/** An error of a file whose ref is not known yet. `line` counts from 1; 0 = the whole file. */
export type FileError = Omit<SourceError, 'ref'>;

/** Reads the `.docbuild.yml` of a tree; a missing one is empty, and a symbolic link is not read. */
export async function readProjectFile(reader: ObjectReader, rootTree: string): Promise<ReadProject> {
  const entry = (await reader.readTree(rootTree)).find(({ name }) => name === PROJECT_FILE_NAME);
  const nothing = { project: {}, errors: [], warnings: [] };
  const place = { file: PROJECT_FILE_NAME, line: 0 };
  if (entry?.kind === 'symbolic-link') {
    const message = `${PROJECT_FILE_NAME} is a symbolic link and was not read: put the file itself there`;
    return { ...nothing, warnings: [{ ...place, code: 'symbolic-link', message }] };
  }
  if (entry?.kind !== 'file') return nothing;
  const decoded = decodeText(await reader.readBlob(entry.oid));
  if (!('text' in decoded)) {
    return { ...nothing, project: { markdown: { html: 'safe' } }, errors: [{ ...place, ...decoded }] };
  }
  const { project, problems } = await parseProjectFile(decoded.text);
  const { encoding } = decoded;
  return {
    project,
    errors: problems.map((problem) => ({ ...place, ...problem, code: 'project-file' })),
    warnings: encoding === undefined ? [] : [{ ...place, code: 'encoding', message: describeEncoding(encoding) }],
  };
}

/** Readers of the files of versions. */
export interface SourceTools {
  readonly reader: ObjectReader;
  readonly walk: (treeOid: string) => Promise<Listing>;
  readonly sources: SourceFinder;
  readonly limits: Pick<BuildLimits, 'maxFiles'>;
}

/** Reads a version's documentation. Returns the folder that was not found if there is none. */
async function readVersionSource(
  version: Version,
  { reader, walk, sources, limits }: SourceTools,
  options: { readonly sourceDir: string | undefined; readonly lang: readonly string[] | undefined },
): Promise<VersionSource | MissingSource> {
  const { project, errors, warnings } = await readProjectFile(reader, version.rootTree);
  const asked = options.sourceDir ?? project.sourceDir;
  const folder = asked === undefined ? undefined : normalizeFolder(asked);
  const found = await sources.find(version.rootTree, folder);
  if (!found) return { isMissing: true, folder: folder?.replace(/\/$/, ''), errors };
  const { folder: sourceFolder, generator, site, statics, isReadmeOnly } = found;
  const listing = isReadmeOnly
    ? await listReadmes(reader, version.rootTree)
    : await listSource(sourceFolder, found.placements, {
        paths: createTreePaths(reader, version.rootTree),
        walk,
        maxFiles: limits.maxFiles,
      });
  const own = leaveOut(listing.files, site);
  const layout = findLanguages(own, options.lang, {
    languages: [...found.languages, ...(site?.languages ?? [])],
    defaultLanguage: site?.defaultLanguage,
  });
  const isGuessed = asked === undefined && generator === undefined && !isReadmeOnly;
  const standIn = isGuessed ? await findStandIn(reader, version.rootTree, { sourceFolder, files: own }) : undefined;
  const files = standIn ? [...own, standIn].sort((a, b) => (a.path < b.path ? -1 : 1)) : own;
  return {
    version,
    project,
    errors,
    sourceFolder,
    generator,
    site,
    statics,
    isReadmeOnly,
    listing: { files, warnings: [...warnings, ...listing.warnings] },
    ...createPlaces(sourceFolder, files),
    layout,
  };
}

function createPlaces(sourceFolder: string, files: readonly SourceFile[]): Pick<VersionSource, 'realPath' | 'pathOf'> {
  const origins = new Map<string, string>();
  const shown = new Map<string, string>();
  /** The same by the first link to a file: its own place in the documentation comes first. */
  const linked = new Map<string, string>();
  for (const { path, origin, isLinked } of files) {
    if (origin === undefined) continue;
    origins.set(path, origin);
    if (!isLinked) shown.set(origin, path);
    else if (!linked.has(origin)) linked.set(origin, path);
  }
  const inPlace =
    linked.size > 0 ? new Set(files.flatMap(({ path, origin }) => (origin === undefined ? [path] : []))) : undefined;
  const findOwn = (file: string): string | undefined =>
    file.startsWith(sourceFolder) ? file.slice(sourceFolder.length) : undefined;
  return {
    realPath: (file) => origins.get(file) ?? sourceFolder + file,
    pathOf(file) {
      const path = findOwn(file);
      if (path !== undefined && inPlace?.has(path)) return path;
      return shown.get(file) ?? linked.get(file) ?? path;
    },
  };
}

/** What was not found in a version without documentation: a requested folder, or any usual one. */
export interface MissingSource {
  readonly isMissing: true;
  /** The errors of its project file. */
  readonly errors: readonly FileError[];
  readonly folder: string | undefined;
}

/** Returns whether a version has documentation. */
export function hasSource(source: VersionSource | MissingSource): source is VersionSource {
  return !('isMissing' in source);
}

/** Folders of documentation beside what it documents: there the repository's README is the introduction. */
const BESIDE_CODE = /^(?:docs?|documentation)\//i;

/** Returns the repository's README for the home of a documentation without an index. */
async function findStandIn(
  reader: ObjectReader,
  rootTree: string,
  { sourceFolder, files }: { readonly sourceFolder: string; readonly files: readonly SourceFile[] },
): Promise<SourceFile | undefined> {
  if (!BESIDE_CODE.test(sourceFolder)) return undefined;
  if (files.some(({ path }) => firstSegment(path) === '' && isIndexPage(path))) return undefined;
  const entries = await reader.readTree(rootTree);
  const readme = entries.find(({ name, kind }) => kind === 'file' && isReadme(name) && isIndexPage(name));
  return readme && { path: readme.name, oid: readme.oid, origin: readme.name, isStandIn: true };
}

async function listReadmes(reader: ObjectReader, rootTree: string): Promise<SourceListing> {
  const entries = await reader.readTree(rootTree);
  const files = entries.filter(({ name, kind }) => kind === 'file' && isReadme(name));
  return { files: files.map(({ name, oid }) => ({ path: name, oid })), warnings: [] };
}

/** Returns a folder with a final `/`, or '' for the root. Throws `bad-option` when it points outside the repository. */
function normalizeFolder(folder: string): string {
  const parts = folder.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..') || folder.startsWith('/')) {
    throw new BuildError(
      'bad-option',
      `Source folder "${folder}" must be a path inside the repository, such as "docs"`,
    );
  }
  return parts.map((part) => `${part}/`).join('');
}

/** The sources of a site's versions, read when they are needed. */
export interface VersionSources {
  /** Returns a version's documentation, or what was not found. */
  read(version: Version): Promise<VersionSource | MissingSource>;
  /**
   * Returns the layouts of all versions that have documentation, in their order; reads only unknown ones. Versions that
   * cannot be read are added to `failures`.
   */
  collectLayouts(versions: readonly Version[], failures: Failures): Promise<readonly LanguageLayout[]>;
  /** Drops what was read; it is read again when it is needed. */
  forget(): void;
}

/** Files of remembered sources; other sources are read again when needed. */
const MAX_REMEMBERED = 60_000;

/** Creates the reader of sources; `findNotes` returns the notes of a version from the last build. */
export function createVersionSources(options: {
  readonly tools: SourceTools;
  readonly sourceDir: string | undefined;
  readonly lang: readonly string[] | undefined;
  readonly findNotes: (ref: string) => { readonly tree: string; readonly layout: StoredLayout | undefined } | undefined;
}): VersionSources {
  const { tools, sourceDir, lang, findNotes } = options;
  if (sourceDir !== undefined) normalizeFolder(sourceDir);
  const recall = createWorkMemory<Version, VersionSource | MissingSource>({
    maxWeight: MAX_REMEMBERED,
    weigh: (source) => (hasSource(source) ? source.listing.files.length : 0),
  });
  const read = async (version: Version): Promise<VersionSource | MissingSource> =>
    recall(version, () =>
      readVersionSource(version, tools, { sourceDir, lang }).catch((error: unknown) => {
        throw error instanceof BuildError ? error.at({ ref: version.ref.name }) : error;
      }),
    );
  return {
    read,
    forget: recall.forget,
    async collectLayouts(versions, failures) {
      const layouts: LanguageLayout[] = [];
      for (const version of versions) {
        const known = findNotes(version.ref.name);
        if (known?.tree === version.rootTree) {
          if (known.layout) layouts.push(restoreLayout(known.layout));
        } else {
          const source = await attempt(version.ref.name, failures, () => read(version));
          if (source && hasSource(source)) layouts.push(source.layout);
        }
      }
      return layouts;
    },
  };
}

/** Where a version keeps its documentation, as JSON. */
export interface StoredSource {
  /** From the repository's root, with neither `./` nor a final `/`; '' is the root. */
  readonly folder: string;
  readonly generator: Generator | undefined;
  readonly isReadmeOnly: boolean;
}

/** A `LanguageLayout` as JSON. */
export interface StoredLayout {
  readonly folders: readonly (readonly [string, string])[];
  readonly suffixes: readonly (readonly [string, string])[];
  readonly hasRootPages: boolean;
  readonly defaultCode?: string | undefined;
}

/** Returns a layout as JSON. */
export function storeLayout(layout: LanguageLayout): StoredLayout {
  return { ...layout, folders: [...layout.folders], suffixes: [...layout.suffixes] };
}

/** Returns where a version keeps its documentation as JSON. */
export function storeSource({ sourceFolder, generator, isReadmeOnly }: VersionSource): StoredSource {
  return { folder: sourceFolder.replace(/\/$/, ''), generator, isReadmeOnly };
}

/** Restores a layout from JSON. */
function restoreLayout(stored: StoredLayout): LanguageLayout {
  return {
    ...stored,
    folders: new Map(stored.folders),
    suffixes: new Map(stored.suffixes),
  };
}
