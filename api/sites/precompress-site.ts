import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pMap from 'p-map';
import {
  COMPRESSION_SUFFIX,
  COMPRESSIONS,
  compressBody,
  isWorthSending,
  MAX_COMPRESSED_SIZE,
  MIN_COMPRESSED_SIZE,
} from './compress-body.ts';
import { INDEX_NAME, readCompressedIndex, UNFINISHED, writeCompressedIndex, writeWhole } from './compressed-index.ts';
import type { FileContent } from './create-file-cache.ts';
import { isSameStamp } from './file-stamp.ts';
import { findContentType, isCompressible } from './find-content-type.ts';
import { type ListedFile, listSiteFiles } from './list-site-files.ts';
import { openSiteFile } from './open-site-file.ts';
import { readSiteFile } from './read-site-file.ts';
import { closeFile } from './send-body.ts';

/** What is compressed, and where to. */
export interface PrecompressOptions {
  /** Folder of the published site. */
  readonly folder: string;
  /** Folder of compressed bodies, of this site alone: what the site does not use is removed from it. */
  readonly store: string;
  /** Contents compressed at a time, each on another thread; default 1, which leaves the machine to the readers. */
  readonly concurrency?: number | undefined;
  /** Stops the work; what was compressed stays. */
  readonly signal?: AbortSignal | undefined;
}

/** What was done. Sizes in bytes. */
export interface PrecompressResult {
  /** Distinct contents that may be sent compressed. */
  readonly contents: number;
  /** Compressed bodies that were made, and that were there. */
  readonly made: number;
  readonly kept: number;
  readonly removed: number;
  /** Duration, ms. */
  readonly ms: number;
}

/** Unfinished files older than this were left by a process that died. */
const UNFINISHED_MS = 3_600_000;

/**
 * Makes the compressed bodies of a published site, each content once, however many versions have it: `<sha256>.br` and
 * `<sha256>.gz`. Readers and publishes may go on meanwhile; what is published during the work is left to the next time. Not
 * for two processes at a time on one store. Throws when a file cannot be read or written.
 */
export async function precompressSite(options: PrecompressOptions): Promise<PrecompressResult> {
  const { folder, store, concurrency = 1, signal } = options;
  const start = performance.now();
  await mkdir(store, { recursive: true });
  const known = await readCompressedIndex(store);
  const present = new Set(await readdir(store));
  const hashes = new Map<string, string>();
  const sizes = new Map<string, number>();
  let made = 0;
  let kept = 0;
  const listed = await listSiteFiles(folder, (path) => isCompressible(findContentType(path) ?? ''));
  const files = [...listed].filter(
    ([, { stamp }]) => stamp.size >= MIN_COMPRESSED_SIZE && stamp.size <= MAX_COMPRESSED_SIZE,
  );
  await pMap(files, ([stamp, file]) => compress(stamp, file), { concurrency });
  await writeCompressedIndex(store, { hashes, sizes });
  const removed = await removeUnused(store, present, sizes);
  return { contents: new Set(hashes.values()).size, made, kept, removed, ms: performance.now() - start };

  async function compress(stamp: string, file: ListedFile): Promise<void> {
    signal?.throwIfAborted();
    let body: Buffer | undefined;
    let hash = known.hashes.get(stamp);
    if (hash === undefined) {
      const content = await readListed(folder, file);
      if (!content) return;
      hash = content.hash;
      body = content.body;
    }
    hashes.set(stamp, hash);
    for (const compression of COMPRESSIONS) {
      const name = hash + COMPRESSION_SUFFIX[compression];
      if (sizes.has(name)) continue;
      const size = known.sizes.get(name);
      if (size === 0 || (size !== undefined && present.has(name))) {
        sizes.set(name, size);
        if (size > 0) kept++;
        continue;
      }
      // Claimed before the work, so that an equal file under another stamp does not do it again.
      sizes.set(name, 0);
      body ??= (await readListed(folder, file))?.body;
      if (!body) {
        sizes.delete(name);
        continue;
      }
      const bytes = await compressBody(body, compression);
      if (!isWorthSending(bytes.length, body.length)) continue;
      await writeWhole(join(store, name), bytes);
      sizes.set(name, bytes.length);
      made++;
    }
  }
}

/** Reads a file that is still the one that was listed. */
async function readListed(folder: string, { path, stamp }: ListedFile): Promise<FileContent | undefined> {
  const open = openSiteFile(folder, path);
  if (!open) return undefined;
  try {
    if (!isSameStamp(open.stamp, stamp)) return undefined;
    return await readSiteFile(open, MAX_COMPRESSED_SIZE);
  } finally {
    closeFile(open);
  }
}

/** Removes bodies that the site does not use, and what dead processes left. Returns the number of bodies. */
async function removeUnused(
  store: string,
  present: ReadonlySet<string>,
  sizes: ReadonlyMap<string, number>,
): Promise<number> {
  let removed = 0;
  for (const name of present) {
    if (name === INDEX_NAME || (sizes.get(name) ?? 0) > 0) continue;
    if (name.endsWith(UNFINISHED)) {
      const stats = await stat(join(store, name)).catch(() => undefined);
      if (!stats || Date.now() - stats.mtimeMs < UNFINISHED_MS) continue;
    } else if (!/^[0-9a-f]{64}\.(?:br|gz)$/.test(name)) continue;
    else removed++;
    await rm(join(store, name), { force: true });
  }
  return removed;
}
