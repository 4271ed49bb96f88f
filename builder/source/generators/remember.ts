/** Where promises are remembered: a map, perhaps a bounded one. */
interface Memory<T> {
  get(key: string): Promise<T> | undefined;
  set(key: string, value: Promise<T>): unknown;
  delete(key: string): unknown;
}

/** Returns what is known under a key, else what is made now; a failure is not remembered. */
export function remember<T>(memory: Memory<T>, key: string, make: () => Promise<T>): Promise<T> {
  const known = memory.get(key);
  if (known) return known;
  const value = make();
  memory.set(key, value);
  value.catch(() => memory.delete(key));
  return value;
}
