import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { FormatError } from './pack-entry.ts';

/** The index of a pack: the offsets of its objects. */
export interface PackIndex {
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
export function openIndex(path: string): PackIndex {
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
