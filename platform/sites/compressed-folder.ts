import { createHash, randomBytes } from 'node:crypto';
import { constants as fileConstants } from 'node:fs';
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { COMPRESSION_SETTINGS, type Compression, decompressBody } from '../../lib/body-compression.ts';
import { isAbsent } from './site-files.ts';
import type { FileBody } from './site-storage.ts';

/** Suffixes of files with compressed bodies. */
export const COMPRESSION_SUFFIX: Readonly<Record<Compression, string>> = { br: '.br', gzip: '.gz' };

/** Larger bodies are not worth the memory of compressing them. */
export const MAX_COMPRESSED_SIZE = 33_554_432;

/** Facts about a site's contents from the last compression. */
interface CompressedIndex {
  /** Hashes by stamp (`formatStamp`). */
  readonly hashes: ReadonlyMap<string, string>;
  /** Sizes of compressed bodies by file name; 0 = not worth it. */
  readonly sizes: ReadonlyMap<string, number>;
}

/** Name of the file with the index. */
export const INDEX_NAME = 'index.json';
/** Suffix of files that are being written. */
export const UNFINISHED = '.tmp';

const EMPTY: CompressedIndex = { hashes: new Map(), sizes: new Map() };

/** Reads the index of a folder; returns an empty one where it is missing, damaged or of other settings. */
export async function readCompressedIndex(folder: string): Promise<CompressedIndex> {
  let text: string;
  try {
    text = await readFile(join(folder, INDEX_NAME), 'utf8');
  } catch (error) {
    if (isAbsent(error)) return EMPTY;
    throw error;
  }
  try {
    const index = JSON.parse(text) as { settings: unknown; hashes: [string, string][]; sizes: [string, number][] };
    if (index.settings !== COMPRESSION_SETTINGS) return EMPTY;
    return { hashes: new Map(index.hashes), sizes: new Map(index.sizes) };
  } catch {
    // Half written by a machine that lost power: it is built again.
    return EMPTY;
  }
}

/** Replaces the index of a folder atomically. */
export function writeCompressedIndex(folder: string, { hashes, sizes }: CompressedIndex): Promise<void> {
  const index = { settings: COMPRESSION_SETTINGS, hashes: [...hashes], sizes: [...sizes] };
  return writeWhole(join(folder, INDEX_NAME), JSON.stringify(index));
}

/** Writes a file so that no reader ever sees a part of it. */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  const unfinished = `${path}.${randomBytes(6).toString('hex')}${UNFINISHED}`;
  try {
    await writeFile(unfinished, content, { flag: 'wx' });
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Reads and verifies a compressed body of a folder: a machine that lost power may have left anything. */
export async function readCompressed(
  folder: string,
  content: FileBody,
  compression: Compression,
  maxBytes: number,
): Promise<Buffer | undefined> {
  if (content.size > MAX_COMPRESSED_SIZE) return undefined;
  try {
    const path = join(folder, content.hash + COMPRESSION_SUFFIX[compression]);
    const handle = await open(path, fileConstants.O_RDONLY | fileConstants.O_NOFOLLOW | fileConstants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!stats.isFile() || stats.size > maxBytes) return undefined;
      const bytes = await handle.readFile();
      const body = await decompressBody(bytes, compression, content.size).catch(() => undefined);
      return body && createHash('sha256').update(body).digest('hex') === content.hash ? bytes : undefined;
    } finally {
      await handle.close();
    }
  } catch {
    // Missing, just removed or not readable: the page is sent in another coding.
    return undefined;
  }
}
