import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Returns an unguessable secret: 32 random bytes as 43 characters of `[A-Za-z0-9_-]`. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Returns the SHA-256 of a secret in lower-case hex: what is stored of one that was drawn at random, which needs no
 * slower hash. Passwords do.
 */
export function hashSecret(secret: string): string {
  return digest(secret).toString('hex');
}

/** Returns whether two texts are equal, in a time that reveals neither where nor by how much they differ. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

/** Digests have the equal lengths that `timingSafeEqual` requires. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
