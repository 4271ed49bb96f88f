/** Runs work one piece after the other for each key, in the order it was added; different keys run side by side. */
export interface KeyedQueue {
  /** Runs work after all earlier work of this key, however that ended, and returns its result. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Waits until all work added so far has ended, however it ended. */
  idle(): Promise<void>;
}

/** Creates an empty queue. Nothing is kept of a key once its work is done. */
export function createKeyedQueue(): KeyedQueue {
  const last = new Map<string, Promise<unknown>>();
  return {
    run(key, work) {
      const result = (last.get(key) ?? Promise.resolve()).then(work);
      const done = result
        .catch(() => {})
        .then(() => {
          if (last.get(key) === done) last.delete(key);
        });
      last.set(key, done);
      return result;
    },
    async idle() {
      await Promise.all(last.values());
    },
  };
}
