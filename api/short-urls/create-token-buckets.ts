import { createBoundedMap } from '../../lib/bounded-map.ts';

/** Lets each key do something so often: as many times at once as a minute allows, then at that rate. */
export interface TokenBuckets {
  /** Takes one; gives 0 when it was granted, else the whole seconds until the next one is. */
  take(key: string, nowMs: number): number;
}

/** Keys that are remembered; the one not seen for longest is forgotten first, and begins again. */
const MAX_KEYS = 20_000;
const MINUTE_MS = 60_000;

/** Creates buckets of `perMinute`. */
export function createTokenBuckets(perMinute: number): TokenBuckets {
  const buckets = createBoundedMap<string, { readonly tokens: number; readonly atMs: number }>({
    maxEntries: MAX_KEYS,
  });
  return {
    take(key, nowMs) {
      const { tokens, atMs } = buckets.get(key) ?? { tokens: perMinute, atMs: nowMs };
      const passed = Math.max(0, nowMs - atMs);
      const full = Math.min(perMinute, tokens + (passed * perMinute) / MINUTE_MS);
      const isGranted = full >= 1;
      buckets.set(key, { tokens: isGranted ? full - 1 : full, atMs: nowMs });
      return isGranted ? 0 : Math.max(1, Math.ceil(((1 - full) * MINUTE_MS) / perMinute / 1000));
    },
  };
}
