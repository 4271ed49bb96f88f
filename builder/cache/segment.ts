import {
  closeSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writevSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';

/**
 * A segment is a file of values with an index at its end, written once and never changed:
 *
 *     values … | index: (key 20 bytes, offset u32, length u32, crc u32) … | index offset u32, count u32, index crc u32, magic
 *
 * All numbers are big-endian. A segment that was cut off or damaged shows it by the crc of its index or of a value.
 */
const MAGIC = Buffer.from('DBSEG001', 'latin1');
const FOOTER_BYTES = 12 + MAGIC.length;
const KEY_BYTES = 20;
const ENTRY_BYTES = KEY_BYTES + 12;

/** A temporary file older than this was left by a process that died. */
const STALE_TEMPORARY_MS = 3_600_000;

export interface SegmentEntry {
  /** That of its segment. */
  readonly index: SegmentIndex;
  readonly offset: number;
  readonly length: number;
  readonly crc: number;
  /** This process has read the value, and it was whole. */
  isVerified: boolean;
}

/** The values of a segment by their keys (hex). */
export type SegmentIndex = ReadonlyMap<string, SegmentEntry>;

/**
 * Indexes by the paths of their segments: a server that builds a site again reads neither them nor every value again. `state` tells
 * a state of the file from any other.
 */
const indexes = new Map<string, { readonly state: string; readonly index: SegmentIndex }>();
/** Entries of all indexes that are kept in memory, each some 150 bytes; further ones are read by each build. */
const MAX_ENTRIES = 400_000;

/** Forgets the indexes of segments that are gone, given those that are in a folder. */
export function forgetIndexes(folder: string, paths: ReadonlySet<string>): void {
  const own = dirname(join(folder, 'segment'));
  for (const path of indexes.keys()) if (dirname(path) === own && !paths.has(path)) indexes.delete(path);
}

/** An open segment. The file may be deleted by another process meanwhile; the descriptor keeps it readable. */
export interface Segment {
  readonly path: string;
  readonly bytes: number;
  readonly mtimeMs: number;
  readonly fd: number;
  readonly index: SegmentIndex;
}

/** Opens a segment. Returns `damaged` for an incomplete segment, and undefined for one that cannot be read. */
export function openSegment(path: string): Segment | 'damaged' | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    const stat = fstatSync(fd);
    const index = stat.isFile() ? findIndex(fd, path, stat) : undefined;
    if (index) return { path, bytes: stat.size, mtimeMs: stat.mtimeMs, fd, index };
    closeSync(fd);
    return stat.isFile() ? 'damaged' : undefined;
  } catch {
    if (fd !== undefined) closeSync(fd);
    return undefined;
  }
}

/** Reads a value; returns undefined if its bytes are damaged or cannot be read. */
export function readSegmentValue({ fd }: Segment, entry: SegmentEntry): Buffer | undefined {
  const value = Buffer.allocUnsafe(entry.length);
  return readInto(value, fd, entry) ? value : undefined;
}

/** Serves one value after the other: a build reads thousands, and memory of their own for each makes work for the garbage collection. */
const shared = Buffer.allocUnsafeSlow(65_536);

/** Reads a value like `readSegmentValue`, but into bytes that are overwritten when the next value is read. */
export function peekSegmentValue(segment: Segment, entry: SegmentEntry): Buffer | undefined {
  if (entry.length > shared.length) return readSegmentValue(segment, entry);
  const value = shared.subarray(0, entry.length);
  return readInto(value, segment.fd, entry) ? value : undefined;
}

function readInto(value: Buffer, fd: number, entry: SegmentEntry): boolean {
  const { length, offset, crc } = entry;
  try {
    entry.isVerified = readSync(fd, value, 0, length, offset) === length && crc32(value) === crc;
  } catch {
    entry.isVerified = false;
  }
  return entry.isVerified;
}

