import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pMap from 'p-map';
import { COMPRESSIONS, compressBody, isWorthSending, MIN_COMPRESSED_SIZE } from '../../lib/body-compression.ts';
import {
  COMPRESSION_SUFFIX,
  INDEX_NAME,
  MAX_COMPRESSED_SIZE,
  readCompressedIndex,
  UNFINISHED,
  writeCompressedIndex,
  writeWhole,
} from './compressed-folder.ts';
import { findContentType, isCompressible } from './media-types.ts';
import { closeFile, isSameStamp, type ListedFile, listSiteFiles, openSiteFile, readSiteFile } from './site-files.ts';
import type { FileBody } from './site-storage.ts';

/** Returns the folder of a site's compressed bodies, which is beside the site. */
export function compressedFolder(siteFolder: string): string {
  return join(dirname(siteFolder), 'compressed');
}

/** Compresses the bodies of published sites in the background, one site at a time. */
export interface Precompressor {
  /** Schedules a site that was published. */
  refresh(siteFolder: string): void;
  /** Stops work on a site that is being removed; nothing is written beside it any longer. */
  forget(siteFolder: string): Promise<void>;
  close(): Promise<void>;
}

/** Creates a precompressor. A site that is published again meanwhile is processed again. */
export function createPrecompressor(onError: (error: unknown) => void): Precompressor {
  const due = new Set<string>();
  const stop = new AbortController();
  let working: Promise<void> | undefined;
  let current:
    | { readonly folder: string; readonly stop: AbortController; readonly ended: Promise<unknown> }
    | undefined;
  const work = async (): Promise<void> => {
    for (let [folder] = due; folder !== undefined && !stop.signal.aborted; [folder] = due) {
      due.delete(folder);
      const own = new AbortController();
      const signal = AbortSignal.any([stop.signal, own.signal]);
      const compressing = precompressSite({ folder, store: compressedFolder(folder), signal });
      const ended = compressing.catch((error) => signal.aborted || onError(error));
      current = { folder, stop: own, ended };
      await ended;
      current = undefined;
    }
  };
  return {
    refresh(folder) {
      due.add(folder);
      working ??= work().finally(() => {
        working = undefined;
      });
    },
    async forget(folder) {
      due.delete(folder);
      if (current?.folder !== folder) return;
      current.stop.abort();
      await current.ended;
    },
    async close() {
      stop.abort();
      await working;
    },
  };
}

interface PrecompressOptions {
  /** Folder of the published site. */
  readonly folder: string;
  /** Folder of compressed bodies of this site only: files that the site does not use are removed. */
  readonly store: string;
  /** Contents compressed at a time, each on another thread; default 1, which leaves the machine to readers. */
  readonly concurrency?: number | undefined;
  /** Stops the work; compressed bodies remain. */
  readonly signal?: AbortSignal | undefined;
}

/** The result of a run. */
interface PrecompressResult {
  /** Distinct contents that may be sent compressed. */
  readonly contents: number;
  /** Compressed bodies that were created, and that existed. */
  readonly made: number;
  readonly kept: number;
  readonly removed: number;
  /** Duration, ms. */
  readonly ms: number;
}

/** Unfinished files older than this belong to a process that died. */
const UNFINISHED_MS = 3_600_000;

/**
 * Creates the compressed bodies of a published site, each content once, however many versions have it: `<sha256>.br` and
 * `<sha256>.gz`. Readers and publishes may continue meanwhile; what is published meanwhile is left to the next run. Only one
 * process may work on a store. Throws when a file cannot be read or written.
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
      // Claimed before the work, so that an equal file with another stamp does not repeat it.
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

/** Reads a file if it is still the one that was listed. */
async function readListed(folder: string, { path, stamp }: ListedFile): Promise<FileBody | undefined> {
  const open = openSiteFile(folder, path);
  if (!open) return undefined;
  try {
    if (!isSameStamp(open.stamp, stamp)) return undefined;
    return await readSiteFile(open, MAX_COMPRESSED_SIZE);
  } finally {
    closeFile(open);
  }
}

/** Removes bodies that the site does not use, and files of dead processes. Returns the number of bodies. */
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
