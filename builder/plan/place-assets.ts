import { pageAddress } from '../compose/navigation.ts';

/** Decides where images, downloads and the like stand in a release. */
export interface AssetPlacer {
  /** Percent-encoded address of a file (from the repository's root) in a language's release. */
  address(file: string, languageKey: string): string;
  /** Path of a file in a language's release. */
  place(file: string, languageKey: string): string;
}

/** Content keys of files that are copied as they are. */
export const BLOB_PREFIX = 'blob:';

/** A name in a path that begins with a dot. */
const HIDDEN = /(^|\/)\./;

/** Paths where docbuild puts files of its own. */
const OUR_PATHS = /^(?:_files|_docbuild|\.docbuild\.json)(?:\/|$)/;

/** Returns the blob that a content key stands for, or undefined when it stands for something composed. */
export function blobOfKey(key: string): string | undefined {
  return key.startsWith(BLOB_PREFIX) ? key.slice(BLOB_PREFIX.length) : undefined;
}

/**
 * Creates the placer of one version. A file of the language's own folder keeps its place in it, one that all languages
 * share keeps its place below the source folder; every other one, and one whose place is taken, goes to `_files/`.
 * Names that begin with a dot get a sign before it, since web servers do not show them.
 */
export function createAssetPlacer(options: {
  readonly sourceFolder: string;
  readonly languageFolder: (key: string) => string;
  /** Folders of all languages that have one. */
  readonly languageFolders: readonly string[];
  /** Returns the blob of a file, from the repository's root. */
  readonly blobOf: (file: string) => string | undefined;
  readonly hasFolder: (folder: string) => boolean;
  /** Whether no page of a language's release stands at a path or on the way to it. */
  readonly isFree: (path: string, languageKey: string) => boolean;
}): AssetPlacer {
  const { sourceFolder, languageFolder, languageFolders, blobOf, hasFolder } = options;
  const standsIn = (folder: string, path: string): boolean => {
    if (hasFolder(folder + path)) return true;
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      if (blobOf(folder + path.slice(0, end)) !== undefined) return true;
    }
    return false;
  };
  const findPath = (file: string, own: string): string | undefined => {
    if (own !== sourceFolder && file.startsWith(own)) return file.slice(own.length);
    const isShared = file.startsWith(sourceFolder) && !languageFolders.some((folder) => file.startsWith(folder));
    const path = file.slice(sourceFolder.length);
    return isShared && (own === sourceFolder || !standsIn(own, path)) ? path : undefined;
  };
  const place = (file: string, languageKey: string): string => {
    const path = findPath(file, languageFolder(languageKey));
    const keepsPlace = path !== undefined && !OUR_PATHS.test(path) && !HIDDEN.test(path);
    if (keepsPlace && options.isFree(path, languageKey)) return path;
    return `_files/${file
      .split('/')
      .map((name) => name.replace(/^\./, '_.'))
      .join('/')}`;
  };
  return { place, address: (file, languageKey) => pageAddress(place(file, languageKey)) };
}
