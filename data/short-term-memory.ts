import { createBoundedMap } from '../lib/bounded-map.ts';

/** Values kept between two requests of somebody; they may be forgotten early, as when a server is started again. */
export interface ShortTermMemory {
  put(key: string, value: string, lifetimeMs: number): Promise<void>;
  /** Puts a value unless there is one; returns the one that there is, undefined = it was put. */
  claim(key: string, value: string, lifetimeMs: number): Promise<string | undefined>;
  find(key: string): Promise<string | undefined>;
  /** Returns a value and removes it; of several callers one gets it. */
  take(key: string): Promise<string | undefined>;
}

const MAX_ENTRIES = 10_000;
const MAX_CHARACTERS = 50_000_000;

/** Creates the memory of the only process. */
export function createLocalMemory(nowMs: () => number): ShortTermMemory {
  const known = createBoundedMap<
    string,
    { readonly value: string; readonly setMs: number; readonly lifetimeMs: number }
  >({ maxEntries: MAX_ENTRIES, maxWeight: MAX_CHARACTERS, weigh: ({ value }) => value.length });
  const find = (key: string): string | undefined => {
    const found = known.get(key);
    // A clock that is set back ends what was put before, too.
    return found && Math.abs(nowMs() - found.setMs) < found.lifetimeMs ? found.value : undefined;
  };
  const put = (key: string, value: string, lifetimeMs: number): void =>
    known.set(key, { value, setMs: nowMs(), lifetimeMs });
  return {
    put: async (key, value, lifetimeMs) => put(key, value, lifetimeMs),
    async claim(key, value, lifetimeMs) {
      const found = find(key);
      if (found === undefined) put(key, value, lifetimeMs);
      return found;
    },
    find: async (key) => find(key),
    async take(key) {
      const found = find(key);
      known.delete(key);
      return found;
    },
  };
}
