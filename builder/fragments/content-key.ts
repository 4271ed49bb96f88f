import { createHash } from 'node:crypto';

/** Gives the key of something that these parts decide and nothing else: 40 hex digits. */
export function contentKey(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha1');
  for (const part of parts) {
    // The length in front keeps ("ab", "c") and ("a", "bc") apart.
    hash.update(`${typeof part === 'string' ? Buffer.byteLength(part) : part.length}:`);
    hash.update(part);
  }
  return hash.digest('hex');
}
