import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { hasCode } from '../../../lib/system-error.ts';
import { FormatError, type PackEntry, readEntry } from './pack-entry.ts';

export const PACK_HEADER_BYTES = 12;
export const CHECKSUM_BYTES = 20;

/** A pack with its index. Only the part of the pack that was read last is kept in memory. */
export interface PackFile {
  readonly index: PackIndex;
  /** Throws `FormatError`, also for entries that unpack to more than the limit. */
  readEntry(offset: number): PackEntry;
  close(): void;
}

/**
 * Opens a pack by the path of its index (version 1 or 2). The pack itself is opened when it is first read: many are only asked
 * whether they have an object. Throws `FormatError`, then, too, if it is not there or does not belong to its index. Format: git's
 * Documentation/gitformat-pack.
 */
export function openPackFile(indexPath: string, maxObjectBytes: number): PackFile {
  const index = openIndex(indexPath);
  let fd: number | undefined;
  let read: ((offset: number) => PackEntry | undefined) | undefined;
  const open = () => {
    fd = openPack(indexPath.replace(/\.idx$/, '.pack'));
    const end = checkPackFile(fd, index);
    return createEntryReader(fd, () => end, maxObjectBytes);
  };
  const close = (): void => {
    if (fd !== undefined) closeSync(fd);
    fd = undefined;
  };
  return {
    index,
    readEntry(offset) {
      try {
        read ??= open();
      } catch (error) {
        close();
        throw error;
      }
      const entry = read(offset);
      if (!entry) throw new FormatError('an entry of the pack is cut off');
      return entry;
    },
    close() {
      index.close();
      close();
    },
  };
}

function openPack(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw hasCode(error, 'ENOENT') ? new FormatError('the pack of an index is missing') : error;
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
  if (readCount(head) !== index.count || !checksum.equals(index.packChecksum)) {
    throw new FormatError('the pack and its index do not belong together');
  }
  return end;
}

/** Returns how many entries a pack has according to its header. Throws `FormatError`. */
export function readCount(head: Buffer): number {
  const version = head.readUInt32BE(4);
  if (head.toString('latin1', 0, 4) === 'PACK' && (version === 2 || version === 3)) return head.readUInt32BE(8);
  throw new FormatError('the pack does not start like one');
}

const WINDOW_BYTES = 8 * 1024;

/**
 * Creates a reader of the entries of a pack by their offset; `findEnd` tells where they end, and `isGrowing` whether more will come.
 * It returns undefined for an entry that goes on beyond, and throws `FormatError`.
 */
export function createEntryReader(
  fd: number,
  findEnd: () => number,
  maxObjectBytes: number,
  isGrowing = () => false,
): (offset: number) => PackEntry | undefined {
  const window = Buffer.allocUnsafeSlow(WINDOW_BYTES);
  let windowStart = 0;
  let windowEnd = 0;

  /** Returns the bytes from a position on: as many as wanted, or up to the end. Valid until the next call. */
  function view(position: number, wanted: number): Buffer {
    const length = Math.max(0, Math.min(wanted, findEnd() - position));
    if (position >= windowStart && position + length <= windowEnd) {
      return window.subarray(position - windowStart, Math.min(windowEnd, findEnd()) - windowStart);
    }
    if (length > WINDOW_BYTES) {
      const bytes = Buffer.allocUnsafe(length);
      return bytes.subarray(0, readSync(fd, bytes, 0, length, position));
    }
    windowStart = position;
    windowEnd = position + readSync(fd, window, 0, Math.min(WINDOW_BYTES, findEnd() - position), position);
    return window.subarray(0, windowEnd - windowStart);
  }

  return (offset) => {
    if (offset < PACK_HEADER_BYTES || offset >= findEnd()) throw new FormatError('an offset is outside the pack');
    return readEntry((from, wanted) => view(offset + from, wanted), maxObjectBytes, isGrowing());
  };
}

/** The index of a pack: the offsets of its objects. */
interface PackIndex {
  readonly count: number;
  /** The checksum that the pack ends with. */
  readonly packChecksum: Buffer;
  /** Returns the offset of an object, or undefined. Throws `FormatError`. */
  find(oid: Buffer): number | undefined;
  close(): void;
}

