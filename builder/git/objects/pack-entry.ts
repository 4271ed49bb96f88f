import { crc32, inflateSync } from 'node:zlib';

/** Thrown when stored or sent bytes violate git's format. The message completes "… is damaged: ". */
export class FormatError extends Error {
  override readonly name = 'FormatError';
}

/** The types of whole objects by their number in a pack. */
export const OBJECT_TYPES = [undefined, 'commit', 'tree', 'blob', 'tag'] as const;

/** An entry of a pack with its content unpacked: a whole object, or a delta against one named by distance or id. */
export interface PackEntry {
  readonly kind: number;
  readonly bytes: Buffer;
  /** Bytes from the start of its base to that of the entry. */
  readonly distance: number | undefined;
  readonly baseId: Buffer | undefined;
  /** Bytes of the entry as it is stored, and their checksum. */
  readonly length: number;
  readonly crc: number;
}

const DELTA_BY_OFFSET = 6;
const DELTA_BY_ID = 7;
/** Type and size, then the id or the distance of a base. */
const MAX_HEADER_BYTES = 32;
const LARGE_BYTES = 1_000_000;

/**
 * Reads the entry at the beginning of some bytes: `view` returns as many as wanted, or all that are there. Returns undefined if the
 * entry goes on beyond them. Throws `FormatError`, also for one that unpacks to more than the limit. Format: git's
 * Documentation/gitformat-pack.
 */
export function readEntry(
  view: (from: number, wanted: number) => Buffer,
  maxBytes: number,
  isGrowing = false,
): PackEntry | undefined {
  const bytes = view(0, MAX_HEADER_BYTES);
  let at = 0;
  let byte = bytes[at++] ?? 128;
  const kind = (byte >> 4) & 7;
  let size = byte & 15;
  for (let factor = 16; byte >= 128; factor *= 128) {
    byte = bytes[at++] ?? -1;
    if (byte < 0) return undefined;
    if (factor > 2 ** 46) throw new FormatError('an object declares an endless size');
    size += (byte & 127) * factor;
  }
  let distance: number | undefined;
  let baseId: Buffer | undefined;
  if (kind === DELTA_BY_ID) {
    baseId = Buffer.from(bytes.subarray(at, at + 20));
    at += 20;
  } else if (kind === DELTA_BY_OFFSET) {
    distance = -1;
    do {
      byte = bytes[at++] ?? 0;
      if (distance > 2 ** 44) throw new FormatError('a delta is too far from its base');
      distance = (distance + 1) * 128 + (byte & 127);
    } while (byte >= 128);
    if (distance === 0 && at <= bytes.length) throw new FormatError('a delta is its own base');
  } else if (OBJECT_TYPES[kind] === undefined) throw new FormatError(`an entry is of the unknown type ${kind}`);
  if (at > bytes.length) return undefined;
  if (size > maxBytes) throw new TooLargeError(size, maxBytes);
  const headCrc = crc32(bytes.subarray(0, at));
  // That many packed bytes suffice for most contents; others need up to twice as many.
  for (let wanted = size + (size >> 8) + 64; ; wanted *= 2) {
    const packed = view(at, wanted);
    // A large one is not unpacked again and again while it arrives.
    if (isGrowing && size > LARGE_BYTES && packed.length < wanted) return undefined;
    const unpacked = inflateExactly(packed, size);
    if (unpacked) {
      const crc = crc32(packed.subarray(0, unpacked.length), headCrc);
      return { kind, distance, baseId, bytes: unpacked.content, length: at + unpacked.length, crc };
    }
    if (packed.length < wanted) return undefined;
  }
}

/** Thrown for an object that is larger than is allowed. */
export class TooLargeError extends FormatError {
  constructor(bytes: number, maxBytes: number) {
    super(`an object has ${bytes} bytes, more than ${maxBytes}`);
  }
}

/**
 * Unpacks the zlib stream at the beginning of some bytes, which must hold exactly `size` bytes. Returns them with the
 * length of the stream, or undefined when it continues beyond the given bytes. Throws `FormatError`.
 */
function inflateExactly(packed: Buffer, size: number): { content: Buffer; length: number } | undefined {
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

/** Returns the header of an entry that holds a whole object. */
export function encodeEntryHeader(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size % 16)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1]! |= 128;
    bytes.push(rest % 128);
  }
  return Buffer.from(bytes);
}

/**
 * Returns the result of applying a delta to its base. Throws `FormatError` if they do not match, or if the result
 * exceeds `maxBytes`. Format: git's Documentation/gitformat-pack, "Deltified representation".
 */
export function applyDelta(base: Buffer, delta: Buffer, maxBytes: number): Buffer {
  const end = delta.length;
  let at = 0;
  const readSize = (): number => {
    let size = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = delta[at++];
      if (byte === undefined || factor > 2 ** 49) throw new FormatError('a delta declares no size');
      size += (byte & 127) * factor;
      if (byte < 128) return size;
    }
  };
  if (readSize() !== base.length) throw new FormatError('a delta does not match its base');
  const size = readSize();
  if (size > maxBytes) throw new TooLargeError(size, maxBytes);
  const result = Buffer.allocUnsafe(size);
  let written = 0;
  const copy = (source: Buffer, from: number, count: number): void => {
    if (count === 0 || from + count > source.length || written + count > size) throw outOfRange();
    // Most copies are of a few bytes, for which a call takes longer than the loop.
    if (count > 64) source.copy(result, written, from, from + count);
    else for (let index = 0; index < count; index += 1) result[written + index] = source[from + index]!;
    written += count;
  };
  while (at < end) {
    const instruction = delta[at++]!;
    if (instruction < 128) {
      copy(delta, at, instruction);
      at += instruction;
      continue;
    }
    let from = 0;
    let count = 0;
    if (instruction & 1) from = delta[at++]!;
    if (instruction & 2) from |= delta[at++]! << 8;
    if (instruction & 4) from |= delta[at++]! << 16;
    if (instruction & 8) from += delta[at++]! * 0x1000000;
    if (instruction & 16) count = delta[at++]!;
    if (instruction & 32) count |= delta[at++]! << 8;
    if (instruction & 64) count |= delta[at++]! << 16;
    if (at > end) throw outOfRange();
    copy(base, from, count === 0 ? 0x10000 : count);
  }
  if (written !== size) throw outOfRange();
  return result;
}

function outOfRange(): FormatError {
  return new FormatError('a delta reaches beyond its base, its result or its own end');
}
