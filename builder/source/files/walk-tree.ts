import { createWorkMemory } from '../../../lib/bounded-map.ts';
import { BuildError } from '../../build-error.ts';
import type { BuildLimits } from '../../build-limits.ts';
import { foldName, judgeEntryName } from '../../entry-name.ts';
import type { ObjectReader, TreeEntry, WarningCode } from '../../model.ts';
import { describeLimit } from '../../option-marks.ts';

/** A file below the walked folder; `path` is relative to it, with `/`. */
export interface SourceFile {
  readonly path: string;
  readonly oid: string;
  /**
   * Its own path from the repository's root, if it is not `path` in the source folder: it is shown elsewhere, or its name is in
   * another Unicode form.
   */
  readonly origin?: string;
  /** A symbolic link shows it here; its own place may be in the documentation, too. */
  readonly isLinked?: boolean;
  /** Not a page, in spite of its name: the generator excludes it. */
  readonly isLeftOut?: boolean;
  /** An extension made it, in each version; its lines are not those of its origin. */
  readonly isMade?: boolean;
  /** The repository's README, which stands in for the home of a documentation that has none. */
  readonly isStandIn?: boolean;
}

/** A warning about a file whose ref is not known yet. */
export interface FileWarning {
  readonly file: string;
  readonly line: number;
  readonly code: WarningCode;
  readonly message: string;
}

/** All files below a folder, in byte order of their paths, and what was skipped. */
export interface Listing {
  readonly files: readonly SourceFile[];
  /** Symbolic links, not followed yet. */
  readonly links: readonly SourceFile[];
  /** Whether no path changes in Unicode's composed form (NFC), in which URLs and links are written. */
  readonly isComposed: boolean;
  readonly warnings: readonly FileWarning[];
}

interface Walked extends Listing {
  /** Levels of folders below this one. */
  readonly height: number;
}

/** Files of remembered listings; each takes about 150 bytes. */
const MAX_REMEMBERED = 40_000;
/** Folders that never contain documentation. */
const SKIPPED_FOLDERS = new Set(['node_modules']);
/** Longest path below the walked folder in bytes; with the output folder in front it must stay below 4,096, on macOS 1,024. */
export const MAX_PATH_BYTES = 700;

/** Lists trees with everything below them. */
export interface TreeWalker {
  (treeOid: string): Promise<Listing>;
  /** Drops the listings that are cached. */
  forget(): void;
}

/**
 * Returns a function that lists a tree with everything below it. Listings are cached by tree id, so that trees shared by
 * versions are walked once. Throws `unsafe-name` for names that no honest client writes and for folders nested too
 * deeply, and `too-many-files`; the error's file is the path from the walked folder.
 */
export function createTreeWalker(
  reader: ObjectReader,
  { maxFiles, maxDepth }: Pick<BuildLimits, 'maxFiles' | 'maxDepth'>,
): TreeWalker {
  const recall = createWorkMemory<string, Walked>({
    maxWeight: MAX_REMEMBERED,
    weigh: ({ files, links, warnings }) => 1 + files.length + links.length + warnings.length,
  });
  const walk = async (oid: string, depth: number): Promise<Walked> => {
    // A tree that is too deep here may be higher up elsewhere.
    const walked = await recall(oid, () => list(oid, depth));
    checkDepth(depth + walked.height, maxDepth);
    return walked;
  };
  const list = async (oid: string, depth: number): Promise<Walked> => {
    checkDepth(depth, maxDepth);
    const files: SourceFile[] = [];
    const links: SourceFile[] = [];
    const warnings: FileWarning[] = [];
    let height = 0;
    let isComposed = true;
    const entries = await locate('', () => reader.readTree(oid));
    const taken = new Set<string>();
    const pages = new Set(entries.map(({ name }) => /^(.+)\.(?:md|markdown|mdx)$/i.exec(name)?.[1]));
    for (const entry of entries) {
      const { name } = entry;
      isComposed &&= name === name.normalize('NFC');
      const skipped = reasonToSkip(entry, taken, pages);
      if (skipped) {
        warnings.push({ file: printable(name), line: 0, ...skipped });
      } else if (entry.kind === 'file') {
        files.push({ path: name, oid: entry.oid });
      } else if (entry.kind === 'symbolic-link') {
        links.push({ path: name, oid: entry.oid });
      } else if (!name.startsWith('.') && !SKIPPED_FOLDERS.has(name)) {
        const below = await locate(`${name}/`, () => walk(entry.oid, depth + 1));
        height = Math.max(height, below.height + 1);
        isComposed &&= below.isComposed;
        for (const file of below.files) add(files, `${name}/${file.path}`, file.oid);
        for (const link of below.links) add(links, `${name}/${link.path}`, link.oid);
        for (const warning of below.warnings) warnings.push({ ...warning, file: `${name}/${warning.file}` });
      }
      // Skipped entries count, too: the same tree may occur in many places.
      if (files.length + links.length + warnings.length > maxFiles) {
        const message = `The documentation has more than ${describeLimit('maxFiles', maxFiles)}`;
        throw new BuildError('too-many-files', message);
      }
    }
    files.sort((a, b) => (a.path < b.path ? -1 : 1));
    return { files, links, warnings, height, isComposed };

    function add(list: SourceFile[], path: string, oid: string): void {
      const fits = path.length * 3 <= MAX_PATH_BYTES || Buffer.byteLength(path) <= MAX_PATH_BYTES;
      if (fits) list.push({ path, oid });
      else {
        const message = `Skipped: its path is longer than ${MAX_PATH_BYTES} bytes`;
        warnings.push({ file: path, line: 0, code: 'unsafe-name', message });
      }
    }
  };
  return Object.assign((oid: string) => walk(oid, 0), { forget: recall.forget });
}

function checkDepth(depth: number, maxDepth: number): void {
  if (depth <= maxDepth) return;
  throw new BuildError('unsafe-name', `Folders are nested more than ${describeLimit('maxDepth', maxDepth)}`);
}

/** Prefixes the location of an error with the folder it comes from. */
async function locate<T>(folder: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    const location = { ...error.location, file: folder + (error.location.file ?? '') };
    throw new BuildError(error.code, error.message, { cause: error.cause, location });
  }
}

function reasonToSkip(
  { name, kind }: TreeEntry,
  taken: Set<string>,
  pages: ReadonlySet<string | undefined>,
): Pick<FileWarning, 'code' | 'message'> | undefined {
  const judged = judgeEntryName(name);
  if (judged.verdict === 'refuse') {
    throw new BuildError('unsafe-name', `The tree contains an entry named "${printable(name)}": ${judged.why}`, {
      location: { file: printable(name) },
    });
  }
  if (judged.verdict === 'skip') return { code: 'unsafe-name', message: `Skipped: ${judged.why}` };
  if (kind === 'submodule') return { code: 'submodule', message: 'Submodule skipped' };
  const folded = foldName(name);
  if (taken.has(folded)) {
    return { code: 'same-name', message: 'Skipped: another file has the same name except for case or Unicode form' };
  }
  taken.add(folded);
  if (kind === 'folder' && pages.has(/^(.+)\.html$/.exec(name)?.[1] ?? '')) {
    return { code: 'same-name', message: 'Folder skipped: the page beside it is published under this name' };
  }
  return undefined;
}

/** Returns a name with control and invisible characters escaped. */
function printable(name: string): string {
  return JSON.stringify(name)
    .slice(1, -1)
    .replace(/[\p{Cc}\p{Cf}]/gu, (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`);
}
