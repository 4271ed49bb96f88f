import { setTimeout as sleep } from 'node:timers/promises';
import type { Coding, Compression } from '../http/content-coding.ts';
import { findCompressed } from './compression.ts';
import type { FileContent } from './file-cache.ts';
import type { View } from './representation.ts';
import type { Site } from './site-files.ts';
import type { ViewLoader } from './view-loader.ts';

/** A body in the coding in which it is sent; without `bytes` it is identity, read from the file. */
export interface ChosenBody {
  readonly coding: Coding;
  readonly bytes: Buffer | undefined;
}

/** What a body is chosen from. */
export interface BodySource {
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
  { loader, site, content }: BodySource,
  codings: readonly Coding[],
): Promise<ChosenBody | undefined> {
  const coding = codings.find((one): one is Compression => one !== 'identity');
  if (!coding) return undefined;
  const options = { folder: site.compressed, maxBytes: loader.maxBodyBytes, isForced: true };
  const bytes = await findCompressed(content, coding, options);
  return Buffer.isBuffer(bytes) ? { coding, bytes } : undefined;
}

/** All requests for a compressed body wait for the same work. */
function lookOnce({ loader, site, view, content }: BodySource, compression: Compression): Promise<void> {
  const known = looking.get(content) ?? new Map<Compression, Promise<void>>();
  looking.set(content, known);
  const look = known.get(compression) ?? start();
  known.set(compression, look);
  return look;

  async function start(): Promise<void> {
    const options = { folder: site.compressed, maxBytes: loader.maxBodyBytes, isForced: false };
    const found = await findCompressed(content, compression, options).finally(() => known.delete(compression));
    if (found === undefined) return;
    content.compressed.set(compression, found);
    if (found !== 'none') loader.grow(view, found.length);
  }
}
