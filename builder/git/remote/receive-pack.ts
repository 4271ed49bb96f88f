import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { crc32, createInflate } from 'node:zlib';
import { yieldToEventLoop } from '../../../lib/yield-to-event-loop.ts';
import { BuildError } from '../../build-error.ts';
import { FormatError, readDeltaSizes } from '../objects/delta.ts';
import { addEntry, createEntries, MAX_ENTRIES, type PackEntries } from '../objects/pack-entries.ts';
import {
  CHECKSUM_BYTES,
  DELTA_BY_ID,
  DELTA_BY_OFFSET,
  type EntryHeader,
  inflateExactly,
  MAX_ENTRY_HEADER_BYTES,
  OBJECT_TYPES,
  PACK_HEADER_BYTES,
  packedBound,
  parseEntryHeader,
} from '../objects/pack-file.ts';
import { AnswerError, endedTooEarly } from './remote-errors.ts';

/** Size limits of a pack's unpacked objects. */
export interface PackLimits {
  readonly maxObjectBytes: number;
  /** Limit of all objects together; a delta counts as its result. */
  readonly maxTotalBytes: number;
}

/** A received pack, complete except for its final checksum and for bases that the receiver has. */
export interface ReceivedPack {
  readonly entries: PackEntries;
  /** Entries that are deltas against an object named by its id, by this id in hexadecimal digits. */
  readonly waiting: Map<string, number[]>;
  /** Where the entries end. */
  readonly end: number;
  readonly checksum: Buffer;
}

/** Larger objects are unpacked in parts, since only their id is needed here. */
const MAX_WHOLE_BYTES = 1024 * 1024;
const PART_BYTES = 64 * 1024;

/**
 * Writes a pack to a file as it arrives, and lists its entries. No more than one object is held in memory. Throws
 * `AnswerError` when the pack is cut off or damaged, `BuildError` `fetch-limit` when its objects are too large. Format:
 * git's Documentation/gitformat-pack.
 */
export async function receivePack(
  chunks: AsyncIterable<Buffer>,
  file: FileHandle,
  limits: PackLimits,
): Promise<ReceivedPack> {
  const hash = createHash('sha1');
  const input = createInput(chunks, async (bytes) => {
    hash.update(bytes);
    await file.appendFile(bytes);
  });
  try {
    const count = await receiveHeader(input);
    const entries = createEntries(count);
    const waiting = new Map<string, number[]>();
    for (let total = 0; entries.count < count; ) {
      total += await receiveEntry(input, { entries, waiting, limits });
      if (total > limits.maxTotalBytes) throw tooLarge('objects', limits.maxTotalBytes);
      const turn = yieldToEventLoop();
      if (turn) await turn;
    }
    const end = input.position();
    await input.flush();
    const checksum = hash.digest();
    await receiveTrailer(input, checksum);
    return { entries, waiting, end, checksum };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new AnswerError(`sent a damaged pack: ${error.message}`, { cause: error });
  }
}

async function receiveHeader(input: Input): Promise<number> {
  if (!(await input.fill(PACK_HEADER_BYTES))) throw endedTooEarly();
  const head = input.view();
  const version = head.readUInt32BE(4);
  if (head.toString('latin1', 0, 4) !== 'PACK' || (version !== 2 && version !== 3)) {
    throw new FormatError('it does not start like one');
  }
  const count = head.readUInt32BE(8);
  if (count > MAX_ENTRIES) {
    throw new BuildError('fetch-limit', `The server sent ${count} objects at once, more than ${MAX_ENTRIES}`);
  }
  input.take(PACK_HEADER_BYTES);
  return count;
}

async function receiveTrailer(input: Input, checksum: Buffer): Promise<void> {
  if (!(await input.fill(CHECKSUM_BYTES))) throw endedTooEarly();
  if (!input.view().subarray(0, CHECKSUM_BYTES).equals(checksum)) throw new FormatError('its checksum is wrong');
  if (await input.fill(CHECKSUM_BYTES + 1)) throw new FormatError('it continues after its end');
}

/** Reads one entry and returns the bytes that its object has when unpacked. */
async function receiveEntry(
  input: Input,
  { entries, waiting, limits }: Pick<ReceivedPack, 'entries' | 'waiting'> & { readonly limits: PackLimits },
): Promise<number> {
  await input.fill(MAX_ENTRY_HEADER_BYTES);
  const header = parseEntryHeader(input.view());
  if (header === undefined) throw endedTooEarly();
  const { kind, size, distance, baseId } = header;
  if (size > limits.maxObjectBytes) throw tooLarge('an object', limits.maxObjectBytes);
  const offset = input.position();
  const base = distance === undefined ? -1 : findEntry(entries, offset - distance);
  if (base === undefined) throw new FormatError('a delta names a base that is not an object');
  const { head, id, crc } = await (size > MAX_WHOLE_BYTES ? skimLarge(input, header) : unpackSmall(input, header));
  const entry = addEntry(entries, offset, base);
  entries.crcs[entry] = crc;
  if (kind !== DELTA_BY_OFFSET && kind !== DELTA_BY_ID) {
    entries.types[entry] = kind;
    id.copy(entries.oids, entry * 20);
    return size;
  }
  if (baseId) {
    const key = baseId.toString('hex');
    const others = waiting.get(key);
    if (others) others.push(entry);
    else waiting.set(key, [entry]);
  }
  const { result } = readDeltaSizes(head);
  if (result > limits.maxObjectBytes) throw tooLarge('an object', limits.maxObjectBytes);
  return result;
}

