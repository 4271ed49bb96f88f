import { inflateSync } from 'node:zlib';
import pako from 'pako';

/**
 * Lets isomorphic-git take objects apart with Node's zlib: its own, the package `pako`, is JavaScript and a fifth of what
 * reading a repository costs. It asks that module for `inflate` at each call, so that replacing it there is enough.
 */
export function inflateNatively(): void {
  pako.inflate = ((bytes: Uint8Array) => {
    try {
      return inflateSync(bytes);
    } catch (error) {
      // What pako throws for damaged data, and isomorphic-git turns into an error of its own.
      throw error instanceof Error ? error.message : String(error);
    }
  }) as unknown as typeof pako.inflate;
}
