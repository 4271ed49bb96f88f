import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { FormatError } from './delta.ts';
import { openIndex, type PackIndex } from './pack-index.ts';

/** The types of whole objects by their number in a pack. */
export const OBJECT_TYPES = [undefined, 'commit', 'tree', 'blob', 'tag'] as const;
export const DELTA_BY_OFFSET = 6;
export const DELTA_BY_ID = 7;
export const PACK_HEADER_BYTES = 12;
export const CHECKSUM_BYTES = 20;

/** An entry of a pack as it is stored: a whole object, or a delta against the entry at `base`. */
export interface PackEntry {
  readonly kind: number;
  readonly bytes: Buffer;
  readonly base: number | undefined;
}

/** A pack with its index. Only the part of the pack that was read last is kept in memory. */
export interface PackFile {
  readonly count: number;
  /** Returns the offset of an object, or undefined when the pack does not hold it. */
  find(oid: Buffer): number | undefined;
  /** Throws `FormatError`, also for entries that unpack to more than the limit. */
  readEntry(offset: number): PackEntry;
  close(): void;
}

const WINDOW_BYTES = 8 * 1024;

/**
 * Opens a pack by the path of its index (version 1 or 2). Throws `FormatError` when the two do not belong together.
 * Format: git's Documentation/gitformat-pack.
 */
export function openPackFile(indexPath: string, maxObjectBytes: number): PackFile {
  const index = openIndex(indexPath);
  let fd: number | undefined;
  try {
    fd = openSync(indexPath.replace(/\.idx$/, '.pack'), 'r');
    const end = checkPackFile(fd, index);
    return createPackFile(fd, end, index, maxObjectBytes);
  } catch (error) {
    index.close();
    if (fd !== undefined) closeSync(fd);
    throw error;
  }
}

/** Returns where the entries end. */
function checkPackFile(fd: number, index: PackIndex): number {
  const end = fstatSync(fd).size - CHECKSUM_BYTES;
  const head = Buffer.alloc(PACK_HEADER_BYTES);
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  if (end < PACK_HEADER_BYTES || readSync(fd, head, 0, head.length, 0) < head.length) {
    throw new FormatError('the pack is cut off');
  }
  readSync(fd, checksum, 0, checksum.length, end);
  const version = head.readUInt32BE(4);
  if (head.toString('latin1', 0, 4) !== 'PACK' || (version !== 2 && version !== 3)) {
    throw new FormatError('the pack does not start like one');
  }
  if (head.readUInt32BE(8) !== index.count || !checksum.equals(index.packChecksum)) {
    throw new FormatError('the pack and its index do not belong together');
  }
  return end;
}

function createPackFile(fd: number, end: number, index: PackIndex, maxObjectBytes: number): PackFile {
  const readStored = createEntryReader(fd, () => end, maxObjectBytes);
  return {
    count: index.count,
    find: index.find,
    readEntry(offset) {
      const { kind, bytes, distance, baseId } = readStored(offset);
      const base = distance === undefined ? baseId && index.find(baseId) : offset - distance;
      if (baseId && base === undefined) throw new FormatError('the base of a delta is not in its pack');
      return { kind, bytes, base };
    },
    close() {
      index.close();
      closeSync(fd);
    },
  };
}

/** An entry as it is stored, with its content unpacked. */
export interface StoredEntry extends EntryHeader {
  readonly bytes: Buffer;
}

/** Creates a reader of the entries of a pack by their offset; `findEnd` tells where they end. It throws `FormatError`. */
export function createEntryReader(
  fd: number,
  findEnd: () => number,
  maxObjectBytes: number,
): (offset: number) => StoredEntry {
  const window = Buffer.allocUnsafeSlow(WINDOW_BYTES);
  let windowStart = 0;
  let windowEnd = 0;

  /** Returns the bytes from a position on: as many as wanted, or up to the end. Valid until the next call. */
  function view(position: number, wanted: number): Buffer {
    const end = findEnd();
    const length = Math.min(wanted, end - position);
    if (position >= windowStart && position + length <= windowEnd) {
      return window.subarray(position - windowStart, windowEnd - windowStart);
    }
    if (length > WINDOW_BYTES) {
      const bytes = Buffer.allocUnsafe(length);
      return bytes.subarray(0, readSync(fd, bytes, 0, length, position));
    }
    windowStart = position;
    windowEnd = position;
    windowEnd += readSync(fd, window, 0, Math.min(WINDOW_BYTES, end - position), position);
    return window.subarray(0, windowEnd - windowStart);
  }

  return (offset) => {
    const end = findEnd();
    if (offset < PACK_HEADER_BYTES || offset >= end) throw new FormatError('an offset is outside the pack');
    const header = parseEntryHeader(view(offset, MAX_ENTRY_HEADER_BYTES));
    if (header === undefined) throw new FormatError('an entry of the pack is cut off');
    const { size } = header;
    if (size > maxObjectBytes) throw new FormatError(`an object has ${size} bytes, more than ${maxObjectBytes}`);
    const start = offset + header.length;
    for (let wanted = packedBound(size); ; wanted *= 2) {
      const unpacked = inflateExactly(view(start, wanted), size);
      if (unpacked) return { ...header, bytes: unpacked.content };
      if (start + wanted >= end) throw new FormatError('an entry of the pack is cut off');
    }
  };
}