/** Writes values as a new segment under a temporary name and puts it at `path` in one step. */
export function writeSegment(path: string, values: ReadonlyMap<string, Buffer>): void {
  const index = Buffer.allocUnsafe(values.size * ENTRY_BYTES);
  let offset = 0;
  let at = 0;
  for (const [key, value] of values) {
    index.write(key, at, KEY_BYTES, 'hex');
    index.writeUInt32BE(offset, at + KEY_BYTES);
    index.writeUInt32BE(value.length, at + KEY_BYTES + 4);
    index.writeUInt32BE(crc32(value), at + KEY_BYTES + 8);
    offset += value.length;
    at += ENTRY_BYTES;
  }
  const footer = Buffer.allocUnsafe(FOOTER_BYTES);
  footer.writeUInt32BE(offset, 0);
  footer.writeUInt32BE(values.size, 4);
  footer.writeUInt32BE(crc32(index), 8);
  MAGIC.copy(footer, 12);
  const temporary = `${path}.tmp`;
  try {
    writeAll(temporary, [...values.values(), index, footer]);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Writes parts as a new file; joined to one they would take their memory twice. */
function writeAll(path: string, parts: readonly Buffer[]): void {
  const fd = openSync(path, 'wx');
  try {
    let rest = parts.filter(({ length }) => length > 0);
    while (rest.length > 0) rest = dropBytes(rest, writevSync(fd, rest));
  } finally {
    closeSync(fd);
  }
}

/** Returns what is left of parts without their first bytes: a disk that becomes full takes a part, and says so at the next call. */
function dropBytes(parts: readonly Buffer[], count: number): Buffer[] {
  let at = 0;
  let left = count;
  while (at < parts.length && parts[at]!.length <= left) left -= parts[at++]!.length;
  const rest = parts.slice(at);
  if (left > 0) rest[0] = rest[0]!.subarray(left);
  return rest;
}

/** Removes the temporary file of a segment that was never finished; a young one may be another build's. */
export function removeStaleTemporary(path: string, nowMs: number): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() && nowMs - stat.mtimeMs > STALE_TEMPORARY_MS) rmSync(path, { force: true });
}

function findIndex(fd: number, path: string, { ino, size, ctimeMs }: Stats): SegmentIndex | undefined {
  const state = `${ino} ${size} ${ctimeMs}`;
  const known = indexes.get(path);
  if (known?.state === state) return known.index;
  indexes.delete(path);
  const bytes = readIndex(fd, size);
  if (!bytes) return undefined;
  const index = parseIndex(bytes);
  let entries = index.size;
  for (const other of indexes.values()) entries += other.index.size;
  if (entries <= MAX_ENTRIES) indexes.set(path, { state, index });
  return index;
}

function parseIndex(bytes: Buffer): SegmentIndex {
  // Cutting one text into keys takes less time than asking the buffer for each of them.
  const hex = bytes.toString('hex');
  const index = new Map<string, SegmentEntry>();
  for (let at = 0; at < bytes.length; at += ENTRY_BYTES) {
    const numbers = at + KEY_BYTES;
    index.set(hex.slice(2 * at, 2 * numbers), {
      index,
      offset: bytes.readUInt32BE(numbers),
      length: bytes.readUInt32BE(numbers + 4),
      crc: bytes.readUInt32BE(numbers + 8),
      isVerified: false,
    });
  }
  return index;
}

function readIndex(fd: number, size: number): Buffer | undefined {
  if (size < FOOTER_BYTES) return undefined;
  const footer = Buffer.allocUnsafe(FOOTER_BYTES);
  readSync(fd, footer, 0, FOOTER_BYTES, size - FOOTER_BYTES);
  if (!footer.subarray(12).equals(MAGIC)) return undefined;
  const offset = footer.readUInt32BE(0);
  const length = footer.readUInt32BE(4) * ENTRY_BYTES;
  if (offset + length + FOOTER_BYTES !== size) return undefined;
  const index = Buffer.allocUnsafe(length);
  readSync(fd, index, 0, length, offset);
  return crc32(index) === footer.readUInt32BE(8) ? index : undefined;
}
