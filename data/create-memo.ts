/** The outcomes of a pure function that were asked for lately. */
export interface Memo<T> {
  get(key: string): T;
}

/** Creates a memo of a function; it forgets all when it knows `size` outcomes. */
export function createMemo<T>(find: (key: string) => T, size: number): Memo<T> {
  const known = new Map<string, T>();
  return {
    get(key) {
      let value = known.get(key);
      if (value === undefined && !known.has(key)) {
        value = find(key);
        if (known.size >= size) known.clear();
        known.set(key, value);
      }
      return value as T;
    },
  };
}
