import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, gunzip, gzip } from 'node:zlib';

/** A content coding that makes bodies smaller. */
export type Compression = 'br' | 'gzip';
/** In the order of preference. */
export const COMPRESSIONS: readonly Compression[] = ['br', 'gzip'];
/** Smaller bodies fit into one packet anyway. */
export const MIN_COMPRESSED_SIZE = 1_024;

/** Largest ratio at which a compressed body is worth the client's work. */
const WORTH = 0.95;

// 509 distinct pages of real documentation, 10.4 MB, one core: brotli 5: 0.23 s, 21.9 %; 7: 0.28 s, 21.5 %; 9: 4.9 s,
// 21.4 %; 11: 14.8 s, 19.6 %. gzip 6: 0.15 s, 23.9 %; 8: 0.18 s, 23.9 %; 9 the same. Above 7 a publish would cost more
// than the build itself.
const BROTLI_QUALITY = 7;
const GZIP_LEVEL = 8;
/** Identifies how bodies are compressed; an index of other settings is discarded. */
export const COMPRESSION_SETTINGS = `br${BROTLI_QUALITY} gzip${GZIP_LEVEL}`;

const compressors: Readonly<Record<Compression, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: (body) => promisify(gzip)(body, { level: GZIP_LEVEL, memLevel: 9 }),
};

/** Compresses on another thread. Equal bodies result in equal bytes, whether made in advance or while serving. */
export function compressBody(body: Buffer, compression: Compression): Promise<Buffer> {
  return compressors[compression](body);
}

/** Checks whether a compressed body is worth sending. */
export function isWorthSending(compressedSize: number, size: number): boolean {
  return compressedSize <= size * WORTH;
}

/** Decompresses a body. Rejects for damaged bytes and for a result above `maxBytes`. */
export function decompressBody(bytes: Buffer, compression: Compression, maxBytes: number): Promise<Buffer> {
  const options = { maxOutputLength: Math.max(1, maxBytes) };
  return compression === 'br' ? promisify(brotliDecompress)(bytes, options) : promisify(gunzip)(bytes, options);
}
