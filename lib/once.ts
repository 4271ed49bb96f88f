/** Returns a function that creates a value when it is first called, and returns the same one from then on. */
export function once<T>(create: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: create() };
    return made.value;
  };
}

/** Returns a function that begins work for a key, unless it is under way: then callers share what comes of it. */
export function createSharedWork<K, V>(): (key: K, work: () => Promise<V>) => Promise<V> {
  const underWay = new Map<K, Promise<V>>();
  return (key, work) => {
    const known = underWay.get(key);
    if (known) return known;
    const begun = work().finally(() => underWay.delete(key));
    underWay.set(key, begun);
    return begun;
  };
}
