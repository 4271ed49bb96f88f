/** Runs work: for each key one piece after the other, in the order it was given; different keys side by side. */
export interface Turns {
  <T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Settles when all that has been given has ended, however it ended. */
  ended(): Promise<void>;
}

/** Creates turns. Keys may be anything; nothing is kept of a key once its work is done. */
export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  const inTurn = <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const result = (last.get(key) ?? Promise.resolve()).then(work);
    const done = result
      .catch(() => {})
      .then(() => {
        if (last.get(key) === done) last.delete(key);
      });
    last.set(key, done);
    return result;
  };
  return Object.assign(inTurn, {
    async ended(): Promise<void> {
      await Promise.all(last.values());
    },
  });
}
