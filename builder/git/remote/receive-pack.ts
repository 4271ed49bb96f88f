import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { crc32, deflateSync } from 'node:zlib';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import { BuildError } from '../../build-error.ts';
import { hashObject, type RawObject } from '../objects/object-folders.ts';
import { createChainReader, keepObjects } from '../objects/object-store.ts';
import { addEntry, createEntries, type PackEntries } from '../objects/pack-entries.ts';
import {
  applyDelta,
  encodeEntryHeader,
  FormatError,
  OBJECT_TYPES,
  type PackEntry,
  TooLargeError,
} from '../objects/pack-entry.ts';
import { CHECKSUM_BYTES, createEntryReader, PACK_HEADER_BYTES, readCount } from '../objects/pack-file.ts';
import type { WrittenPack } from '../objects/store-pack.ts';
import { AnswerError, endedTooEarly } from './remote-errors.ts';

export interface ReceptionOptions {
  readonly maxObjectBytes: number;
  /** Limit of all objects together, unpacked. */
  readonly maxTotalBytes: number;
  /** Returns an object of the local repository; undefined if it is missing, contrary to what the server was told. */
  readonly readBase: (oid: string) => Promise<RawObject | undefined>;
  /** Aborts the work when it takes too long. */
  readonly signal: AbortSignal;
}

const MAX_ENTRIES = 4_000_000;
const WRITE_BYTES = 64 * 1024;
/** Cache limit in bytes for objects that deltas build upon; others are computed again. */
const MAX_KEPT_BYTES = 48 * 1024 * 1024;

/**
 * Writes a pack to a file while it arrives, and lists its objects meanwhile. Then the bases that it lacks are added, each once, so
 * that it is self-contained, as packs on disk must be. No more than one object is held in memory besides a cache. Throws
 * `AnswerError` when the pack is cut off or damaged, `BuildError` `fetch-limit` when its objects are too large, and
 * `damaged-repository` when a base does not exist.
 */
export async function receivePack(
  chunks: AsyncIterable<Buffer>,
  file: FileHandle,
  options: ReceptionOptions,
): Promise<WrittenPack> {
  const reception = createReception(file, options);
  try {
    let waiting: Buffer[] = [];
    let waitingBytes = 0;
    for await (const chunk of chunks) {
      waiting.push(chunk);
      waitingBytes += chunk.length;
      if (waitingBytes < WRITE_BYTES) continue;
      await reception.take(Buffer.concat(waiting));
      [waiting, waitingBytes] = [[], 0];
    }
    await reception.take(Buffer.concat(waiting));
    return await reception.complete();
  } catch (error) {
    if (error instanceof TooLargeError) throw tooLarge('an object', options.maxObjectBytes);
    if (!(error instanceof FormatError)) throw error;
    throw new AnswerError(`sent a damaged pack: ${error.message}`, { cause: error });
  }
}

interface Reception {
  /** Writes bytes, and lists the objects that are whole. */
  take(bytes: Buffer): Promise<void>;
  /** Lists what is left when all has arrived. */
  complete(): Promise<WrittenPack>;
}

