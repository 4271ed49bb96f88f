import type { Compression } from '../../lib/body-compression.ts';
import { formatStamp } from './site-files.ts';
import type { FileBody, FileStamp } from './site-storage.ts';

/** A file's bytes with their compressed bodies. */
export interface FileContent extends FileBody {
  /** Compressed bodies; `none` where compression is not worth it. */
  readonly compressed: Map<Compression, Buffer | 'none'>;
}

/** A file that was read; files with one stamp are one object. */
export interface CachedFile {
  readonly stamp: FileStamp;
  /** Undefined once the cache has dropped it. */
  content: FileContent | undefined;
  /** Whether it was used since the cache last looked for something to drop. */
  wasUsed: boolean;
}

/** File contents by stamp, up to a number of bytes. */
export interface FileCache {
  /** Bytes in use. */
  readonly bytes: number;
  find(stamp: FileStamp): CachedFile | undefined;
  add(file: CachedFile): void;
  /** Accounts for a compressed body that was added to a file. */
  grow(file: CachedFile, bytes: number): void;
}

/** Approximate memory of a file besides its bodies. */
const OVERHEAD = 2_048;

/**
 * Creates a cache. When it is full, the oldest files are dropped first, but a file that was used since the last look gets a
 * second chance; so an answer from the cache only sets a flag, where a map by last use would be reordered.
 */
export function createFileCache(maxBytes: number): FileCache {
  const files = new Map<string, { readonly file: CachedFile; weight: number }>();
  let bytes = 0;

  return {
    get bytes() {
      return bytes;
    },
    find: (stamp) => files.get(formatStamp(stamp))?.file,
    add(file) {
      const key = formatStamp(file.stamp);
      if (files.has(key)) return;
      const weight = OVERHEAD + (file.content?.body?.length ?? 0);
      files.set(key, { file, weight });
      bytes += weight;
      shrink();
    },
    grow(file, added) {
      const held = files.get(formatStamp(file.stamp));
      if (held?.file !== file) return;
      held.weight += added;
      bytes += added;
      shrink();
    },
  };

  function shrink(): void {
    // The map is in order of insertion; a file with a second chance moves to its end.
    for (const [key, held] of files) {
      if (bytes <= maxBytes) return;
      files.delete(key);
      if (held.file.wasUsed) {
        held.file.wasUsed = false;
        files.set(key, held);
      } else {
        held.file.content = undefined;
        bytes -= held.weight;
      }
    }
  }
}
