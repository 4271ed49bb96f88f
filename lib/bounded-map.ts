import { LRUCache } from 'lru-cache';
import { createSharedWork } from './once.ts';

/** Limits of a map; entries beyond them are dropped, least recently used first. */
export interface BoundedMapLimits<K, V> {
  readonly maxEntries?: number;
  /** Greatest sum of the weights of all entries. */
  readonly maxWeight?: number;
  /** Weight of an entry, which must not change while it is in the map; at least 1 counts. */
  readonly weigh?: (value: V, key: K) => number;
}

/** A map that stays small: caches, counters by caller, secrets that wait to be shown. */
export interface BoundedMap<K, V> {
  /** Returns a value and marks it as used. */
  get(key: K): V | undefined;
  /** Returns a value without marking it as used. */
  peek(key: K): V | undefined;
  /** Sets a value, which must not be undefined, and marks it as used. An entry above `maxWeight` by itself is not kept. */
  set(key: K, value: V): void;
  /** Removes an entry; returns whether there was one. */
  delete(key: K): boolean;
  /** Yields the entries, most recently used first. */
  entries(): Iterable<readonly [K, V]>;
  readonly size: number;
}

/** Creates an empty map with these limits. */
export function createBoundedMap<K, V>({ maxEntries, maxWeight, weigh }: BoundedMapLimits<K, V>): BoundedMap<K, V> {
  // With `max` it takes memory for all entries at once, which most maps never have.
  const limits: LRUCache.Options<object, object, unknown> =
    maxWeight === undefined
      ? { maxSize: maxEntries!, sizeCalculation: () => 1 }
      : {
          ...(maxEntries !== undefined && { max: maxEntries }),
          maxSize: Math.floor(maxWeight),
          sizeCalculation: (value, key) =>
            Math.ceil(Math.min(Math.max(1, weigh?.(value as V, key as K) ?? 1), maxWeight + 1)),
        };
  return new LRUCache(limits) as unknown as BoundedMap<K, V>;
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
  const share = createSharedWork<K, V>();
  const recall = (key: K, make: () => Promise<V>): V | Promise<V> => {
    const known = results.get(key);
    if (known) return known.value;
    return share(key, async () => {
      const value = await make();
      results.set(key, { value });
      return value;
    });
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
