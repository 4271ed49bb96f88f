import { BuildError } from '../../build-error.ts';
import { foldName } from '../../entry-name.ts';
import { describeLimit } from '../../option-marks.ts';
import type { TreePaths } from './tree-paths.ts';
import { type FileWarning, type Listing, MAX_PATH_BYTES, type SourceFile } from './walk-tree.ts';

/** A folder of a repository and the place in the documentation where its files are shown; both with a final `/`, or ''. */
export interface Placement {
  /** From the repository's root. */
  readonly real: string;
  /** From the source folder. */
  readonly shown: string;
}

/** The files of a version's documentation, in byte order of their paths. */
export interface SourceListing {
  /** Paths are below the source folder, as if all files were there, and in Unicode's composed form, as people type them. */
  readonly files: readonly SourceFile[];
  /** Files are named from the repository's root. */
  readonly warnings: readonly FileWarning[];
}

/** Limit of nested links to folders that are followed. */
const MAX_LINKED_FOLDERS = 8;

/**
 * Lists the files of folders as one documentation, and follows symbolic links that stay inside the repository. Of files
 * that would be shown at one path, the first placement's wins; a folder that has a placement of its own is listed there
 * only. Throws what walking throws, with the file from the repository's root, and `too-many-files`.
 */
export async function listSource(
  sourceFolder: string,
  placements: readonly Placement[],
  context: {
    readonly paths: TreePaths;
    readonly walk: (treeOid: string) => Promise<Listing>;
    readonly maxFiles: number;
  },
): Promise<SourceListing> {
  const { paths, walk, maxFiles } = context;
  let followed = 0;
  const files = new Map<string, SourceFile>();
  const warnings: FileWarning[] = [];
  const [first] = placements;
  const only = placements.length === 1 ? first : undefined;
  if (only?.shown === '' && only.real === sourceFolder) {
    const listing = await walkAt(only.real);
    // The common case: nothing to move, nothing to follow.
    if (listing?.isComposed && listing.links.length === 0)
      return { files: listing.files, warnings: locate(listing, only.real) };
  }
  for (const { real, shown } of placements) {
    const listing = await walkAt(real);
    if (listing) await add(listing, { real, shown: shown.normalize('NFC') }, []);
  }
  const list = [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files: list, warnings };

  async function walkAt(real: string): Promise<Listing | undefined> {
    const folder = await paths.find(real);
    if (folder?.kind !== 'folder') return undefined;
    try {
      return await walk(folder.oid);
    } catch (error) {
      if (!(error instanceof BuildError)) throw error;
      const { file } = error.location;
      const location = file === undefined ? {} : { file: real + file };
      throw new BuildError(error.code, error.message, { cause: error.cause, location });
    }
  }

  /** Adds the content of a folder; `chain` are the folders with the links that led here. */
  async function add(listing: Listing, { real, shown }: Placement, chain: readonly string[]): Promise<void> {
    const elsewhere = placements.filter((other) => other.real !== real && other.real.startsWith(real));
    const isElsewhere = (path: string): boolean => elsewhere.some((other) => path.startsWith(other.real));
    const isLinked = chain.length > 0;
    for (const { path, oid } of listing.files) {
      const origin = real + path;
      if (!isElsewhere(origin)) place(shown + path, { oid, origin, isLinked });
    }
    for (const warning of locate(listing, real)) if (!isElsewhere(warning.file)) warnings.push(warning);
    for (const { path } of listing.links) if (!isElsewhere(real + path)) await follow(real + path, shown + path, chain);
  }

  async function follow(link: string, shown: string, chain: readonly string[]): Promise<void> {
    const skip = (why: string): void => {
      warnings.push({ file: link, line: 0, code: 'symbolic-link', message: `Symbolic link skipped: ${why}` });
    };
    // Folders of nothing but links would otherwise cost a multiple at each level.
    if (++followed > maxFiles) throw tooMany();
    const found = await paths.resolve(link);
    if ('why' in found) return skip(found.why);
    if (found.kind === 'file') return place(shown, { oid: found.oid, origin: found.path, isLinked: true });
    const real = found.path === '' ? '' : `${found.path}/`;
    const from = link.slice(0, link.lastIndexOf('/') + 1);
    const folders = [...chain, from];
    if (folders.some((folder) => folder.startsWith(real))) return skip('it points to a folder that contains it');
    if (folders.length > MAX_LINKED_FOLDERS) return skip(`it is below ${MAX_LINKED_FOLDERS} other links`);
    if (/(?:^|\/)(?:\.[^/]*|node_modules|[^/]*\.html)$/.test(shown)) return skip('no folder of that name is published');
    const listing = await walkAt(real);
    if (listing) await add(listing, { real, shown: `${shown}/` }, folders);
  }

  function place(
    written: string,
    file: { readonly oid: string; readonly origin: string; readonly isLinked: boolean },
  ): void {
    const path = written.normalize('NFC');
    const { oid, origin, isLinked } = file;
    const warn = (code: FileWarning['code'], message: string): void => {
      warnings.push({ file: origin, line: 0, code, message });
    };
    const key = foldName(path);
    if (files.has(key)) warn('same-name', `Skipped: another file is shown at "${path}"`);
    else if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
      warn('unsafe-name', `Skipped: its path is longer than ${MAX_PATH_BYTES} bytes`);
    } else {
      const isInPlace = origin === sourceFolder + path;
      files.set(key, isInPlace ? { path, oid } : { path, oid, origin, ...(isLinked && { isLinked }) });
    }
    // Skipped entries count, too: the same folder may be shown in many places.
    if (files.size + warnings.length > maxFiles) throw tooMany();
  }

  function tooMany(): BuildError {
    return new BuildError('too-many-files', `The documentation has more than ${describeLimit('maxFiles', maxFiles)}`);
  }
}

function locate({ warnings }: Listing, folder: string): readonly FileWarning[] {
  return warnings.map((warning) => ({ ...warning, file: folder + warning.file }));
}
