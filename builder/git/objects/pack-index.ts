import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { FormatError } from './delta.ts';

/** The index of a pack: the offsets of its objects. */
export interface PackIndex {
  readonly count: number;
  /** The checksum that the pack ends with. */
  readonly packChecksum: Buffer;
  /** Returns the offset of an object, or undefined. Throws `FormatError`. */
  find(oid: Buffer): number | undefined;
  /** Returns the id at a place of the sorted list. */
  oidAt(place: number): Buffer;
  offsetAt(place: number): number;
  /** Returns the checksum of the entry at a place as it is stored; an index of version 1 knows none. */
  crcAt(place: number): number | undefined;
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
export function openIndex(path: string): PackIndex {
  const fd = openSync(path, 'r');
  let isNeeded = false;
  try {
    const { size } = fstatSync(fd);
    const whole = size <= MAX_BYTES_IN_MEMORY ? readRange(fd, 0, size) : undefined;
    const index = createIndex(fd, size, whole);
    isNeeded = whole === undefined;
    return index;
  } finally {
    if (!isNeeded) closeSync(fd);
  }
}

function createIndex(fd: number, size: number, whole: Buffer | undefined): PackIndex {
  const bytesAt = (position: number, length: number): Buffer =>
    whole?.subarray(position, position + length) ?? readRange(fd, position, length);
  if (size < FAN_OUT_BYTES + TRAILER_BYTES) throw new FormatError('the index of a pack is cut off');
  const isOld = bytesAt(0, 4).readUInt32BE(0) !== MAGIC;
  const fanOutStart = isOld ? 0 : 8;
  if (!isOld && bytesAt(4, 4).readUInt32BE(0) !== 2)
    throw new FormatError('the index of a pack has an unknown version');
  const fanOut = readFanOut(bytesAt(fanOutStart, FAN_OUT_BYTES));
  const count = fanOut[256]!;
  const oidsStart = fanOutStart + FAN_OUT_BYTES + (isOld ? 4 : 0);
  const stride = isOld ? OID_BYTES + 4 : OID_BYTES;
  const crcsStart = oidsStart + count * OID_BYTES;
  const offsetsStart = isOld ? FAN_OUT_BYTES : crcsStart + count * 4;
  const largeStart = offsetsStart + count * 4;
  const expected = isOld ? FAN_OUT_BYTES + count * stride + TRAILER_BYTES : largeStart + TRAILER_BYTES;
  if (size < expected || (isOld && size > expected)) throw new FormatError('the index of a pack is cut off');

  const offsetAt = (place: number): number => {
    const offset = bytesAt(offsetsStart + place * (isOld ? stride : 4), 4).readUInt32BE(0);
    if (isOld || offset < LARGE_OFFSET) return offset;
    const position = largeStart + (offset - LARGE_OFFSET) * 8;
    if (position + 8 > size - TRAILER_BYTES) throw new FormatError('the index of a pack is damaged');
    return Number(bytesAt(position, 8).readBigUInt64BE(0));
  };
  const compareAt = (place: number, oid: Buffer): number => {
    const position = oidsStart + place * stride;
    if (whole) return oid.compare(whole, position, position + OID_BYTES);
    return oid.compare(bytesAt(position, OID_BYTES));
  };
  return {
    count,
    packChecksum: Buffer.from(bytesAt(size - TRAILER_BYTES, OID_BYTES)),
    find(oid) {
      let low = fanOut[oid[0]!]!;
      let high = fanOut[oid[0]! + 1]!;
      while (low < high) {
        const middle = (low + high) >>> 1;
        const order = compareAt(middle, oid);
        if (order === 0) return offsetAt(middle);
        if (order < 0) high = middle;
        else low = middle + 1;
      }
      return undefined;
    },
    oidAt: (place) => bytesAt(oidsStart + place * stride, OID_BYTES),
    offsetAt,
    crcAt: (place) => (isOld ? undefined : bytesAt(crcsStart + place * 4, 4).readUInt32BE(0)),
    close() {
      if (!whole) closeSync(fd);
    },
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

/** What an index is made from, entry by entry in the order of the pack. */
export interface IndexedEntries {
  readonly count: number;
  /** 20 bytes an entry. */
  readonly oids: Uint8Array;
  readonly crcs: Uint32Array;
  readonly offsets: Float64Array;
}

/** Returns the bytes of an index of version 2. */
export function encodeIndex({ count, oids, crcs, offsets }: IndexedEntries, packChecksum: Buffer): Buffer {
  const order = sortByOid(oids, count);
  let large = 0;
  for (let entry = 0; entry < count; entry += 1) if (offsets[entry]! >= LARGE_OFFSET) large += 1;
  const index = Buffer.alloc(8 + FAN_OUT_BYTES + count * (OID_BYTES + 8) + large * 8 + TRAILER_BYTES);
  index.writeUInt32BE(MAGIC, 0);
  index.writeUInt32BE(2, 4);
  const oidsStart = 8 + FAN_OUT_BYTES;
  const crcsStart = oidsStart + count * OID_BYTES;
  const offsetsStart = crcsStart + count * 4;
  let largeAt = offsetsStart + count * 4;
  const perFirst = new Uint32Array(256);
  for (let place = 0; place < count; place += 1) {
    const entry = order[place]!;
    index.set(oids.subarray(entry * OID_BYTES, (entry + 1) * OID_BYTES), oidsStart + place * OID_BYTES);
    perFirst[oids[entry * OID_BYTES]!]! += 1;
    index.writeUInt32BE(crcs[entry]!, crcsStart + place * 4);
    const offset = offsets[entry]!;
    if (offset < LARGE_OFFSET) {
      index.writeUInt32BE(offset, offsetsStart + place * 4);
    } else {
      const number = (largeAt - offsetsStart - count * 4) / 8;
      index.writeUInt32BE(LARGE_OFFSET + number, offsetsStart + place * 4);
      index.writeBigUInt64BE(BigInt(offset), largeAt);
      largeAt += 8;
    }
  }
  for (let first = 0, total = 0; first < 256; first += 1) {
    total += perFirst[first]!;
    index.writeUInt32BE(total, 8 + first * 4);
  }
  packChecksum.copy(index, index.length - TRAILER_BYTES);
  createHash('sha1')
    .update(index.subarray(0, -OID_BYTES))
    .digest()
    .copy(index, index.length - OID_BYTES);
  return index;
}

/** Returns the entries in byte order of their ids. Sorts into buckets first: comparing is slow, and ids are random. */
function sortByOid(oids: Uint8Array, count: number): Uint32Array {
  const ends = new Uint32Array(0x10001);
  const bucketOf = (entry: number): number => (oids[entry * OID_BYTES]! << 8) | oids[entry * OID_BYTES + 1]!;
  for (let entry = 0; entry < count; entry += 1) ends[bucketOf(entry) + 1]! += 1;
  for (let bucket = 0; bucket < 0x10000; bucket += 1) ends[bucket + 1]! += ends[bucket]!;
  const next = ends.slice();
  const order = new Uint32Array(count);
  for (let entry = 0; entry < count; entry += 1) order[next[bucketOf(entry)]!++] = entry;
  const bytes = Buffer.from(oids.buffer, oids.byteOffset, oids.byteLength);
  const compare = (a: number, b: number): number =>
    bytes.compare(bytes, b * OID_BYTES, (b + 1) * OID_BYTES, a * OID_BYTES, (a + 1) * OID_BYTES) || a - b;
  for (let bucket = 0; bucket < 0x10000; bucket += 1) {
    if (ends[bucket + 1]! - ends[bucket]! > 1) order.subarray(ends[bucket]!, ends[bucket + 1]!).sort(compare);
  }
  return order;
}
