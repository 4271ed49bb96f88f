/** Lets few pieces of work run at once; the others wait, and only so many. */
export interface Gate {
  /** Waits for a place; gives the function that frees it, undefined where too many wait or none is free in time. */
  enter(timeoutMs: number): Promise<(() => void) | undefined>;
}

/** Creates a gate; who waits for longest enters first. */
export function createGate({ maxRunning, maxWaiting }: { maxRunning: number; maxWaiting: number }): Gate {
  const waiting = new Set<() => void>();
  let running = 0;
  const createLeave = (): (() => void) => {
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      running--;
      const [next] = waiting;
      next?.();
    };
  };
  return {
    async enter(timeoutMs) {
      if (running >= maxRunning) {
        if (waiting.size >= maxWaiting) return undefined;
        if (!(await waitForTurn(timeoutMs))) return undefined;
      } else running++;
      return createLeave();
    },
  };

  /** The place is taken before the promise resolves, so that nobody comes between. */
  function waitForTurn(timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const enter = (): void => {
        clearTimeout(timer);
        waiting.delete(enter);
        running++;
        resolve(true);
      };
      const timer = setTimeout(() => {
        waiting.delete(enter);
        resolve(false);
      }, timeoutMs);
      waiting.add(enter);
    });
  }
}
