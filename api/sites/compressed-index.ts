import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { COMPRESSION_SETTINGS } from './compress-body.ts';
import { isAbsent } from './open-site-file.ts';

/** What is known of a site's contents from the last time they were compressed. */
export interface CompressedIndex {
  /** Hashes by stamp (`formatStamp`). */
  readonly hashes: ReadonlyMap<string, string>;
  /** Sizes of compressed bodies by file name; 0 = not worth it. */
  readonly sizes: ReadonlyMap<string, number>;
}

/** Name of the file that holds the index. */
export const INDEX_NAME = 'index.json';
/** End of the names of files that are still being written. */
export const UNFINISHED = '.tmp';

const EMPTY: CompressedIndex = { hashes: new Map(), sizes: new Map() };

/** Reads the index of a folder; an empty one where there is none, or one of other settings, or damaged. */
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
    // Half written by a machine that lost power: everything is found out again.
    return EMPTY;
  }
}

/** Writes the index of a folder in one step. */
export function writeCompressedIndex(folder: string, { hashes, sizes }: CompressedIndex): Promise<void> {
  const index = { settings: COMPRESSION_SETTINGS, hashes: [...hashes], sizes: [...sizes] };
  return writeWhole(join(folder, INDEX_NAME), JSON.stringify(index));
}

/** Writes a file so that nobody ever sees part of it. */
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