/** The needed parts of an entry's content. */
interface Unpacked {
  /** Its first bytes. */
  readonly head: Buffer;
  /** Of a whole object; of a delta it means nothing. */
  readonly id: Buffer;
  /** Checksum of the entry as it is stored. */
  readonly crc: number;
}

async function unpackSmall(input: Input, { kind, size, length }: EntryHeader): Promise<Unpacked> {
  for (let wanted = packedBound(size); ; wanted *= 2) {
    const isThere = await input.fill(length + wanted);
    const unpacked = inflateExactly(input.view().subarray(length), size);
    if (unpacked) {
      const id = createHash('sha1').update(describe(kind, size)).update(unpacked.content).digest();
      return { head: unpacked.content, id, crc: crc32(input.take(length + unpacked.length)) };
    }
    if (!isThere) throw endedTooEarly();
  }
}

async function skimLarge(input: Input, { kind, size, length }: EntryHeader): Promise<Unpacked> {
  let crc = crc32(input.take(length));
  const hash = createHash('sha1').update(describe(kind, size));
  const inflate = createInflate();
  let head: Buffer | undefined;
  let unpacked = 0;
  inflate.on('data', (bytes: Buffer) => {
    head ??= bytes;
    unpacked += bytes.length;
    hash.update(bytes);
    if (unpacked > size) inflate.destroy(new FormatError('an object does not have the size it declares'));
  });
  let hasEnded = false;
  const ended = new Promise<void>((resolve, reject) => {
    inflate.once('end', resolve);
    inflate.once('error', reject);
  }).finally(() => {
    hasEnded = true;
  });
  ended.catch(() => {});
  try {
    while (!hasEnded) {
      if (!(await input.fill(1))) throw endedTooEarly();
      const part = input.view().subarray(0, PART_BYTES);
      const before = inflate.bytesWritten;
      // It stops at the end of the stream, even within the part, and then does not call back.
      await Promise.race([new Promise((resolve) => inflate.write(part, resolve)), ended]);
      crc = crc32(input.take(inflate.bytesWritten - before), crc);
    }
    await ended;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw new FormatError('an object cannot be unpacked');
    throw error;
  } finally {
    inflate.destroy();
  }
  if (unpacked !== size) throw new FormatError('an object does not have the size it declares');
  return { head: head ?? Buffer.alloc(0), id: hash.digest(), crc };
}

/** Returns the header that precedes an object's content when its id is computed. */
function describe(kind: number, size: number): string {
  return `${OBJECT_TYPES[kind] ?? ''} ${size}\0`;
}

/** Finds the entry that begins at an offset; entries stand in the order of their offsets. */
function findEntry({ offsets, count }: PackEntries, offset: number): number | undefined {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (offsets[middle]! < offset) low = middle + 1;
    else high = middle;
  }
  return low < count && offsets[low] === offset ? low : undefined;
}

/** Arriving bytes, available in the needed amounts. */
interface Input {
  /** Waits until this many bytes are available; false if there are no more. */
  fill(wanted: number): Promise<boolean>;
  /** Returns all available bytes. */
  view(): Buffer;
  /** Removes bytes from the beginning of the available ones, and returns them. */
  take(length: number): Buffer;
  /** Number of bytes taken so far. */
  position(): number;
  /** Passes on all bytes taken so far. */
  flush(): Promise<void>;
}

/** Creates an input over chunks, however small; taken bytes are passed on in large parts. */
function createInput(chunks: AsyncIterable<Buffer>, onTaken: (bytes: Buffer) => Promise<void>): Input {
  const source = chunks[Symbol.asyncIterator]();
  let window: Buffer = Buffer.alloc(0);
  let at = 0;
  let handedOn = 0;
  let windowStart = 0;
  const flush = async () => {
    if (at > handedOn) await onTaken(window.subarray(handedOn, at));
    handedOn = at;
  };
  return {
    async fill(wanted) {
      if (window.length - at >= wanted) return true;
      await flush();
      const parts = [window.subarray(at)];
      let length = window.length - at;
      while (length < Math.max(wanted, PART_BYTES)) {
        const { value, done } = await source.next();
        if (done) break;
        parts.push(value);
        length += value.length;
      }
      windowStart += at;
      window = Buffer.concat(parts, length);
      at = 0;
      handedOn = 0;
      return length >= wanted;
    },
    view: () => window.subarray(at),
    take(length) {
      const taken = window.subarray(at, at + length);
      at += length;
      return taken;
    },
    position: () => windowStart + at,
    flush,
  };
}

function tooLarge(what: string, bytes: number): BuildError {
  return new BuildError('fetch-limit', `The server sent ${what} of more than ${bytes / 1e6} MB when unpacked`);
}