/** An index up to this size is read whole; of a larger one (two million objects) only the needed parts. */
const MAX_BYTES_IN_MEMORY = 64 * 1024 * 1024;
const MAGIC = 0xff744f63;
const FAN_OUT_BYTES = 256 * 4;
const OID_BYTES = 20;
/** The checksums of the pack and of the index itself. */
const TRAILER_BYTES = 40;
const LARGE_OFFSET = 0x80000000;

/** Opens an index of version 1 or 2. Throws `FormatError`. Format: git's Documentation/gitformat-pack. */
function openIndex(path: string): PackIndex {
  const fd = openSync(path, 'r');
  let isNeeded = false;
  try {
    const { size } = fstatSync(fd);
    const whole = size <= MAX_BYTES_IN_MEMORY ? readRange(fd, 0, size) : undefined;
    const index = createIndex(size, (at, length) => whole?.subarray(at, at + length) ?? readRange(fd, at, length));
    isNeeded = whole === undefined;
    return isNeeded ? { ...index, close: () => closeSync(fd) } : index;
  } finally {
    if (!isNeeded) closeSync(fd);
  }
}

function createIndex(size: number, bytesAt: (position: number, length: number) => Buffer): PackIndex {
  if (size < FAN_OUT_BYTES + TRAILER_BYTES) throw new FormatError('the index of a pack is cut off');
  const isOld = bytesAt(0, 4).readUInt32BE(0) !== MAGIC;
  const fanOutStart = isOld ? 0 : 8;
  if (!isOld && bytesAt(4, 4).readUInt32BE(0) !== 2)
    throw new FormatError('the index of a pack has an unknown version');
  const fanOut = readFanOut(bytesAt(fanOutStart, FAN_OUT_BYTES));
  const count = fanOut[256]!;
  // In an old one each id follows its offset; in a new one ids, checksums and offsets are lists of their own.
  const stride = isOld ? OID_BYTES + 4 : OID_BYTES;
  const oidsStart = fanOutStart + FAN_OUT_BYTES + (isOld ? 4 : 0);
  const crcsStart = oidsStart + count * OID_BYTES;
  const offsetsStart = isOld ? FAN_OUT_BYTES : crcsStart + count * 4;
  const largeStart = offsetsStart + count * 4;
  const expected = TRAILER_BYTES + (isOld ? FAN_OUT_BYTES + count * stride : largeStart);
  if (size < expected || (isOld && size > expected)) throw new FormatError('the index of a pack is cut off');

  const oidAt = (place: number): Buffer => bytesAt(oidsStart + place * stride, OID_BYTES);
  const offsetAt = (place: number): number => {
    const offset = bytesAt(offsetsStart + place * (isOld ? stride : 4), 4).readUInt32BE(0);
    if (isOld || offset < LARGE_OFFSET) return offset;
    const position = largeStart + (offset - LARGE_OFFSET) * 8;
    if (position + 8 > size - TRAILER_BYTES) throw new FormatError('the index of a pack is damaged');
    return Number(bytesAt(position, 8).readBigUInt64BE(0));
  };
  return {
    count,
    packChecksum: Buffer.from(bytesAt(size - TRAILER_BYTES, OID_BYTES)),
    find(oid) {
      let low = fanOut[oid[0]!]!;
      let high = fanOut[oid[0]! + 1]!;
      while (low < high) {
        const middle = (low + high) >>> 1;
        const order = oid.compare(oidAt(middle));
        if (order === 0) return offsetAt(middle);
        if (order < 0) high = middle;
        else low = middle + 1;
      }
      return undefined;
    },
    close() {},
  };
}

/** Returns where the objects of each first byte begin in the sorted list, and at last how many there are. */
function readFanOut(bytes: Buffer): Uint32Array {
  const fanOut = new Uint32Array(257);
  for (let first = 0; first < 256; first += 1) {
    fanOut[first + 1] = bytes.readUInt32BE(first * 4);
    if (fanOut[first + 1]! < fanOut[first]!) throw new FormatError('the index of a pack is damaged');
  }
  return fanOut;
}

function readRange(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  if (readSync(fd, bytes, 0, length, position) < length) throw new FormatError('the index of a pack is cut off');
  return bytes;
}
