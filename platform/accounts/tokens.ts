import { createSecret, hashSecret } from '../../lib/secrets.ts';

/** Characters after the mark that are stored to show: 48 of 256 bits. */
const SHOWN = 8;

/** Longest text that can be a token, in characters. */
export const MAX_TOKEN_LENGTH = 200;

/** A new token, and what is stored of it. */
export interface NewToken {
  /** The token itself: mark, then 43 characters of `[A-Za-z0-9_-]`. Shown once, never stored. */
  readonly raw: string;
  readonly hash: string;
  /** The beginning, for display. */
  readonly prefix: string;
}

/** Creates a token; `mark` says what it is for, so that scanners of leaked secrets recognise it. */
export function createToken(mark: 'dbk_' | 'dbs_'): NewToken {
  const raw = mark + createSecret();
  return { raw, hash: hashSecret(raw), prefix: raw.slice(0, mark.length + SHOWN) };
}

/** Returns what a token is stored and found by. */
export function hashToken(raw: string): string {
  return hashSecret(raw);
}
