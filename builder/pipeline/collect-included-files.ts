import { createBoundedMap } from '../../lib/bounded-map.ts';
import { contentKey } from '../fragments/content-key.ts';
import type { FragmentStore } from '../fragments/fragment-store.ts';
import { findIncludes } from '../markdown/include/find-includes.ts';
import type { IncludeReference } from '../markdown/include/include-reference.ts';
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

/** What blobs refer to, as this process has seen it. */
const recent = createBoundedMap<string, readonly IncludeReference[]>({ maxEntries: 20_000 });

/**
 * Gives the files that a page takes in, directly or through another, that exist, in the order they are met. What each
 * blob refers to is kept in the store, so that a page that is in the cache is not read again.
 */
export async function collectIncludedFiles(
  page: { readonly oid: string; readonly path: string; readonly sourceFolder: string; readonly find: PathFinder },
  context: { readonly texts: TextReader; readonly store: FragmentStore; readonly engineVersion: string },
): Promise<readonly IncludedFile[]> {
  const found = new Map<string, IncludedFile>();
  await visit(page.path, page.oid, 0);
  return [...found.values()];

  async function visit(path: string, oid: string, depth: number): Promise<void> {
    if (depth > MAX_DEPTH) return;
    for (const reference of await scan(oid)) {
      const target = resolveInclude(reference, { pagePath: path, sourceDir: page.sourceFolder });
      if (target === undefined || found.has(target) || found.size >= MAX_FILES) continue;
      const entry = await page.find(target);
      if (entry?.kind !== 'file') continue;
      found.set(target, { path: target, oid: entry.oid });
      if (reference.kind !== 'code') await visit(target, entry.oid, depth + 1);
    }
  }

  async function scan(oid: string): Promise<readonly IncludeReference[]> {
    const recentKey = `${context.engineVersion} ${oid}`;
    const references = recent.get(recentKey) ?? (await scanAnew(oid));
    recent.set(recentKey, references);
    return references;
  }

  async function scanAnew(oid: string): Promise<readonly IncludeReference[]> {
    const key = contentKey('scan', context.engineVersion, oid);
    const known = context.store.get(key);
    if (known) return JSON.parse(known.toString()) as IncludeReference[];
    const text = await context.texts.readAny(oid);
    const references = text === undefined ? [] : findIncludes(text);
    context.store.set(key, Buffer.from(JSON.stringify(references)));
    return references;
  }
}

/** Reads the text of included files; one that is no text is left out, which the renderer reports as missing. */
export async function readIncludedTexts(
  files: readonly IncludedFile[],
  reader: TextReader,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const { path, oid } of files) {
    const text = await reader.readAny(oid);
    if (text !== undefined) texts.set(path, text);
  }
  return texts;
}
