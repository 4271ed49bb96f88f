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
  const sources = new Map<string, number[]>();
  return {
    count(source, nowMs) {
      const times = (sources.get(source) ?? []).filter((ms) => nowMs - WINDOW_MS < ms && ms <= nowMs);
      times.push(nowMs);
      sources.delete(source);
      if (times.length >= LIMIT) return true;
      sources.set(source, times);
      if (sources.size > MAX_SOURCES) sources.delete(sources.keys().next().value!);
      return false;
    },
    forget(source) {
      sources.delete(source);
    },
  };
}