function createReception(
  file: FileHandle,
  { maxObjectBytes, maxTotalBytes, readBase, signal }: ReceptionOptions,
): Reception {
  const entries = createEntries();
  const hash = createHash('sha1');
  /** The last bytes that arrived: the checksum, if these are all. */
  let last: Buffer = Buffer.alloc(0);
  let written = 0;
  let count: number | undefined;
  let at = PACK_HEADER_BYTES;
  /** How much must be there before it is worth trying to read the next entry. */
  let enough = 0;
  let totalBytes = 0;
  /** Deltas whose base is not known yet, by its id, or by the number of its entry behind a `#`. */
  const waiting = new Map<string, number[]>();
  /** Offsets of objects by their ids; made where deltas name bases by them. */
  let byId: Map<string, number> | undefined;
  let isGrowing = true;
  const isStillGrowing = (): boolean => isGrowing;
  const read = createEntryReader(file.fd, () => written, maxObjectBytes, isStillGrowing);
  const kept = keepObjects(MAX_KEPT_BYTES);
  const readObject = createChainReader((offset) => read(offset)!, {
    findBase: (id) => byId?.get(id.toString('hex')),
    kept,
    number: 0,
    maxBytes: maxObjectBytes,
  });

  const note = (entry: number, object: RawObject): void => {
    totalBytes += object.bytes.length;
    if (totalBytes > maxTotalBytes) throw tooLarge('objects', maxTotalBytes);
    const oid = hashObject(object);
    entries.types[entry] = OBJECT_TYPES.indexOf(object.type);
    entries.oids.write(oid, entry * 20, 'hex');
    kept.set(entries.offsets[entry]!, object);
    byId?.set(oid, entries.offsets[entry]!);
  };
  /** Makes the object of an entry; returns what it waits for if that is not known yet. */
  const settle = (number: number, { kind, bytes, distance, baseId }: PackEntry): string | undefined => {
    const type = OBJECT_TYPES[kind];
    if (type !== undefined) {
      note(number, { type, bytes });
      return undefined;
    }
    const id = baseId?.toString('hex');
    const base = id === undefined ? entries.offsets[number]! - distance! : byId?.get(id);
    if (base === undefined) return id;
    const entry = findEntry(entries, base);
    if (entries.types[entry] === 0) return `#${entry}`;
    const object = readObject(base);
    note(number, { type: object.type, bytes: applyDelta(object.bytes, bytes, maxObjectBytes) });
    return undefined;
  };
  const settleOrWait = (number: number, entry: PackEntry): boolean => {
    const key = settle(number, entry);
    if (key === undefined) return true;
    const others = waiting.get(key);
    if (others) others.push(number);
    else waiting.set(key, [number]);
    return false;
  };
  /** Makes all objects that wait for one, and those that wait for these. */
  const release = async (id: string): Promise<void> => {
    const ready = [id];
    for (let key = ready.pop(); key !== undefined; key = ready.pop()) {
      const numbers = waiting.get(key) ?? [];
      waiting.delete(key);
      for (const number of numbers) {
        const isSettled = settleOrWait(number, read(entries.offsets[number]!)!);
        if (isSettled) ready.push(`#${number}`, entries.oids.toString('hex', number * 20, number * 20 + 20));
        await takeTurn(signal);
      }
    }
  };
  const goOn = async (isWhole: boolean): Promise<void> => {
    if (count === undefined) {
      if (written < PACK_HEADER_BYTES) return;
      const head = Buffer.alloc(PACK_HEADER_BYTES);
      readSync(file.fd, head, 0, head.length, 0);
      count = readCount(head);
      if (count > MAX_ENTRIES) {
        throw new BuildError('fetch-limit', `The server sent ${count} objects at once, more than ${MAX_ENTRIES}`);
      }
    }
    while (entries.count < count && at < written && (isWhole || written >= enough)) {
      const entry = read(at);
      if (!entry) {
        enough = written + Math.max(WRITE_BYTES, written - at);
        return;
      }
      const number = addEntry(entries, at, entry.crc);
      at += entry.length;
      settleOrWait(number, entry);
      await takeTurn(signal);
    }
  };
  /** Adds a base that is missing to the end of the pack. */
  const addBase = async (object: RawObject): Promise<void> => {
    const head = encodeEntryHeader(OBJECT_TYPES.indexOf(object.type), object.bytes.length);
    const bytes = Buffer.concat([head, deflateSync(object.bytes)]);
    await file.write(bytes, 0, bytes.length, written);
    note(addEntry(entries, written, crc32(bytes)), object);
    written += bytes.length;
  };
  return {
    async take(bytes) {
      const known = Buffer.concat([last, bytes]);
      const end = Math.max(0, known.length - CHECKSUM_BYTES);
      hash.update(known.subarray(0, end));
      last = known.subarray(end);
      await file.write(bytes, 0, bytes.length, written);
      written += bytes.length;
      await goOn(false);
    },
    async complete() {
      isGrowing = false;
      await goOn(true);
      if (count === undefined || entries.count < count || at > written - CHECKSUM_BYTES) throw endedTooEarly();
      if (at < written - CHECKSUM_BYTES) throw new FormatError('it continues after its end');
      const checksum = hash.digest();
      if (!last.equals(checksum)) throw new FormatError('its checksum is wrong');
      if (waiting.size === 0) return { entries, end: at, checksum };
      written = at;
      byId = listIds(entries);
      for (const key of [...waiting.keys()]) if (byId.has(key)) await release(key);
      for (const key of [...waiting.keys()]) {
        const isMissing = !key.startsWith('#') && waiting.has(key) && !byId.has(key);
        const object = isMissing ? await readBase(key) : undefined;
        if (object) await addBase(object);
        if (byId.has(key)) await release(key);
      }
      if (waiting.size === 0) return { entries, end: written };
      throw new BuildError('damaged-repository', 'The server sent deltas against objects that are not here');
    },
  };
}

async function takeTurn(signal: AbortSignal): Promise<void> {
  const turn = yieldToEventLoop();
  if (!turn) return;
  await turn;
  signal.throwIfAborted();
}

function listIds({ count, oids, types, offsets }: PackEntries): Map<string, number> {
  const byId = new Map<string, number>();
  for (let entry = 0; entry < count; entry += 1) {
    if (types[entry] !== 0) byId.set(oids.toString('hex', entry * 20, entry * 20 + 20), offsets[entry]!);
  }
  return byId;
}

/** Finds the entry that begins at an offset; entries stand in the order of their offsets. Throws `FormatError`. */
function findEntry({ offsets, count }: PackEntries, offset: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (offsets[middle]! < offset) low = middle + 1;
    else high = middle;
  }
  if (low < count && offsets[low] === offset) return low;
  throw new FormatError('a delta names a base that is not an object');
}

function tooLarge(what: string, bytes: number): BuildError {
  return new BuildError('fetch-limit', `The server sent ${what} of more than ${bytes / 1e6} MB when unpacked`);
}
