import { createSecret, hashSecret } from '../../lib/secrets.ts';

/** Characters behind the mark that are kept to show: 48 of 256 bits. */
const SHOWN = 8;

/** Longest text that can be a token, in characters. */
export const MAX_TOKEN_LENGTH = 200;

/** A secret of its own, and what is kept of it. */
export interface NewToken {
  /** The secret: mark, then 43 characters of `[A-Za-z0-9_-]`. Shown once, never kept. */
  readonly raw: string;
  readonly hash: string;
  /** The beginning, for display. */
  readonly prefix: string;
}

/** Creates a token from 32 random bytes; `mark` says what it is for, so that scanners of leaked secrets know it. */
export function createToken(mark: 'dbk_' | 'dbs_'): NewToken {
  const raw = mark + createSecret();
  return { raw, hash: hashToken(raw), prefix: raw.slice(0, mark.length + SHOWN) };
}

/** Gives what a token is kept and found as: its SHA-256 in lower-case hex. Random tokens need no slower hash. */
export function hashToken(raw: string): string {
  return hashSecret(raw);
}
