import type { Compression } from './compress-body.ts';
import { type FileStamp, formatStamp } from './file-stamp.ts';

/** What is in a file. */
export interface FileContent {
  readonly size: number;
  /** SHA-256 of the bytes, hexadecimal. */
  readonly hash: string;
  /** The bytes; undefined for a large file, which is read again for each answer. */
  readonly body: Buffer | undefined;
  /** Compressed bodies; `none` where there is none worth sending. */
  readonly compressed: Map<Compression, Buffer | 'none'>;
}

/** A file that was read; files of one stamp are one object. */
export interface CachedFile {
  readonly stamp: FileStamp;
  /** Undefined once the cache has dropped it. */
  content: FileContent | undefined;
  /** Used since the cache last looked for something to drop. */
  wasUsed: boolean;
}

/** Contents of files by their stamps, up to a number of bytes. */
export interface FileCache {
  /** Bytes held, all in all. */
  readonly bytes: number;
  find(stamp: FileStamp): CachedFile | undefined;
  add(file: CachedFile): void;
  /** Takes account of a compressed body that was added to a file. */
  grow(file: CachedFile, bytes: number): void;
}

/** Room that a file takes beside its bodies, roughly. */
const OVERHEAD = 2_048;

/**
 * Creates a cache. When it is full, files that were not used for longest go first: a file that was used since it was last
 * looked at is passed over once, which costs an answer from the cache nothing.
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
    // The map is in the order of insertion; what is passed over goes to its end and will not be passed over again.
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
