/** Turns of the event loop in which work goes on that would hold up other work if it went on all at once. */
export interface FairTurns {
  /** Calls a function in one of the next turns; returns what keeps it from being called. */
  wait(owner: string, goOn: () => void): () => void;
}

/** Creates turns, in each of which so many go on at most: one of each owner after the other, each owner's own in their order. */
export function createFairTurns(perTurn: number): FairTurns {
  const waiting = new Map<string, Set<() => void>>();
  let isGoing = false;
  const go = (): void => {
    for (let count = 0; count < perTurn && waiting.size > 0; count++) {
      const [owner, own] = waiting.entries().next().value!;
      const goOn = own.values().next().value!;
      own.delete(goOn);
      waiting.delete(owner);
      // Behind all others.
      if (own.size > 0) waiting.set(owner, own);
      goOn();
    }
    isGoing = waiting.size > 0;
    if (isGoing) setImmediate(go);
  };
  return {
    wait(owner, goOn) {
      const own = waiting.get(owner) ?? new Set();
      waiting.set(owner, own.add(goOn));
      if (!isGoing) setImmediate(go);
      isGoing = true;
      return () => {
        if (own.delete(goOn) && own.size === 0) waiting.delete(owner);
      };
    },
  };
}
