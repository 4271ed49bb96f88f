/** What a map may hold; what exceeds it is dropped, least recently used first. */
export interface BoundedMapLimits<K, V> {
  readonly maxEntries?: number;
  /** Greatest sum of the weights of all entries. */
  readonly maxWeight?: number;
  /** Weight of an entry, which must not change while it is in the map; 0 by default. */
  readonly weigh?: (value: V, key: K) => number;
  /** How long after it was set an entry exists; a clock that is set back by as much ends it, too. Needs `nowMs`. */
  readonly maxAgeMs?: number;
  readonly nowMs?: () => number;
}

/** A map that stays small: caches, counters by caller, secrets that wait to be shown. */
export interface BoundedMap<K, V> {
  /** Returns a value and marks it as used. */
  get(key: K): V | undefined;
  /** Returns a value without marking it as used. */
  peek(key: K): V | undefined;
  /** Sets a value and marks it as used. An entry above `maxWeight` by itself is not kept. */
  set(key: K, value: V): void;
  /** Removes an entry; returns whether there was one. */
  delete(key: K): boolean;
  /** Returns the entries, least recently used first. */
  entries(): Iterable<readonly [K, V]>;
  readonly size: number;
}

interface Entry<V> {
  readonly value: V;
  readonly weight: number;
  readonly setMs: number;
}

/** Creates an empty map with these limits. */
export function createBoundedMap<K, V>(limits: BoundedMapLimits<K, V>): BoundedMap<K, V> {
  const { maxEntries = Number.POSITIVE_INFINITY, maxWeight = Number.POSITIVE_INFINITY } = limits;
  const { weigh = () => 0, maxAgeMs = Number.POSITIVE_INFINITY, nowMs = () => 0 } = limits;
  /** In the order of last use. */
  const known = new Map<K, Entry<V>>();
  let weight = 0;

  const remove = (key: K): boolean => {
    const entry = known.get(key);
    if (entry === undefined) return false;
    weight -= entry.weight;
    return known.delete(key);
  };
  const isExpired = ({ setMs }: Entry<V>): boolean => Math.abs(nowMs() - setMs) >= maxAgeMs;
  const find = (key: K): Entry<V> | undefined => {
    const entry = known.get(key);
    if (entry === undefined || !isExpired(entry)) return entry;
    remove(key);
    return undefined;
  };
  const dropSurplus = (): void => {
    for (const [key, entry] of known) {
      if (known.size <= maxEntries && weight <= maxWeight && !isExpired(entry)) break;
      remove(key);
    }
  };

  return {
    get(key) {
      const entry = find(key);
      if (entry === undefined) return undefined;
      known.delete(key);
      known.set(key, entry);
      return entry.value;
    },
    peek: (key) => find(key)?.value,
    set(key, value) {
      remove(key);
      const entry = { value, weight: weigh(value, key), setMs: nowMs() };
      if (entry.weight > maxWeight) return;
      known.set(key, entry);
      weight += entry.weight;
      dropSurplus();
    },
    delete: remove,
    *entries() {
      for (const [key, entry] of known) if (!isExpired(entry)) yield [key, entry.value];
    },
    get size() {
      return known.size;
    },
  };
}

/** A memory of results that take work. */
export interface WorkMemory<K, V> {
  /** Returns the result for a key, at once if it is known; concurrent callers share one `make`, and a failure is not remembered. */
  (key: K, make: () => Promise<V>): V | Promise<V>;
  /** Drops all results. */
  forget(): void;
}

/** Creates a memory of results that take work. */
export function createWorkMemory<K, V>(limits: BoundedMapLimits<K, V>): WorkMemory<K, V> {
  const begin = () =>
    createBoundedMap<K, { readonly value: V }>({
      ...limits,
      weigh: ({ value }, key) => limits.weigh?.(value, key) ?? 0,
    });
  let results = begin();
  const underWay = new Map<K, Promise<V>>();
  const recall = (key: K, make: () => Promise<V>): V | Promise<V> => {
    const known = results.get(key);
    if (known) return known.value;
    let work = underWay.get(key);
    if (!work) {
      work = make();
      underWay.set(key, work);
      work
        .then((value) => results.set(key, { value }))
        .catch(() => {})
        .finally(() => underWay.delete(key));
    }
    return work;
  };
  return Object.assign(recall, {
    forget() {
      results = begin();
    },
  });
}

/**
 * Returns a pure function that remembers results, `undefined` included: those of the last `maxEntries / 2` keys, and no more than
 * `maxEntries`. A known key costs a look at a map, which is not put in order of use each time: instead all move to a second map
 * when the first is full, and return with their next use.
 */
export function memoize<V, K = string>(compute: (key: K) => V, maxEntries: number): (key: K) => V {
  const maxRecent = Math.max(1, Math.floor(maxEntries / 2));
  let recent = new Map<K, V>();
  let former = new Map<K, V>();
  return (key) => {
    const known = recent.get(key);
    if (known !== undefined || recent.has(key)) return known as V;
    const value = former.has(key) ? (former.get(key) as V) : compute(key);
    if (recent.size >= maxRecent) {
      former = recent;
      recent = new Map();
    }
    recent.set(key, value);
    return value;
  };
}
