/** Pauses between attempts that fail one after the other. */
export interface Pauses {
  /** Returns whether the next attempt is to wait. */
  isPausing(): boolean;
  /** Notes that an attempt has failed. */
  fail(): void;
  /** Notes that one has succeeded: there are no pauses any more. */
  succeed(): void;
}

/** Creates pauses: none after the first failure, then 1, 3, 7, … times `firstMs` after the next ones, and never more than `maxMs`. */
export function createPauses({ firstMs, maxMs }: { readonly firstMs: number; readonly maxMs: number }): Pauses {
  let failures = 0;
  let until = 0;
  return {
    isPausing: () => performance.now() < until,
    fail() {
      until = performance.now() + Math.min(maxMs, firstMs * (2 ** failures - 1));
      failures++;
    },
    succeed() {
      failures = 0;
      until = 0;
    },
  };
}
