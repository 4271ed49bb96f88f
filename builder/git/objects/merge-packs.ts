import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type FileHandle, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import { BuildError } from '../../build-error.ts';
import { FormatError } from './delta.ts';
import { addEntry, createEntries, type PackEntries } from './pack-entries.ts';
import {
  CHECKSUM_BYTES,
  DELTA_BY_OFFSET,
  encodeDistance,
  encodeEntryHeader,
  encodePackHeader,
  parseEntryHeader,
} from './pack-file.ts';
import { openIndex, type PackIndex } from './pack-index.ts';
import { removePack, rewriteCount, storePack, type WrittenPack } from './store-pack.ts';

/** Each fetch adds a pack, and a reader that looks for an object may have to ask all of them. */
const MAX_PACKS = 24;
const WRITE_BYTES = 1024 * 1024;
/** git itself never creates chains of more than 4,095 deltas. */
const MAX_CHAIN = 10_000;

/**
 * Joins small packs of a folder into one when there are too many. Entries are copied as they are stored, each object
 * once; nothing is compressed again. Large packs are kept, so that little is copied repeatedly over time. Throws
 * `BuildError` `damaged-repository` for an incomplete pack.
 */
export async function mergePacks(packFolder: string, signal: AbortSignal): Promise<void> {
  const names = (await readdir(packFolder)).flatMap((name) => (name.endsWith('.idx') ? [name.slice(0, -4)] : []));
  if (names.length <= MAX_PACKS) return;
  const packs = await Promise.all(
    names.map(async (name) => ({ name, bytes: (await stat(join(packFolder, `${name}.pack`))).size })),
  );
  const chosen = choosePacks(packs);
  const merged = await storePack(packFolder, (file) => copyPacks(packFolder, chosen, file, signal)).catch(
    (cause: unknown) => {
      if (!(cause instanceof FormatError)) throw cause;
      throw new BuildError('damaged-repository', `A pack in "${packFolder}" is damaged: ${cause.message}`, { cause });
    },
  );
  for (const name of chosen) if (name !== merged) await removePack(packFolder, name);
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

/** The pack being written. */
interface Target {
  readonly entries: PackEntries;
  /** The offset of each object, by its id in hexadecimal digits. */
  readonly places: Map<string, number>;
  end: number;
  write(bytes: Buffer): Promise<void>;
}

async function copyPacks(
  packFolder: string,
  names: readonly string[],
  file: FileHandle,
  signal: AbortSignal,
): Promise<WrittenPack> {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  const flush = async () => {
    await file.appendFile(Buffer.concat(waiting, waitingBytes));
    waiting = [];
    waitingBytes = 0;
  };
  const target: Target = {
    entries: createEntries(10_000),
    places: new Map(),
    end: 0,
    async write(bytes) {
      waiting.push(bytes);
      waitingBytes += bytes.length;
      this.end += bytes.length;
      if (waitingBytes >= WRITE_BYTES) await flush();
    },
  };
  await target.write(encodePackHeader(0));
  for (const name of names) {
    const index = openIndex(join(packFolder, `${name}.idx`));
    try {
      const fd = openSync(join(packFolder, `${name}.pack`), 'r');
      try {
        await copyEntries({ fd, index }, target, signal);
      } finally {
        closeSync(fd);
      }
    } finally {
      index.close();
    }
  }
  await flush();
  const checksum = await rewriteCount(file, target.entries.count, target.end, signal);
  await file.appendFile(checksum);
  await file.sync();
  return { entries: target.entries, checksum };
}

/** Copies objects that the target lacks; a base precedes its deltas, so that these can refer to its offset. */
async function copyEntries(
  { fd, index }: { readonly fd: number; readonly index: PackIndex },
  target: Target,
  signal: AbortSignal,
): Promise<void> {
  const offsets = Float64Array.from({ length: index.count }, (_, place) => index.offsetAt(place));
  const order = Uint32Array.from(offsets.keys()).sort((a, b) => offsets[a]! - offsets[b]!);
  const sorted = offsets.toSorted();
  const end = fstatSync(fd).size - CHECKSUM_BYTES;
  const findPlace = (offset: number | undefined): number => {
    const at = offset === undefined ? -1 : findSorted(sorted, offset);
    if (at < 0) throw new FormatError('a delta names a base that is not an object');
    return at;
  };
  for (let first = 0; first < order.length; first += 1) {
    const path = [first];
    while (path.length > 0) {
      const at = path.at(-1)!;
      const place = order[at]!;
      const oid = index.oidAt(place).toString('hex');
      if (target.places.has(oid)) {
        path.pop();
        continue;
      }
      const offset = sorted[at]!;
      const stored = Buffer.allocUnsafe((sorted[at + 1] ?? end) - offset);
      if (readSync(fd, stored, 0, stored.length, offset) < stored.length) throw new FormatError('it is cut off');
      if (crc32(stored) !== index.crcAt(place)) throw new FormatError('a checksum is wrong');
      const header = parseEntryHeader(stored);
      if (!header) throw new FormatError('it is cut off');
      const { distance, baseId } = header;
      const base = distance !== undefined ? findPlace(offset - distance) : baseId && findPlace(index.find(baseId));
      const baseStart = base === undefined ? undefined : target.places.get(index.oidAt(order[base]!).toString('hex'));
      if (base !== undefined && baseStart === undefined) {
        path.push(base);
        if (path.length > MAX_CHAIN) throw new FormatError('a chain of deltas is too long or circular');
        continue;
      }
      const start = target.end;
      const head =
        baseStart === undefined
          ? stored.subarray(0, header.length)
          : Buffer.concat([encodeEntryHeader(DELTA_BY_OFFSET, header.size), encodeDistance(start - baseStart)]);
      const bytes = Buffer.concat([head, stored.subarray(header.length)]);
      await target.write(bytes);
      const entry = addEntry(target.entries, start);
      target.entries.crcs[entry] = crc32(bytes);
      target.entries.oids.write(oid, entry * 20, 'hex');
      target.places.set(oid, start);
      path.pop();
      const turn = yieldToEventLoop();
      if (turn) {
        await turn;
        signal.throwIfAborted();
      }
    }
  }
}

/** Returns the index of a number in a sorted list, or -1. */
function findSorted(list: Float64Array, number: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return list[low] === number ? low : -1;
}
