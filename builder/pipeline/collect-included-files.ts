import { createBoundedMap } from '../../lib/bounded-map.ts';
import { contentKey } from '../fragments/content-key.ts';
import type { FragmentStore } from '../fragments/fragment-store.ts';
import { dependsOnGenerator } from '../markdown/depends-on-generator.ts';
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

/** What is known of a blob without rendering it. */
interface Scan {
  readonly references: readonly IncludeReference[];
  /** See `dependsOnGenerator`. */
  readonly isForeign: boolean;
}

/** What blobs hold, as this process has seen it. */
const recent = createBoundedMap<string, Scan>({ maxEntries: 20_000 });

/** What decides a page besides its own file. */
export interface PageInputs {
  /** Files that the page takes in, directly or through another, that exist, in the order they are met. */
  readonly includes: readonly IncludedFile[];
  /** Whether the page or one of these files holds syntax that generators read differently. */
  readonly dependsOnGenerator: boolean;
}

/**
 * Returns what decides a page besides its own file. What each blob holds is kept in the store, so that a page that is in
 * the cache is not read again.
 */
export async function collectPageInputs(
  page: { readonly oid: string; readonly path: string; readonly sourceFolder: string; readonly find: PathFinder },
  context: { readonly texts: TextReader; readonly store: FragmentStore; readonly engineVersion: string },
): Promise<PageInputs> {
  let isForeign = false;
  const found = new Map<string, IncludedFile>();
  await visit(page.path, page.oid, 0);
  return { includes: [...found.values()], dependsOnGenerator: isForeign };

  async function visit(path: string, oid: string, depth: number): Promise<void> {
    if (depth > MAX_DEPTH) return;
    const scanned = await scan(oid);
    isForeign ||= scanned.isForeign;
    for (const reference of scanned.references) {
      const target = resolveInclude(reference, { pagePath: path, sourceDir: page.sourceFolder });
      if (target === undefined || found.has(target) || found.size >= MAX_FILES) continue;
      const entry = await page.find(target);
      if (entry?.kind !== 'file') continue;
      found.set(target, { path: target, oid: entry.oid });
      if (reference.kind !== 'code') await visit(target, entry.oid, depth + 1);
    }
  }

  async function scan(oid: string): Promise<Scan> {
    const recentKey = `${context.engineVersion} ${oid}`;
    const scanned = recent.get(recentKey) ?? (await scanAnew(oid));
    recent.set(recentKey, scanned);
    return scanned;
  }

  async function scanAnew(oid: string): Promise<Scan> {
    const key = contentKey('scan', context.engineVersion, oid);
    const known = context.store.get(key);
    if (known) return JSON.parse(known.toString()) as Scan;
    const text = await context.texts.readAny(oid);
    const scanned: Scan = {
      references: text === undefined ? [] : findIncludes(text),
      isForeign: text !== undefined && dependsOnGenerator(text),
    };
    context.store.set(key, Buffer.from(JSON.stringify(scanned)));
    return scanned;
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
