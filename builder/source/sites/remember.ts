/** A cache of promises: a map, possibly a bounded one. */
interface Memory<T> {
  get(key: string): Promise<T> | undefined;
  set(key: string, value: Promise<T>): unknown;
  delete(key: string): unknown;
}

/** Returns the cached promise of a key, or a new one; failures are not cached. */
export function remember<T>(memory: Memory<T>, key: string, make: () => Promise<T>): Promise<T> {
  const known = memory.get(key);
  if (known) return known;
  const value = make();
  memory.set(key, value);
  value.catch(() => memory.delete(key));
  return value;
}
