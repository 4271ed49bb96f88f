import { BuildError } from '../build-error.ts';
import type { ObjectReader, Ref } from '../model.ts';
import { decodeText } from '../source/decode-text.ts';
import { findLanguages, type LanguageLayout } from '../source/find-languages.ts';
import { PROJECT_FILE_NAME, type ProjectFile, parseProjectFile } from '../source/project-file.ts';
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
    const decoded = decodeText(await reader.readBlob(entry.oid));
    if (!('text' in decoded)) throw new BuildError(decoded.code, decoded.message, { location: { line: decoded.line } });
    return await parseProjectFile(decoded.text);
  } catch (error) {
    throw error instanceof BuildError ? error.at({ file: PROJECT_FILE_NAME }) : error;
  }
}

/** Reads a version's source folder. Gives undefined when the version has no such folder. */
export async function readVersionSource(
  version: Version,
  options: {
    readonly reader: ObjectReader;
    readonly walk: (treeOid: string) => Promise<Listing>;
    readonly sourceDir: string | undefined;
    readonly lang: readonly string[] | undefined;
  },
): Promise<VersionSource | undefined> {
  const find = createPathFinder(options.reader, version.rootTree);
  const project = await readProjectFile(options.reader, find);
  const sourceFolder = normalizeFolder(options.sourceDir ?? project.sourceDir ?? 'docs');
  const folder = await find(sourceFolder);
  if (folder?.kind !== 'folder') return undefined;
  const listing = await options.walk(folder.oid).catch((error: unknown) => {
    if (!(error instanceof BuildError)) throw error;
    const { file } = error.location;
    throw new BuildError(error.code, error.message, {
      cause: error.cause,
      location: file === undefined ? {} : { file: sourceFolder + file },
    });
  });
  return { version, project, sourceFolder, listing, layout: findLanguages(listing.files, options.lang) };
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
