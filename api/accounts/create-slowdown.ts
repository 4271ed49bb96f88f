import { createBoundedMap } from '../../lib/bounded-map.ts';

/** Lets somebody try a few times, then slower and slower. */
export interface Slowdown {
  /** Returns how long this key has to wait before the next attempt, ms; 0 = it may. */
  waitMs(key: string): number;
  /** Counts an attempt, best before its outcome is known: many at once are then counted, too. */
  count(key: string): void;
  /** Takes back one attempt that was counted. */
  forgive(key: string): void;
  /** Takes back all attempts. */
  forget(key: string): void;
}

interface Attempts {
  count: number;
  untilMs: number;
}

/** Keys that are remembered; the one not seen for longest goes first. */
const MAX_KEYS = 50_000;

/**
 * Creates a slowdown: after `free` attempts each one doubles the wait, from `firstMs` up to `mostMs`. Who does not try for
 * `forgetMs` begins again. Nothing outlives the process.
 */
export function createSlowdown(
  options: { readonly free: number; readonly firstMs: number; readonly mostMs: number; readonly forgetMs: number },
  nowMs: () => number,
): Slowdown {
  const { free, firstMs, mostMs, forgetMs } = options;
  const known = createBoundedMap<string, Attempts>({ maxEntries: MAX_KEYS, maxAgeMs: forgetMs, nowMs });
  const waitFor = (count: number): number => (count < free ? 0 : Math.min(mostMs, firstMs * 2 ** (count - free)));
  return {
    waitMs: (key) => Math.max(0, (known.peek(key)?.untilMs ?? 0) - nowMs()),
    count(key) {
      const count = (known.peek(key)?.count ?? 0) + 1;
      known.set(key, { count, untilMs: nowMs() + waitFor(count) });
    },
    forgive(key) {
      const attempts = known.peek(key);
      if (!attempts) return;
      attempts.count--;
      if (attempts.count < free) attempts.untilMs = 0;
      if (attempts.count <= 0) known.delete(key);
    },
    forget: (key) => void known.delete(key),
  };
}
