import { createBoundedMap } from './bounded-map.ts';

/** Limits a rate by key: a full minute's number at once, then at that rate. */
export interface TokenBuckets {
  /** Takes one; returns 0 when it is granted, otherwise the seconds until the next one. */
  take(key: string, nowMs: number): number;
}

/** Remembered keys; one that is dropped starts again. */
const MAX_KEYS = 20_000;
const MINUTE_MS = 60_000;

/** Creates buckets of `perMinute` tokens; a function is asked each time. */
export function createTokenBuckets(limit: number | (() => number)): TokenBuckets {
  const buckets = createBoundedMap<string, { readonly tokens: number; readonly atMs: number }>({
    maxEntries: MAX_KEYS,
  });
  return {
    take(key, nowMs) {
      const perMinute = typeof limit === 'number' ? limit : limit();
      const { tokens, atMs } = buckets.get(key) ?? { tokens: perMinute, atMs: nowMs };
      const passed = Math.max(0, nowMs - atMs);
      const full = Math.min(perMinute, tokens + (passed * perMinute) / MINUTE_MS);
      const isGranted = full >= 1;
      buckets.set(key, { tokens: isGranted ? full - 1 : full, atMs: nowMs });
      return isGranted ? 0 : Math.max(1, Math.ceil(((1 - full) * MINUTE_MS) / perMinute / 1000));
    },
  };
}
