import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, gunzip, gzip } from 'node:zlib';
import type { Coding } from './parse-accept-encoding.ts';

/** A coding that makes bodies smaller. */
export type Compression = Exclude<Coding, 'identity'>;
export const COMPRESSIONS: readonly Compression[] = ['br', 'gzip'];
/** Ends of the names of files that hold compressed bodies. */
export const COMPRESSION_SUFFIX: Readonly<Record<Compression, string>> = { br: '.br', gzip: '.gz' };

/** Smaller bodies fit into one packet either way. */
export const MIN_COMPRESSED_SIZE = 1_024;
/** Larger bodies are not worth the memory that compressing them takes. */
export const MAX_COMPRESSED_SIZE = 33_554_432;
/** A compressed body must be this much smaller, or the client's work is not worth it. */
const WORTH = 0.95;

// 509 distinct pages of real documentation, 10.4 MB, one core: brotli 5: 0.23 s, 21.9 %; 7: 0.28 s, 21.5 %; 9: 4.9 s,
// 21.4 %; 11: 14.8 s, 19.6 %. gzip 6: 0.15 s, 23.9 %; 8: 0.18 s, 23.9 %; 9 the same. Above 7 a publish would cost more
// than the build itself.
const BROTLI_QUALITY = 7;
const GZIP_LEVEL = 8;
/** Says how bodies are compressed; compressed bodies are not comparable where it differs. */
export const COMPRESSION_SETTINGS = `br${BROTLI_QUALITY} gzip${GZIP_LEVEL}`;

const compressors: Readonly<Record<Compression, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: (body) => promisify(gzip)(body, { level: GZIP_LEVEL, memLevel: 9 }),
};

/** Compresses on another thread. Equal bodies give equal bytes, whether made ahead or while serving. */
export function compressBody(body: Buffer, compression: Compression): Promise<Buffer> {
  return compressors[compression](body);
}

/** Returns the body that was compressed. Rejects where the bytes are damaged or become more than `maxBytes`. */
export function decompressBody(bytes: Buffer, compression: Compression, maxBytes: number): Promise<Buffer> {
  const options = { maxOutputLength: Math.max(1, maxBytes) };
  return compression === 'br' ? promisify(brotliDecompress)(bytes, options) : promisify(gunzip)(bytes, options);
}

/** Checks whether a compressed body is enough smaller to be sent. */
export function isWorthSending(compressedSize: number, size: number): boolean {
  return compressedSize <= size * WORTH;
}
