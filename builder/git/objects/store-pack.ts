import { createHash, randomUUID } from 'node:crypto';
import { readSync } from 'node:fs';
import { type FileHandle, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import type { PackEntries } from './pack-entries.ts';
import { encodeIndex } from './pack-index.ts';

/** A pack that is written: its entries and the checksum it ends with. */
export interface WrittenPack {
  readonly entries: PackEntries;
  readonly checksum: Buffer;
}

const COPY_BYTES = 1024 * 1024;

/**
 * Stores a pack with its index: both appear whole, named after the checksum, or not at all. Returns
 * this name, or undefined when `write` returns no pack.
 */
export async function storePack(
  packFolder: string,
  write: (file: FileHandle) => Promise<WrittenPack | undefined>,
): Promise<string | undefined> {
  const temporary = join(packFolder, `${randomUUID()}.tmp`);
  const file = await open(temporary, 'wx+');
  try {
    const pack = await write(file);
    if (!pack) return undefined;
    const name = `pack-${pack.checksum.toString('hex')}`;
    await writeFile(`${temporary}.idx`, encodeIndex(pack.entries, pack.checksum));
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

/** Removes a pack. Processes that have opened it can continue to read it. */
export async function removePack(packFolder: string, name: string): Promise<void> {
  await rm(join(packFolder, `${name}.idx`), { force: true });
  await rm(join(packFolder, `${name}.pack`), { force: true });
}

/** Writes how many objects a pack has now, and returns the checksum of all its bytes. */
export async function rewriteCount(file: FileHandle, count: number, end: number, signal: AbortSignal): Promise<Buffer> {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(count);
  await file.write(number, 0, number.length, 8);
  const hash = createHash('sha1');
  const part = Buffer.allocUnsafe(Math.min(end, COPY_BYTES));
  for (let at = 0; at < end; ) {
    const length = readSync(file.fd, part, 0, Math.min(part.length, end - at), at);
    hash.update(part.subarray(0, length));
    at += length;
    const turn = yieldToEventLoop();
    if (turn) await turn;
    signal.throwIfAborted();
  }
  return hash.digest();
}
