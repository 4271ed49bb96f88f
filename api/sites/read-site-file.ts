import { createHash } from 'node:crypto';
import { fstat, read } from 'node:fs';
import { promisify } from 'node:util';
import type { FileContent } from './create-file-cache.ts';
import { isSameStamp } from './file-stamp.ts';
import type { OpenFile } from './open-site-file.ts';

const readBytes = promisify(read);
const CHUNK = 262_144;

/**
 * Reads an open file whole, and keeps its bytes when they are not more than `maxBodyBytes`. Returns undefined when the file
 * changed while it was read. Leaves it open.
 */
export async function readSiteFile(file: OpenFile, maxBodyBytes: number): Promise<FileContent | undefined> {
  const size = Number(file.stamp.size);
  const isKept = size <= maxBodyBytes;
  const buffer = Buffer.allocUnsafeSlow(isKept ? size : CHUNK);
  const hash = createHash('sha256');
  for (let at = 0; at < size; ) {
    const length = Math.min(CHUNK, size - at);
    const start = isKept ? at : 0;
    const { bytesRead } = await readBytes(file.descriptor, buffer, start, length, at);
    if (bytesRead === 0) return undefined;
    hash.update(buffer.subarray(start, start + bytesRead));
    at += bytesRead;
  }
  // Somebody may have written into the file meanwhile.
  const now = await promisify(fstat)(file.descriptor, { bigint: true } as const);
  if (!isSameStamp(now as never, file.stamp)) return undefined;
  return { size, hash: hash.digest('hex'), body: isKept ? buffer : undefined, compressed: new Map() };
}
