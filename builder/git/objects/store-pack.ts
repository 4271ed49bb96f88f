import { createHash, randomUUID } from 'node:crypto';
import { readSync } from 'node:fs';
import { type FileHandle, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import { encodeIndex, type PackEntries } from './pack-entries.ts';

/** A pack that is written but for its checksum. */
export interface WrittenPack {
  readonly entries: PackEntries;
  readonly end: number;
  /** The checksum, if it and the header are there already. */
  readonly checksum?: Buffer;
}

const COPY_BYTES = 1024 * 1024;

/**
 * Stores a pack with its index: both appear whole, named after the checksum, or not at all. Returns this name, or undefined when
 * what `write` returns has no entries.
 */
export async function storePack(
  packFolder: string,
  signal: AbortSignal,
  write: (file: FileHandle) => Promise<WrittenPack>,
): Promise<string | undefined> {
  const temporary = join(packFolder, `${randomUUID()}.tmp`);
  const file = await open(temporary, 'wx+');
  try {
    const { entries, end, checksum = await finish(file, entries.count, end, signal) } = await write(file);
    if (entries.count === 0) return undefined;
    const name = `pack-${checksum.toString('hex')}`;
    await writeFile(`${temporary}.idx`, encodeIndex(entries, checksum));
    // Readers look for the index first.
    await rename(temporary, join(packFolder, `${name}.pack`));
    await rename(`${temporary}.idx`, join(packFolder, `${name}.idx`));
    return name;
  } finally {
    await file.close();
    await rm(temporary, { force: true });
    await rm(`${temporary}.idx`, { force: true });
  }
}

/** Writes the number of entries into a pack's header, and behind its end the checksum of all its bytes, which is returned. */
async function finish(file: FileHandle, count: number, end: number, signal: AbortSignal): Promise<Buffer> {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  head.writeUInt32BE(count, 8);
  await file.write(head, 0, head.length, 0);
  const hash = createHash('sha1');
  const part = Buffer.allocUnsafe(COPY_BYTES);
  for (let at = 0; at < end; ) {
    const length = readSync(file.fd, part, 0, Math.min(part.length, end - at), at);
    hash.update(part.subarray(0, length));
    at += length;
    const turn = yieldToEventLoop();
    if (turn) await turn;
    signal.throwIfAborted();
  }
  const checksum = hash.digest();
  await file.truncate(end);
  await file.write(checksum, 0, checksum.length, end);
  return checksum;
}
