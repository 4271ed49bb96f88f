import { BuildError } from '../build-error.ts';
import type { ObjectReader, WarningCode } from '../model.ts';
import { judgeEntryName } from './entry-name.ts';

/** A file below the walked folder; `path` is relative to it, with `/`. */
export interface SourceFile {
  readonly path: string;
  readonly oid: string;
}

/** A warning about a file, before it is known in which ref. */
export interface FileWarning {
  readonly file: string;
  readonly line: number;
  readonly code: WarningCode;
  readonly message: string;
}

/** All files below a folder, in byte order of their paths, and what was passed over. */
export interface Listing {
  readonly files: readonly SourceFile[];
  readonly warnings: readonly FileWarning[];
}

/** Folders that hold no documentation whatever they contain. */
const SKIPPED_FOLDERS = new Set(['node_modules']);
const MAX_DEPTH = 64;

/**
 * Gives a function that lists a tree with everything below it. Listings are kept by tree id, so that what versions have
 * in common is walked once. Throws `unsafe-name` for names that no honest client writes and `too-many-files`.
 */
export function createTreeWalker(reader: ObjectReader, maxFiles: number): (treeOid: string) => Promise<Listing> {
  const listings = new Map<string, Promise<Listing>>();
  const walk = (oid: string, depth: number): Promise<Listing> => {
    const known = listings.get(oid);
    if (known) return known;
    const listing = list(oid, depth);
    listings.set(oid, listing);
    return listing;
  };
  const list = async (oid: string, depth: number): Promise<Listing> => {
    if (depth > MAX_DEPTH) throw new BuildError('unsafe-name', `Folders are nested more than ${MAX_DEPTH} deep`);
    const files: SourceFile[] = [];
    const warnings: FileWarning[] = [];
    const taken = new Set<string>();
    for (const entry of await reader.readTree(oid)) {
      const { name } = entry;
      const skipped = reasonToSkip(name, taken, entry.kind);
      if (skipped) {
        warnings.push({ file: printable(name), line: 0, ...skipped });
      } else if (entry.kind === 'file') {
        files.push({ path: name, oid: entry.oid });
      } else if (!name.startsWith('.') && !SKIPPED_FOLDERS.has(name)) {
        const below = await walk(entry.oid, depth + 1);
        for (const file of below.files) files.push({ path: `${name}/${file.path}`, oid: file.oid });
        for (const warning of below.warnings) warnings.push({ ...warning, file: `${name}/${warning.file}` });
      }
      if (files.length > maxFiles) {
        throw new BuildError('too-many-files', `The documentation holds more than ${maxFiles} files, the limit`);
      }
    }
    files.sort((a, b) => (a.path < b.path ? -1 : 1));
    return { files, warnings };
  };
  return (oid) => walk(oid, 0);
}

function reasonToSkip(
  name: string,
  taken: Set<string>,
  kind: string,
): Pick<FileWarning, 'code' | 'message'> | undefined {
  const judged = judgeEntryName(name);
  if (judged.verdict === 'refuse') {
    throw new BuildError('unsafe-name', `The tree holds an entry named "${printable(name)}": ${judged.why}`, {
      location: { file: printable(name) },
    });
  }
  if (judged.verdict === 'skip') return { code: 'unsafe-name', message: `Skipped: ${judged.why}` };
  if (kind === 'symbolic-link') return { code: 'symbolic-link', message: 'Symbolic link skipped' };
  if (kind === 'submodule') return { code: 'submodule', message: 'Submodule skipped' };
  const folded = name.normalize('NFC').toLowerCase();
  if (taken.has(folded)) {
    return { code: 'same-name', message: 'Skipped: another file has the same name but for case or Unicode form' };
  }
  taken.add(folded);
  return undefined;
}

/** Gives a name that may be shown: control characters escaped. */
function printable(name: string): string {
  return JSON.stringify(name).slice(1, -1);
}
