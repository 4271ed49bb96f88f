import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { hasCode } from '../../../lib/system-error.ts';
import { FormatError, type PackEntry, readEntry } from './pack-entry.ts';
import { openIndex, type PackIndex } from './pack-index.ts';

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
