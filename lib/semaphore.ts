/** Limits how many pieces of work run at once; a limited number of others wait, first come, first served. */
export interface Semaphore {
  /**
   * Waits for a permit and returns the function that releases it; undefined if too many wait already, or if
   * none is free within `timeoutMs`.
   */
  acquire(timeoutMs?: number): Promise<(() => void) | undefined>;
}

/** Creates a semaphore with so many permits. */
export function createSemaphore({
  permits,
  maxWaiting,
}: {
  readonly permits: number;
  readonly maxWaiting: number;
}): Semaphore {
  let free = permits;
  /** The waiting callers; each is handed a permit directly, so that no other caller can get in between. */
  const waiting = new Set<() => void>();

  const createRelease = (): (() => void) => {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const [next] = waiting;
      if (next) next();
      else free++;
    };
  };
  const waitForPermit = (timeoutMs: number | undefined): Promise<boolean> =>
    new Promise((resolve) => {
      const settle = (isGranted: boolean): void => {
        clearTimeout(timer);
        waiting.delete(grant);
        resolve(isGranted);
      };
      const grant = (): void => settle(true);
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => settle(false), timeoutMs);
      waiting.add(grant);
    });

  return {
    async acquire(timeoutMs) {
      if (free > 0) free--;
      else if (waiting.size >= maxWaiting || !(await waitForPermit(timeoutMs))) return undefined;
      return createRelease();
    },
  };
}