/** Longest header of an entry: type and size, then the id or the distance of a base. */
export const MAX_ENTRY_HEADER_BYTES = 32;

/** The header before an entry's packed bytes. */
export interface EntryHeader {
  readonly kind: number;
  /** Unpacked bytes of the entry; of a delta those of the delta itself. */
  readonly size: number;
  /** Bytes of the header. */
  readonly length: number;
  /** Distance from the start of its base to the entry. */
  readonly distance: number | undefined;
  readonly baseId: Buffer | undefined;
}

/** Parses the header at the beginning of some bytes; undefined if they end within it. Throws `FormatError`. */
export function parseEntryHeader(bytes: Buffer): EntryHeader | undefined {
  let at = 0;
  let byte = bytes[at++];
  if (byte === undefined) return undefined;
  const kind = (byte >> 4) & 7;
  let size = byte & 15;
  for (let factor = 16; byte >= 128; factor *= 128) {
    byte = bytes[at++];
    if (byte === undefined) return undefined;
    if (factor > 2 ** 46) throw new FormatError('an object declares an endless size');
    size += (byte & 127) * factor;
  }
  if (kind === DELTA_BY_ID) {
    if (at + 20 > bytes.length) return undefined;
    return { kind, size, length: at + 20, distance: undefined, baseId: Buffer.from(bytes.subarray(at, at + 20)) };
  }
  if (kind !== DELTA_BY_OFFSET) {
    if (OBJECT_TYPES[kind] === undefined) throw new FormatError(`an entry is of the unknown type ${kind}`);
    return { kind, size, length: at, distance: undefined, baseId: undefined };
  }
  let distance = -1;
  do {
    byte = bytes[at++];
    if (byte === undefined) return undefined;
    if (distance > 2 ** 44) throw new FormatError('a delta is too far from its base');
    distance = (distance + 1) * 128 + (byte & 127);
  } while (byte >= 128);
  if (distance === 0) throw new FormatError('a delta is its own base');
  return { kind, size, length: at, distance, baseId: undefined };
}

/** Returns the header of an entry that holds a whole object. */
export function encodeEntryHeader(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size % 16)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1]! |= 128;
    bytes.push(rest % 128);
  }
  return Buffer.from(bytes);
}

/** Returns a distance as a delta names its base by it. */
export function encodeDistance(distance: number): Buffer {
  const bytes = [distance % 128];
  for (let rest = Math.floor(distance / 128); rest > 0; rest = Math.floor(rest / 128)) {
    rest -= 1;
    bytes.unshift(128 | (rest % 128));
  }
  return Buffer.from(bytes);
}

/** Returns the header of a pack. */
export function encodePackHeader(count: number): Buffer {
  const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  header.writeUInt32BE(count, 8);
  return header;
}

/** Returns how many packed bytes suffice for most contents of a size; others need up to twice as many. */
export function packedBound(size: number): number {
  return size + (size >> 8) + 64;
}

/**
 * Unpacks the zlib stream at the beginning of some bytes, which must hold exactly `size` bytes. Returns them with the
 * length of the stream, or undefined when it continues beyond the given bytes. Throws `FormatError`.
 */
export function inflateExactly(
  packed: Buffer,
  size: number,
): { readonly content: Buffer; readonly length: number } | undefined {
  try {
    const room = Math.max(64, size + 1);
    const { buffer, engine } = inflateSync(packed, { info: true, chunkSize: room, maxOutputLength: room }) as never as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    if (buffer.length !== size) throw new FormatError('an object does not have the size it declares');
    return { content: buffer, length: engine.bytesWritten };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') return undefined;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new FormatError('an object does not have the size it declares');
    throw error instanceof FormatError ? error : new FormatError('an object cannot be unpacked', { cause: error });
  }
}
