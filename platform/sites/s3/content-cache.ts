import { createHash } from 'node:crypto';
import { createReadStream, open as openFile } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pMap from 'p-map';
import { type Compression, compressBody, decompressBody } from '../../../lib/body-compression.ts';
import { createBoundedMap } from '../../../lib/bounded-map.ts';
import { createSharedWork } from '../../../lib/once.ts';
import { COMPRESSION_SUFFIX } from '../compressed-folder.ts';
import type { StorageCounts } from '../site-storage.ts';
import { openCacheFolder } from './cache-folder.ts';
import { type Content, hashBytes, parsePieces } from './edition.ts';
import { type Bucket, MAX_OBJECT_BYTES, type Patience } from './s3-bucket.ts';

/** Contents of sites in a folder of this machine that holds what was asked for last; what it lacks comes from S3. */
export interface ContentCache {
  /** Returns the bytes of a content. Throws where they are not here and S3 does not have them now. */
  read(project: string, content: Content): Promise<Buffer>;
  /** Returns a content as it is compressed in S3; undefined where it is not. Throws like `read`. */
  readCompressed(project: string, content: Content, compression: Compression): Promise<Buffer | undefined>;
  /** Opens a content that is neither compressed nor small, and returns the descriptor, which the caller closes. Throws like `read`. */
  open(project: string, content: Content): Promise<number>;
  /** Keeps an object that was just uploaded. */
  keep(name: string, bytes: Buffer): Promise<void>;
  /** Bytes in use, and how often an object was here, or had to be asked for. */
  counts(): StorageCounts['cache'];
}

/** An object, with what it stands for. */
interface Loaded {
  readonly stored: Buffer;
  readonly plain: Buffer;
}

/** Readers wait, so a request is repeated only where S3 fails at once. */
const PATIENCE: Patience = { retryMs: 500 };
/** An object is asked for again whose bytes are not what its name says: something on the way may have cut them. */
const MAX_TRIES = 2;
/** Pieces of a content that are read at once. */
const PIECES_AT_ONCE = 16;
/** Contents whose bytes are shared, and how large they are at least. */
const MAX_SHARED = 1_000;
const SHARED_BYTES = 1_000_000;

/**
 * Opens the folder, which other processes may use, too; each keeps to `maxBytes` for what it has brought. `onProblem` is told what
 * the disk refuses.
 */
