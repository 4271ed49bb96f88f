import type { EngineName, InclusionStore } from '../../data/records/inclusion.ts';

/** A cache of URLs that were found to be indexed. URLs are as returned by `comparableUrl`. */
export interface InclusionCache {
  /** Returns whether the engine was found to have this address, not too long ago. */
  has(engine: EngineName, url: string): Promise<boolean>;
  /** Records that it was found to have it now; excess entries are removed. */
  remember(engine: EngineName, url: string): Promise<void>;
  forget(engine: EngineName, url: string): Promise<void>;
}

const DAY_MS = 86_400_000;

/** Creates the cache on top of a store. */
export function createInclusionCache(options: {
  readonly store: InclusionStore;
  readonly maxDays: number;
  readonly maxEntries: number;
  readonly now: () => Date;
}): InclusionCache {
  const { store, maxDays, maxEntries, now } = options;
  const oldest = (): string => new Date(now().getTime() - maxDays * DAY_MS).toISOString();
  return {
    async has(engine, url) {
      const found = await store.find(engine, url);
      // Answers from a time when the clock was ahead are asked for again: nobody knows when that was.
      return found !== undefined && found.foundAt > oldest() && found.foundAt <= now().toISOString();
    },
    async remember(engine, url) {
      // Both are requested together, so that they are written together.
      await Promise.all([
        store.put({ engine, url, foundAt: now().toISOString() }),
        // By number alone: what is too old while the clock is ahead is not when it is set right.
        store.prune({ keep: maxEntries, before: '' }),
      ]);
    },
    forget: (engine, url) => store.remove(engine, url),
  };
}
