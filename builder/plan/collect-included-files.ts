import { resolveInclude } from '../markdown/include/resolve-include.ts';
import type { TextReader } from './read-texts.ts';
import type { PathFinder } from './read-version.ts';

/** A file that a page takes in. */
export interface IncludedFile {
  /** From the repository's root. */
  readonly path: string;
  readonly oid: string;
}

/** How deep files may take in files; deeper ones are missing. */
const MAX_DEPTH = 10;
const MAX_FILES = 200;

/** What decides a page besides its own file. */
export interface PageInputs {
  /** Files that the page takes in, directly or through another, that exist, in the order they are met. */
  readonly includes: readonly IncludedFile[];
  /** Whether the page or one of these files holds syntax that generators read differently. */
  readonly dependsOnGenerator: boolean;
}

/** Returns what decides a page besides its own file; pages that are known need not be read for it. */
export async function collectPageInputs(
  page: { readonly oid: string; readonly path: string; readonly sourceFolder: string; readonly find: PathFinder },
  texts: TextReader,
): Promise<PageInputs> {
  let isForeign = false;
  const found = new Map<string, IncludedFile>();
  await visit(page.path, page.oid, 0);
  return { includes: [...found.values()], dependsOnGenerator: isForeign };

  async function visit(path: string, oid: string, depth: number): Promise<void> {
    if (depth > MAX_DEPTH) return;
    const facts = await texts.inspect(oid);
    isForeign ||= facts.isForeign;
    for (const reference of facts.includes) {
      const target = resolveInclude(reference, { pagePath: path, sourceDir: page.sourceFolder });
      if (target === undefined || found.has(target) || found.size >= MAX_FILES) continue;
      const entry = await page.find(target);
      if (entry?.kind !== 'file') continue;
      found.set(target, { path: target, oid: entry.oid });
      if (reference.kind !== 'code') await visit(target, entry.oid, depth + 1);
    }
  }
}

/** The text of the files that a page takes in, by path, why others have none, and the encodings of those not in UTF-8. */
export interface IncludedTexts {
  readonly texts: ReadonlyMap<string, string>;
  readonly unreadable: ReadonlyMap<string, string>;
  readonly encodings: ReadonlyMap<string, string>;
}

/** Reads the text of included files. */
export async function readIncludedTexts(files: readonly IncludedFile[], reader: TextReader): Promise<IncludedTexts> {
  const texts = new Map<string, string>();
  const unreadable = new Map<string, string>();
  const encodings = new Map<string, string>();
  for (const { path, oid } of files) {
    const { problem, encoding } = await reader.inspect(oid);
    const text = problem ? undefined : await reader.read(oid);
    if (text === undefined || text.includes('\0')) unreadable.set(path, problem?.message ?? 'The file is not text');
    else texts.set(path, text);
    if (encoding !== undefined) encodings.set(path, encoding);
  }
  return { texts, unreadable, encodings };
}