export function openContentCache(options: {
  readonly folder: string;
  readonly bucket: Pick<Bucket, 'get' | 'label'>;
  readonly maxBytes: number;
  readonly onProblem: (error: unknown) => void;
}): ContentCache {
  const { folder, bucket } = options;
  const shareLoad = createSharedWork<string, Loaded>();
  const shareLarge = createSharedWork<string, void>();
  /** Bytes that answers may still hold: slow readers of a large content do not have a copy each. */
  const held = createBoundedMap<string, WeakRef<ArrayBufferLike>>({ maxEntries: MAX_SHARED });
  /** Large files that this process has verified. */
  const verified = new Set<string>();
  let hits = 0;
  let misses = 0;
  const kept = openCacheFolder({ ...options, onRemoved: (name) => verified.delete(name) });

  return {
    counts: () => ({ bytes: kept.bytes, hits, misses }),
    async read(project, content) {
      if (isLarge(content)) {
        await shareLarge(content.hash, () => bringLarge(project, content));
        return readFile(join(folder, content.hash));
      }
      const shared = held.get(content.hash)?.deref();
      if (shared) return Buffer.from(shared, 0, content.size);
      const { plain } = await loadWhole(project, content);
      const { buffer, length } = plain;
      if (length > SHARED_BYTES && buffer.byteLength === length) held.set(content.hash, new WeakRef(buffer));
      return plain;
    },
    async readCompressed(project, content, compression) {
      if (content.pieces) return compressOnce(project, content, compression);
      const isThere = compression === 'br' ? content.isBrotli : content.isGzip;
      return isThere ? (await loadOnce(project, content, compression)).stored : undefined;
    },
    async open(project, content) {
      for (;;) {
        await shareLarge(content.hash, () => bringLarge(project, content));
        try {
          const descriptor = await promisify(openFile)(join(folder, content.hash), 'r');
          kept.use(content.hash);
          return descriptor;
        } catch (error) {
          // Something larger has just taken its place.
          if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
          verified.delete(content.hash);
        }
      }
    },
    keep: kept.keep,
  };

  function loadWhole(project: string, content: Content): Promise<Loaded> {
    const { pieces, hash, size, day } = content;
    if (!pieces) return loadOnce(project, content, content.isBrotli ? 'br' : undefined);
    return shareLoad(hash, async () => {
      const compressed = await readFile(join(folder, hash + COMPRESSION_SUFFIX.br)).catch(() => undefined);
      const here = compressed && (await verify(content, 'br', compressed));
      if (here) return here;
      const list = parsePieces((await loadWhole(project, pieces)).plain);
      const loaded = await pMap(list, (piece) => loadWhole(project, piece), { concurrency: PIECES_AT_ONCE });
      const plain = Buffer.allocUnsafeSlow(size);
      let at = 0;
      for (const piece of loaded) at += piece.plain.copy(plain, at);
      if (at !== size || hashBytes(plain) !== hash) throw damaged(`${project}/${day}/${pieces.hash}`);
      return { stored: plain, plain };
    });
  }

  /** Returns a content of pieces compressed: nobody has done that before. */
  async function compressOnce(project: string, content: Content, compression: Compression): Promise<Buffer> {
    const name = content.hash + COMPRESSION_SUFFIX[compression];
    const { stored } = await shareLoad(name, async () => {
      const here = await readFile(join(folder, name)).catch(() => undefined);
      const known = here && (await verify(content, compression, here));
      if (known) {
        kept.use(name);
        return known;
      }
      const { plain } = await loadWhole(project, content);
      const made = await compressBody(plain, compression);
      await kept.keep(name, made);
      return { stored: made, plain };
    });
    return stored;
  }

  function loadOnce(project: string, content: Content, compression: Compression | undefined): Promise<Loaded> {
    const name = content.hash + (compression ? COMPRESSION_SUFFIX[compression] : '');
    return shareLoad(name, async () => {
      const here = await readFile(join(folder, name)).catch(() => undefined);
      const loaded = here && (await verify(content, compression, here));
      if (loaded) {
        hits++;
        kept.use(name);
        return loaded;
      }
      misses++;
      const key = `${project}/${content.day}/${name}`;
      for (let tries = 1; ; tries++) {
        const object = await get(key);
        const fetched = await verify(content, compression, object);
        if (fetched) {
          await kept.keep(name, object);
          return fetched;
        }
        if (tries === MAX_TRIES) throw damaged(key);
      }
    });
  }

  async function get(key: string): Promise<Buffer> {
    const object = await bucket.get(key, PATIENCE);
    if (object) return object;
    const advice = 'build all versions of the project again';
    throw new Error(`Bucket ${bucket.label} lacks "${key}" of a published site; ${advice}`);
  }

  function damaged(key: string): Error {
    const advice =
      'if something on the way cuts answers, mend that; otherwise remove them, and build all versions of the project again';
    return new Error(`Bucket ${bucket.label} has other bytes as "${key}" than were published; ${advice}`);
  }

  /** Brings a content into the folder that may be larger than what is kept in memory, and is verified there. */
  async function bringLarge(project: string, content: Content): Promise<void> {
    const path = join(folder, content.hash);
    if (verified.has(content.hash)) return;
    const hash = createHash('sha256');
    const here = await stat(path).catch(() => undefined);
    if (here?.size === content.size) {
      for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
      if (hash.digest('hex') === content.hash) {
        verified.add(content.hash);
        return;
      }
    }
    await kept.add(content.hash, content.size, async (unfinished) => {
      const file = await open(unfinished, 'wx');
      const fetched = createHash('sha256');
      try {
        for (const name of partNames(content)) {
          const part = await get(`${project}/${content.day}/${name}`);
          fetched.update(part);
          await file.writeFile(part);
        }
      } finally {
        await file.close();
      }
      if (fetched.digest('hex') !== content.hash) throw damaged(`${project}/${content.day}/${content.hash}`);
    });
    verified.add(content.hash);
  }
}

/** Returns whether a content is several objects. */
export function isLarge({ size, isBrotli, pieces }: Content): boolean {
  return !isBrotli && !pieces && size > MAX_OBJECT_BYTES;
}

/** Returns what an object stands for, if it is what it should be. */
async function verify(
  { hash, size }: Content,
  compression: Compression | undefined,
  stored: Buffer,
): Promise<Loaded | undefined> {
  const plain = compression ? await decompressBody(stored, compression, size).catch(() => undefined) : stored;
  return plain && hashBytes(plain) === hash ? { stored, plain } : undefined;
}

/** Returns the names of all objects of a content, without those of its pieces and of their list. */
export function objectNames(content: Content): readonly string[] {
  const { hash, isBrotli, isGzip, pieces } = content;
  if (pieces) return [];
  return [
    ...(isBrotli ? [hash + COMPRESSION_SUFFIX.br] : partNames(content)),
    ...(isGzip ? [hash + COMPRESSION_SUFFIX.gzip] : []),
  ];
}

/** Returns the names of the objects of a content that is not compressed. */
export function partNames({ hash, size }: Pick<Content, 'hash' | 'size'>): readonly string[] {
  if (size <= MAX_OBJECT_BYTES) return [hash];
  return Array.from({ length: Math.ceil(size / MAX_OBJECT_BYTES) }, (_, at) => `${hash}.${at}`);
}
