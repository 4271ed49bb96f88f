import { createBoundedMap } from '../../lib/bounded-map.ts';

/** Calls that limits refused, by source; lost with the process. */
export interface Refusals {
  /** Counts one; true = the source has reached the limit now, and its count begins anew. */
  count(source: string, nowMs: number): boolean;
  forget(source: string): void;
}

/** Refused calls within a minute that are too many. */
const LIMIT = 100;
const WINDOW_MS = 60_000;
/** Sources that are watched at once; the one that has been quiet for longest makes room. */
const MAX_SOURCES = 10_000;

/** Creates a count of refused calls. */
export function createRefusals(): Refusals {
  /** Times of the latest refusals, ascending, less than `LIMIT`. */
  const sources = createBoundedMap<string, readonly number[]>({ maxEntries: MAX_SOURCES });
  return {
    count(source, nowMs) {
      const times = (sources.get(source) ?? []).filter((ms) => nowMs - WINDOW_MS < ms && ms <= nowMs);
      times.push(nowMs);
      const isReached = times.length >= LIMIT;
      if (isReached) sources.delete(source);
      else sources.set(source, times);
      return isReached;
    },
    forget(source) {
      sources.delete(source);
    },
  };
}
