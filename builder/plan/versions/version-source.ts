import { createWorkMemory } from '../../../lib/bounded-map.ts';
import { BuildError, throwAt } from '../../build-error.ts';
import type { BuildLimits } from '../../build-limits.ts';
import type { Generator } from '../../generators/generators.ts';
import type { ObjectReader, Ref, SourceError } from '../../model.ts';
import { isIndexPage } from '../../page-path.ts';
import { listSource, type SourceListing } from '../../source/files/list-source.ts';
import { createTreePaths, type TreePaths } from '../../source/files/tree-paths.ts';
import type { FileWarning, Listing, SourceFile } from '../../source/files/walk-tree.ts';
import { findLanguages, firstSegment, type LanguageLayout } from '../../source/languages.ts';
import type { GeneratorSite } from '../../source/sites/describe-site.ts';
import { isReadme, type SourceFinder } from '../../source/sites/find-source.ts';
import { leaveOut } from '../../source/sites/leave-out.ts';
import { decodeText, describeEncoding } from '../../source/text/decode-text.ts';
import { PROJECT_FILE_NAME, parseProjectFile } from '../project-file.ts';
import type { ProjectFile } from '../site-options.ts';
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
  /** Templates that pages use like tags; absent = none. */
  readonly components?: VersionComponents | undefined;
  /** The listed files that are the newest version's, and its tree, in which what they include is found. */
  readonly evergreen?: { readonly rootTree: string; has(file: string): boolean } | undefined;
}

/** A component that a repository has as a template. */
export interface TemplateComponent {
  /** From the repository's root. */
  readonly path: string;
  readonly oid: string;
}

