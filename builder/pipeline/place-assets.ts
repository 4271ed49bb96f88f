import { pageAddress } from '../compose/navigation.ts';
import { contentKey } from '../fragments/content-key.ts';
import type { FragmentStore } from '../fragments/fragment-store.ts';
import type { ObjectReader, Warning, WarningCode } from '../model.ts';
import { isLfsPointer } from '../source/decode-text.ts';

/** Decides where images and downloads stand in a release, and which of them travel. */
export interface AssetPlacer {
  /** Percent-encoded address of a file (from the repository's root) in a language's release. */
  address(file: string, languageKey: string): string;
  /** Notes that a language's release needs a file. */
  take(file: string, languageKey: string): void;
  /** Gives the files taken for a language, with warnings about those that cannot travel. */
  collect(languageKey: string): Promise<{
    readonly files: readonly (readonly [path: string, key: string])[];
    readonly warnings: readonly Warning[];
  }>;
}

/** Content keys of files that are copied as they are. */
const BLOB_PREFIX = 'blob:';

/** Paths where docbuild puts files of its own. */
const OUR_PATHS = /^(?:_files|_docbuild|\.docbuild\.json)(?:\/|$)/;

/** Gives the blob that a content key stands for, or undefined when it stands for something composed. */
export function blobOfKey(key: string): string | undefined {
  return key.startsWith(BLOB_PREFIX) ? key.slice(BLOB_PREFIX.length) : undefined;
}

/**
 * Creates the placer of one version. A file of the language's own folder keeps its place in it, one that all languages
 * share keeps its place below the source folder; every other one, and one whose place is taken, goes to `_files/`.
 */
export function createAssetPlacer(options: {
  readonly ref: string;
  readonly sourceFolder: string;
  readonly languageFolder: (key: string) => string;
  /** Folders of all languages that have one. */
  readonly languageFolders: readonly string[];
  /** Gives the blob of a file, from the repository's root. */
  readonly blobOf: (file: string) => string | undefined;
  readonly hasFolder: (folder: string) => boolean;
  /** Whether no page of a language's release stands at a path or on the way to it. */
  readonly isFree: (path: string, languageKey: string) => boolean;
  readonly inspect: (oid: string) => Promise<AssetProblem | undefined>;
}): AssetPlacer {
  const { sourceFolder, languageFolder, languageFolders, blobOf, hasFolder } = options;
  const taken = new Map<string, Set<string>>();
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
    const isOurs = path === undefined || OUR_PATHS.test(path);
    return isOurs || !options.isFree(path, languageKey) ? `_files/${file}` : path;
  };
  return {
    address: (file, languageKey) => pageAddress(place(file, languageKey)),
    take(file, languageKey) {
      const files = taken.get(languageKey) ?? new Set();
      taken.set(languageKey, files.add(file));
    },
    async collect(languageKey) {
      const files: (readonly [string, string])[] = [];
      const warnings: Warning[] = [];
      for (const file of [...(taken.get(languageKey) ?? [])].sort()) {
        const oid = blobOf(file);
        if (oid === undefined) continue;
        const problem = await options.inspect(oid);
        if (problem) warnings.push({ ref: options.ref, file, line: 0, ...problem });
        else files.push([place(file, languageKey), BLOB_PREFIX + oid]);
      }
      return { files, warnings };
    },
  };
}

/** Why a file cannot travel. */
export interface AssetProblem {
  readonly code: WarningCode;
  readonly message: string;
}

/** Gives a function that looks at a file's bytes once and remembers in the store what is wrong with them. */
export function createAssetInspector(options: {
  readonly reader: ObjectReader;
  readonly store: FragmentStore;
  readonly maxFileBytes: number;
}): (oid: string) => Promise<AssetProblem | undefined> {
  const { reader, store, maxFileBytes } = options;
  return async (oid) => {
    const key = contentKey('asset', String(maxFileBytes), oid);
    let found = store.get(key)?.toString();
    if (found === undefined) {
      const bytes = await reader.readBlob(oid);
      found = isLfsPointer(bytes) ? 'lfs' : bytes.length > maxFileBytes ? 'large' : 'ok';
      store.set(key, Buffer.from(found));
    }
    if (found === 'lfs')
      return { code: 'lfs-pointer', message: 'Git LFS pointer skipped: the file itself is not in the repository' };
    if (found === 'large')
      return { code: 'too-large', message: `Skipped: larger than ${maxFileBytes / 1e6} MB, the limit for a file` };
    return undefined;
  };
}
