import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import {
  COMPRESSION_SUFFIX,
  type Compression,
  compressBody,
  decompressBody,
  isWorthSending,
  MAX_COMPRESSED_SIZE,
  MIN_COMPRESSED_SIZE,
} from './compress-body.ts';
import type { FileContent } from './create-file-cache.ts';

/** Larger bodies are not compressed while somebody waits: 10 ms of work. */
const MAX_SIZE = 262_144;
const MAX_RUNNING = 16;
let running = 0;

/**
 * Returns a compressed body: the one in the folder of compressed bodies, else, for a small one, made now. Returns `none`
 * where it is not worth sending, undefined where nothing can be said yet: too much is being compressed already, or the
 * body is large and its turn is still to come. With `isForced` it is made also where it is not worth it.
 */
export async function findCompressed(
  content: FileContent,
  compression: Compression,
  options: { readonly folder: string | undefined; readonly maxBytes: number; readonly isForced: boolean },
): Promise<Buffer | 'none' | undefined> {
  const { size, body } = content;
  const { folder, maxBytes, isForced } = options;
  if (size < MIN_COMPRESSED_SIZE && !isForced) return 'none';
  const stored = folder === undefined ? undefined : await readStored(folder, content, compression, maxBytes);
  if (stored) return stored;
  if (!body || body.length > MAX_SIZE || running >= MAX_RUNNING) return undefined;
  running++;
  try {
    const bytes = await compressBody(body, compression);
    return isForced || isWorthSending(bytes.length, size) ? bytes : 'none';
  } finally {
    running--;
  }
}

/** Reads a stored body and makes sure that it is what it says: a machine that lost power may have left anything. */
async function readStored(
  folder: string,
  content: FileContent,
  compression: Compression,
  maxBytes: number,
): Promise<Buffer | undefined> {
  if (content.size > MAX_COMPRESSED_SIZE) return undefined;
  try {
    const path = join(folder, content.hash + COMPRESSION_SUFFIX[compression]);
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
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
    // Not there, just removed, or not readable: readers get the page all the same.
    return undefined;
  }
}
