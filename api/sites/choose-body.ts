import { setTimeout as sleep } from 'node:timers/promises';
import { type Compression, compressBody, isWorthSending, MIN_COMPRESSED_SIZE } from '../../lib/body-compression.ts';
import type { FileContent } from '../../platform/sites/file-cache.ts';
import type { FileBody, PublishedSite } from '../../platform/sites/site-storage.ts';
import type { Coding } from '../http/content-coding.ts';
import type { View } from './representation.ts';
import type { Site } from './site.ts';
import type { ViewLoader } from './view-loader.ts';

/** A body in the coding in which it is sent; without `bytes` it is identity, read from the file. */
export interface ChosenBody {
  readonly coding: Coding;
  readonly bytes: Buffer | undefined;
}

/** The variants of a file that a body is chosen from. */
export interface BodySource {
  readonly path: string;
  readonly loader: ViewLoader;
  readonly site: Site;
  readonly view: View;
  /** Captured with the view, because the cache may drop it at any time. */
  readonly content: FileContent;
  /** Longest wait for a smaller body. */
  readonly maxWaitMs: number;
}

const looking = new WeakMap<FileContent, Map<Compression, Promise<void>>>();

/**
 * Chooses among accepted codings, the best first. Returns `unknown` where `prepareBody` must first find out whether there is a
 * compressed body, and `none` where the client accepts nothing that is available.
 */
export function chooseBody({ view, content }: BodySource, codings: readonly Coding[]): ChosenBody | 'none' | 'unknown' {
  for (const coding of codings) {
    if (coding === 'identity') return { coding, bytes: content.body };
    if (!view.isCompressible) continue;
    const bytes = content.compressed.get(coding);
    if (bytes === undefined) return 'unknown';
    if (bytes !== 'none') return { coding, bytes };
  }
  return 'none';
}

/** Finds or creates the compressed body that the choice depends on; where that takes too long, the plain body is chosen. */
export async function prepareBody(source: BodySource, codings: readonly Coding[]): Promise<ChosenBody | 'none'> {
  const { view, content, maxWaitMs } = source;
  const plain: ChosenBody = { coding: 'identity', bytes: content.body };
  for (const coding of codings) {
    if (coding === 'identity') return plain;
    if (!view.isCompressible) continue;
    if (!content.compressed.has(coding)) {
      await Promise.race([lookOnce(source, coding), sleep(maxWaitMs, undefined, { ref: false })]);
    }
    const bytes = content.compressed.get(coding);
    if (Buffer.isBuffer(bytes)) return { coding, bytes };
    if (bytes === undefined && codings.includes('identity')) return plain;
  }
  return (await forceBody(source, codings)) ?? 'none';
}

/** Compresses any body that is not too large, for a client that does not accept the plain one. */
async function forceBody(
  { loader, site, path, content }: BodySource,
  codings: readonly Coding[],
): Promise<ChosenBody | undefined> {
  const coding = codings.find((one): one is Compression => one !== 'identity');
  if (!coding) return undefined;
  const options = { files: site.files, path, maxBytes: loader.maxBodyBytes, isForced: true };
  const bytes = await findCompressed(content, coding, options);
  return Buffer.isBuffer(bytes) ? { coding, bytes } : undefined;
}

/** All requests for a compressed body wait for the same work. */
function lookOnce({ loader, site, path, view, content }: BodySource, compression: Compression): Promise<void> {
  const known = looking.get(content) ?? new Map<Compression, Promise<void>>();
  looking.set(content, known);
  const look = known.get(compression) ?? start();
  known.set(compression, look);
  return look;

  async function start(): Promise<void> {
    const options = { files: site.files, path, maxBytes: loader.maxBodyBytes, isForced: false };
    const found = await findCompressed(content, compression, options).finally(() => known.delete(compression));
    if (found === undefined) return;
    content.compressed.set(compression, found);
    if (found !== 'none') loader.grow(view, found.length);
  }
}

/** Larger bodies are not compressed while a client waits: 10 ms of work. */
const MAX_SIZE = 262_144;
const MAX_RUNNING = 16;
let running = 0;

/**
 * Returns a compressed body that was made in advance; a small one is otherwise compressed now. Returns `none` where
 * it is not worth sending, and undefined where that is not known yet: too much is being compressed already, or the body is
 * large. With `isForced` it is compressed even if it is not worth it.
 */
async function findCompressed(
  content: FileBody,
  compression: Compression,
  options: {
    readonly files: PublishedSite;
    readonly path: string;
    readonly maxBytes: number;
    readonly isForced: boolean;
  },
): Promise<Buffer | 'none' | undefined> {
  const { size, body } = content;
  const { files, path, maxBytes, isForced } = options;
  if (size < MIN_COMPRESSED_SIZE && !isForced) return 'none';
  const stored = await files.readCompressed(path, { content, compression, maxBytes });
  if (stored) return stored;
  if (!body || body.length > MAX_SIZE || running >= MAX_RUNNING) return undefined;
  running++;
  try {
    const bytes = await compressBody(body, compression);
    return isForced || isWorthSending(bytes.length, size) ? bytes : 'none';
  } finally {
    running--;
  }
}
