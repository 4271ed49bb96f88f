import { BuildError } from '../build-error.ts';
import type { Generator, ObjectReader, Ref } from '../model.ts';
import { decodeText } from '../source/decode-text.ts';
import { findLanguages, type LanguageLayout } from '../source/find-languages.ts';
import { isReadme, type SourceFinder } from '../source/find-source.ts';
import { PROJECT_FILE_NAME, type ProjectFile, parseProjectFile } from '../source/project-file.ts';
import type { GeneratorSite } from '../source/recognise-generator.ts';
import type { Listing } from '../source/walk-tree.ts';

/** A ref with what its commit holds. */
export interface Version {
  readonly ref: Ref;
  readonly rootTree: string;
  /** Committer time, seconds since 1970. */
  readonly time: number;
}

/** A version's documentation as it lies in the repository, before languages are chosen for the site. */
export interface VersionSource {
  readonly version: Version;
  readonly project: ProjectFile;
  /** Source folder from the repository's root with a final `/`, or ''. */
  readonly sourceFolder: string;
  /** The generator that the files were written for, and its site; undefined where nothing shows one. */
  readonly generator: Generator | undefined;
  readonly site: GeneratorSite | undefined;
  /** Only the README files at the root are listed, not all that the source folder holds. */
  readonly isReadmeOnly: boolean;
  readonly listing: Listing;
  readonly layout: LanguageLayout;
}

/** Finds files and folders of one tree by path, reading each folder once. */
export type PathFinder = (
  path: string,
) => Promise<{ readonly kind: 'file' | 'folder'; readonly oid: string } | undefined>;

/** Gives a finder for a root tree; symbolic links and submodules count as absent. */
export function createPathFinder(reader: ObjectReader, rootTree: string): PathFinder {
  const folders = new Map<string, Promise<ReadonlyMap<string, { kind: 'file' | 'folder'; oid: string }>>>();
  const read = (oid: string) => {
    let entries = folders.get(oid);
    if (!entries) {
      entries = reader
        .readTree(oid)
        .then(
          (list) =>
            new Map(
              list.flatMap(({ name, kind, oid }) =>
                kind === 'file' || kind === 'folder' ? [[name, { kind, oid }] as const] : [],
              ),
            ),
        );
      folders.set(oid, entries);
    }
    return entries;
  };
  return async (path) => {
    let found: { kind: 'file' | 'folder'; oid: string } = { kind: 'folder', oid: rootTree };
    for (const part of path.split('/').filter((name) => name !== '')) {
      if (found.kind !== 'folder') return undefined;
      const next = (await read(found.oid)).get(part);
      if (!next) return undefined;
      found = next;
    }
    return found;
  };
}

/** Reads the `.docbuild.yml` of a tree; an absent one is empty. */
export async function readProjectFile(reader: ObjectReader, find: PathFinder): Promise<ProjectFile> {
  const entry = await find(PROJECT_FILE_NAME);
  if (entry?.kind !== 'file') return {};
  try {
    return await parseProjectFile(decodeText(await reader.readBlob(entry.oid)));
  } catch (error) {
    throw error instanceof BuildError ? error.at({ file: PROJECT_FILE_NAME }) : error;
  }
}

/** Reads a version's documentation. Returns the folder that was looked for when there is none. */
export async function readVersionSource(
  version: Version,
  options: {
    readonly reader: ObjectReader;
    readonly walk: (treeOid: string) => Promise<Listing>;
    readonly sources: SourceFinder;
    readonly sourceDir: string | undefined;
    readonly lang: readonly string[] | undefined;
  },
): Promise<VersionSource | MissingSource> {
  const { reader, walk, sources } = options;
  const find = createPathFinder(reader, version.rootTree);
  const project = await readProjectFile(reader, find);
  const asked = options.sourceDir ?? project.sourceDir;
  const folder = asked === undefined ? undefined : normalizeFolder(asked);
  const found = await sources.find(version.rootTree, folder);
  if (!found) return { isMissing: true, folder: folder?.replace(/\/$/, '') };
  const { folder: sourceFolder, generator, site, isReadmeOnly } = found;
  const listing = isReadmeOnly
    ? await listReadmes(reader, version.rootTree)
    : await listFolder(await find(sourceFolder), sourceFolder, walk);
  const layout = findLanguages(listing.files, options.lang);
  return { version, project, sourceFolder, generator, site, isReadmeOnly, listing, layout };
}

/** What was looked for in a version without documentation: a folder that was asked for, or all that is usual. */
export interface MissingSource {
  readonly isMissing: true;
  readonly folder: string | undefined;
}

/** Returns whether a version has documentation. */
export function hasSource(source: VersionSource | MissingSource): source is VersionSource {
  return !('isMissing' in source);
}

async function listReadmes(reader: ObjectReader, rootTree: string): Promise<Listing> {
  const entries = await reader.readTree(rootTree);
  const files = entries.filter(({ name, kind }) => kind === 'file' && isReadme(name));
  return { files: files.map(({ name, oid }) => ({ path: name, oid })), warnings: [] };
}

async function listFolder(
  folder: Awaited<ReturnType<PathFinder>>,
  path: string,
  walk: (treeOid: string) => Promise<Listing>,
): Promise<Listing> {
  try {
    return await walk(folder!.oid);
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    const { file } = error.location;
    throw new BuildError(error.code, error.message, {
      cause: error.cause,
      location: file === undefined ? {} : { file: path + file },
    });
  }
}

/** Gives a folder with a final `/`, or '' for the root. Throws `bad-option` when it leads out of the repository. */
export function normalizeFolder(folder: string): string {
  const parts = folder.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..') || folder.startsWith('/')) {
    throw new BuildError(
      'bad-option',
      `Source folder "${folder}" must be a path inside the repository, such as "docs"`,
    );
  }
  return parts.map((part) => `${part}/`).join('');
}
