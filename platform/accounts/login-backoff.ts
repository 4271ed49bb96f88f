import type { AttemptCounter, AttemptLimit } from '../../data/attempts.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';

/** Permits a few attempts, then makes each further one wait longer. */
export interface Backoff {
  /** Returns how long this key has to wait before the next attempt, ms; 0 = not at all. */
  waitMs(key: string): number;
  /** Counts an attempt; to be called before its outcome is known, so that simultaneous attempts count too. */
  count(key: string): void;
  /** Takes back one attempt. */
  forgive(key: string): void;
  /** Takes back all attempts. */
  forget(key: string): void;
}

interface Attempts {
  count: number;
  untilMs: number;
  /** When the last one was made. */
  readonly lastMs: number;
}

const MAX_KEYS = 50_000;

/**
 * Creates a backoff: after `free` attempts each one doubles the wait, from `firstMs` up to `mostMs`. After `forgetMs` without
 * an attempt a key starts again. Nothing outlives the process.
 */
export function createBackoff({ free, firstMs, mostMs, forgetMs }: AttemptLimit, nowMs: () => number): Backoff {
  const known = createBoundedMap<string, Attempts>({ maxEntries: MAX_KEYS });
  const find = (key: string): Attempts | undefined => {
    const attempts = known.peek(key);
    // A clock that is set back ends them, too.
    return attempts && Math.abs(nowMs() - attempts.lastMs) < forgetMs ? attempts : undefined;
  };
  const waitAfter = (count: number): number => (count < free ? 0 : Math.min(mostMs, firstMs * 2 ** (count - free)));
  return {
    waitMs(key) {
      const leftMs = (find(key)?.untilMs ?? 0) - nowMs();
      // Nobody waits longer than that: the clock was ahead when the attempt was made.
      return leftMs > mostMs ? 0 : Math.max(0, leftMs);
    },
    count(key) {
      const count = (find(key)?.count ?? 0) + 1;
      known.set(key, { count, untilMs: nowMs() + waitAfter(count), lastMs: nowMs() });
    },
    forgive(key) {
      const attempts = find(key);
      if (!attempts) return;
      attempts.count--;
      if (attempts.count < free) attempts.untilMs = 0;
      if (attempts.count <= 0) known.delete(key);
    },
    forget: (key) => void known.delete(key),
  };
}

/** Creates the counter of the only process. */
export function createLocalAttempts(nowMs: () => number): AttemptCounter {
  const backoffs = new Map<string, Backoff>();
  const backoffOf = (kind: string, limit: AttemptLimit): Backoff => {
    // Another limit counts anew.
    const name = `${kind} ${JSON.stringify(limit)}`;
    const known = backoffs.get(name) ?? createBackoff(limit, nowMs);
    backoffs.set(name, known);
    return known;
  };
  return {
    async count(attempts) {
      const waitMs = Math.max(...attempts.map(({ kind, key, limit }) => backoffOf(kind, limit).waitMs(key)));
      if (waitMs === 0) for (const { kind, key, limit } of attempts) backoffOf(kind, limit).count(key);
      return waitMs;
    },
    async forgive(attempts) {
      for (const { kind, key, limit } of attempts) backoffOf(kind, limit).forgive(key);
    },
    async forget(attempts) {
      for (const { kind, key, limit } of attempts) backoffOf(kind, limit).forget(key);
    },
  };
}
