import { createHash, randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import { BuildError } from '../../build-error.ts';
import { addEntry, createEntries, encodeIndex, type PackEntries } from './pack-entries.ts';
import { DELTA_BY_ID, encodeEntryHeader, FormatError } from './pack-entry.ts';
import { openPackFile, PACK_HEADER_BYTES } from './pack-file.ts';

/** A pack that is written but for its checksum. */
export interface WrittenPack {
  readonly entries: PackEntries;
  /** Where the entries end. */
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

/** Each fetch adds a pack, and a reader that looks for an object may have to ask all of them. */
const MAX_PACKS = 24;

/**
 * Joins small packs of a folder into one when there are too many. Entries are copied as they are stored, each object once, from the
 * first pack that has it, so that no deltas lead in a circle; nothing is compressed again. Large packs are kept, so that little is
 * copied repeatedly over time. Throws `BuildError` `damaged-repository` for an incomplete pack.
 */
export async function mergePacks(packFolder: string, signal: AbortSignal): Promise<void> {
  const names = (await readdir(packFolder)).flatMap((name) => (name.endsWith('.idx') ? [name.slice(0, -4)] : []));
  if (names.length <= MAX_PACKS) return;
  const bytesOf = async (name: string) => ({ name, bytes: (await stat(join(packFolder, `${name}.pack`))).size });
  const chosen = choosePacks(await Promise.all(names.map(bytesOf)));
  const merged = await storePack(packFolder, signal, async (file) => {
    const entries = createEntries();
    const known = new Set<string>();
    let end = PACK_HEADER_BYTES;
    for (const name of chosen) end = await copyPack(join(packFolder, name), { file, entries, known, end, signal });
    await file.sync();
    return { entries, end };
  }).catch((cause: unknown) => {
    if (!(cause instanceof FormatError)) throw cause;
    throw new BuildError('damaged-repository', `A pack in "${packFolder}" is damaged: ${cause.message}`, { cause });
  });
  // Processes that have opened them can continue to read them.
  for (const name of chosen.filter((one) => one !== merged)) {
    await rm(join(packFolder, `${name}.idx`), { force: true });
    await rm(join(packFolder, `${name}.pack`), { force: true });
  }
}

/** A pack that is made of others. */
interface Target {
  readonly file: FileHandle;
  readonly entries: PackEntries;
  /** Ids of its objects. */
  readonly known: Set<string>;
  readonly end: number;
  readonly signal: AbortSignal;
}

/** Copies the objects of a pack that the target lacks, and returns where that ends now. */
async function copyPack(path: string, { file, entries, known, end, signal }: Target): Promise<number> {
  const pack = openPackFile(`${path}.idx`, Number.POSITIVE_INFINITY);
  const source = openSync(`${path}.pack`, 'r');
  try {
    const objects = Array.from({ length: pack.index.count }, (_, place) => pack.index.entryAt(place));
    const idAt = new Map(objects.map(({ oid, offset }) => [offset, oid]));
    let at = end;
    for (const { oid, offset, crc } of objects.sort((a, b) => a.offset - b.offset)) {
      const key = oid.toString('hex');
      if (known.has(key)) continue;
      known.add(key);
      const entry = pack.readEntry(offset);
      const stored = Buffer.allocUnsafe(entry.length);
      readSync(source, stored, 0, stored.length, offset);
      if (crc32(stored) !== crc) throw new FormatError('a checksum is wrong');
      // A distance does not last: such a base is named by its id.
      const base = entry.distance === undefined ? undefined : idAt.get(offset - entry.distance);
      const head = base
        ? [encodeEntryHeader(DELTA_BY_ID, entry.bytes.length), base]
        : [stored.subarray(0, entry.headLength)];
      const bytes = Buffer.concat([...head, stored.subarray(entry.headLength)]);
      writeSync(file.fd, bytes, 0, bytes.length, at);
      const number = addEntry(entries, at, crc32(bytes));
      oid.copy(entries.oids, number * 20);
      at += bytes.length;
      const turn = yieldToEventLoop();
      if (turn) await turn;
      signal.throwIfAborted();
    }
    return at;
  } finally {
    closeSync(source);
    pack.close();
  }
}

/** Chooses the smallest packs, as long as the next one is not larger than all of them together, and at least half. */
function choosePacks(packs: readonly { readonly name: string; readonly bytes: number }[]): readonly string[] {
  const sorted = packs.toSorted((a, b) => a.bytes - b.bytes);
  let total = 0;
  const end = sorted.findIndex(({ bytes }, index) => {
    if (index >= packs.length / 2 && bytes > total) return true;
    total += bytes;
    return false;
  });
  return sorted.slice(0, end < 0 ? sorted.length : end).map(({ name }) => name);
}