/** The components of a version by their names. */
export interface VersionComponents {
  /** Differs where they do. */
  readonly key: string;
  readonly byName: ReadonlyMap<string, TemplateComponent>;
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

/** Returns the text of a tree's `.docbuild.yml`, to find lines in it; '' where there is none that can be read. */
export async function readProjectText(reader: ObjectReader, rootTree: string): Promise<string> {
  const entry = (await reader.readTree(rootTree)).find(({ name }) => name === PROJECT_FILE_NAME);
  const decoded = entry?.kind === 'file' ? decodeText(await reader.readBlob(entry.oid)) : undefined;
  return decoded && 'text' in decoded ? decoded.text : '';
}

function listFolders({ folders, hasRootPages }: LanguageLayout): readonly string[] {
  return [...(hasRootPages || folders.size === 0 ? [''] : []), ...folders.values()];
}

/** Files that extensions add to a version. */
export interface MadeFiles {
  /** Paths are below the source folder. */
  readonly files: readonly SourceFile[];
  /** Contents that pages of the repository have instead, by their paths. */
  readonly changed: ReadonlyMap<string, string>;
  /** Those with the file '' are of the whole version. */
  readonly mistakes: readonly { readonly file: string; readonly line: number; readonly message: string }[];
}

/** Makes the files that extensions add to a version. */
export type FileMaker = (version: {
  readonly project: ProjectFile;
  readonly sourceFolder: string;
  /** Finds those of `VersionFiles`. */
  readonly findLanguages: () => readonly string[];
  readonly find: PathFinder;
  readonly files: readonly SourceFile[];
}) => Promise<MadeFiles>;

export interface SourceTools {
  readonly reader: ObjectReader;
  /** Absent = there are no extensions. */
  readonly makeFiles?: FileMaker;
  readonly walk: (treeOid: string) => Promise<Listing>;
  readonly sources: SourceFinder;
  readonly limits: Pick<BuildLimits, 'maxFiles'>;
}

/** Reads a version's documentation. Returns the folder that was not found if there is none. */
async function readVersionSource(
  version: Version,
  { reader, makeFiles, walk, sources, limits }: SourceTools,
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
  const { find } = createTreePaths(reader, version.rootTree);
  const hints = {
    languages: [...found.languages, ...(site?.languages ?? [])],
    defaultLanguage: site?.defaultLanguage,
  };
  const made = await makeFiles?.({
    project,
    sourceFolder,
    findLanguages: () => listFolders(findLanguages(listing.files, options.lang, hints)),
    find,
    files: listing.files,
  });
  const { files: listed, mistakes } = made ? addMade(listing.files, made) : { files: listing.files, mistakes: [] };
  const own = leaveOut(listed, site);
  const layout = findLanguages(own, options.lang, hints);
  const isGuessed = asked === undefined && generator === undefined && !isReadmeOnly;
  const standIn = isGuessed ? await findStandIn(reader, version.rootTree, { sourceFolder, files: own }) : undefined;
  const files = standIn ? [...own, standIn].sort((a, b) => (a.path < b.path ? -1 : 1)) : own;
  const extended = await findComponents(project, find);
  return {
    version,
    project,
    errors: [...errors, ...extended.errors, ...mistakes],
    components: extended.components,
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

/** Adds files of extensions to those of the repository, which come first where both have a path. */
function addMade(
  given: readonly SourceFile[],
  { files, mistakes, changed }: MadeFiles,
): { readonly files: readonly SourceFile[]; readonly mistakes: readonly FileError[] } {
  const errors: FileError[] = mistakes.map((mistake) => ({ ...mistake, code: 'extension' }));
  const own = changed.size === 0 ? given : given.map((file) => ({ ...file, oid: changed.get(file.path) ?? file.oid }));
  if (files.length === 0) return { files: own, mistakes: errors };
  const byPath = new Map(own.map((file) => [file.path, file]));
  for (const file of files) {
    const other = byPath.get(file.path);
    if (other === undefined) byPath.set(file.path, file);
    else {
      const who = other.isMade ? 'another extension makes' : 'the repository has';
      errors.push({
        file: file.origin ?? '',
        line: 0,
        code: 'extension',
        message: `Not added: ${who} "${file.path}", too`,
      });
    }
  }
  return { files: [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1)), mistakes: errors };
}

/** Finds the templates that a project file names as components. */
async function findComponents(
  { extensions, extensionLines }: ProjectFile,
  find: PathFinder,
): Promise<{ readonly components: VersionComponents | undefined; readonly errors: readonly FileError[] }> {
  const named = Object.entries(extensions?.components ?? {});
  const errors: FileError[] = [];
  const byName = new Map<string, TemplateComponent>();
  for (const [name, path] of named) {
    const entry = await find(path);
    if (entry?.kind === 'file') byName.set(name, { path, oid: entry.oid });
    else {
      const message = `Template "${path}" of component "${name}" does not exist; paths begin at the root of the repository`;
      const line = extensionLines?.[`components.${name}`] ?? 0;
      errors.push({ file: PROJECT_FILE_NAME, line, code: 'project-file', message });
    }
  }
  const key = JSON.stringify([...byName]);
  return { components: byName.size > 0 ? { key, byName } : undefined, errors };
}

function createPlaces(sourceFolder: string, files: readonly SourceFile[]): Pick<VersionSource, 'realPath' | 'pathOf'> {
  const origins = new Map<string, string>();
  const shown = new Map<string, string>();
  /** The same by the first link to a file: its own place in the documentation comes first. */
  const linked = new Map<string, string>();
  for (const { path, origin, isLinked, isMade } of files) {
    if (origin === undefined) continue;
    origins.set(path, origin);
    // A link to what a page is made from leads to the page, unless it is a file of the documentation itself.
    if (isMade) {
      if (!shown.has(origin) && !origin.startsWith(sourceFolder)) shown.set(origin, path);
    } else if (!isLinked) shown.set(origin, path);
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

/** The folder that was not found in a version without documentation: a requested one, or any usual one. */
export interface MissingSource {
  readonly isMissing: true;
  readonly errors: readonly FileError[];
  readonly folder: string | undefined;
}

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

export interface VersionSources {
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
      readVersionSource(version, tools, { sourceDir, lang }).catch((error) =>
        throwAt(error, { ref: version.ref.name }),
      ),
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

export function storeLayout(layout: LanguageLayout): StoredLayout {
  return { ...layout, folders: [...layout.folders], suffixes: [...layout.suffixes] };
}

export function storeSource({ sourceFolder, generator, isReadmeOnly }: VersionSource): StoredSource {
  return { folder: sourceFolder.replace(/\/$/, ''), generator, isReadmeOnly };
}

function restoreLayout(stored: StoredLayout): LanguageLayout {
  return {
    ...stored,
    folders: new Map(stored.folders),
    suffixes: new Map(stored.suffixes),
  };
}
