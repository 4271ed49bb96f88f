import { createBoundedMap } from './bounded-map.ts';

/** Limits a rate by key: a full minute's number at once, then at that rate. */
export interface TokenBuckets {
  /** Takes one; returns 0 when it is granted, otherwise the seconds until the next one. */
  take(key: string, nowMs: number): number;
  /** Returns what `take` would, and takes nothing. */
  look(key: string, nowMs: number): number;
}

/** Remembered keys; one that is dropped starts again. */
const MAX_KEYS = 20_000;
const MINUTE_MS = 60_000;

/** Creates buckets of `perMinute` tokens; a function is asked each time. */
export function createTokenBuckets(limit: number | (() => number)): TokenBuckets {
  const buckets = createBoundedMap<string, { readonly tokens: number; readonly atMs: number }>({
    maxEntries: MAX_KEYS,
  });
  const readLimit = (): number => (typeof limit === 'number' ? limit : limit());
  const countTokens = (key: string, nowMs: number): number => {
    const perMinute = readLimit();
    const { tokens, atMs } = buckets.get(key) ?? { tokens: perMinute, atMs: nowMs };
    const passed = Math.max(0, nowMs - atMs);
    return Math.min(perMinute, tokens + (passed * perMinute) / MINUTE_MS);
  };
  const countSeconds = (tokens: number): number =>
    tokens >= 1 ? 0 : Math.max(1, Math.ceil(((1 - tokens) * MINUTE_MS) / readLimit() / 1000));
  return {
    take(key, nowMs) {
      const tokens = countTokens(key, nowMs);
      buckets.set(key, { tokens: tokens >= 1 ? tokens - 1 : tokens, atMs: nowMs });
      return countSeconds(tokens);
    },
    look: (key, nowMs) => countSeconds(countTokens(key, nowMs)),
  };
}
