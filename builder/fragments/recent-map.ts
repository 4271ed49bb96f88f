/** A map that forgets what was not asked for longest. */
export interface RecentMap<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
}

/** Creates a map of up to `size` entries. */
export function createRecentMap<T>(size: number): RecentMap<T> {
  const entries = new Map<string, T>();
  const set = (key: string, value: T): void => {
    entries.delete(key);
    entries.set(key, value);
    if (entries.size > size) entries.delete(entries.keys().next().value!);
  };
  return {
    get(key) {
      const value = entries.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
    set,
  };
}
