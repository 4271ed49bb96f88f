import { type BoundedMap, type BoundedMapLimits, createBoundedMap } from '../../lib/bounded-map.ts';
import { createSharedWork } from '../../lib/once.ts';
import { contentKey, joinParts } from './content-key.ts';
import { type EntryStore, openEntryStore } from './entry-store.ts';

/** A kind of cached value: its name in keys, and the values that this process keeps in memory. */
export interface CacheKind<T> {
  readonly name: string;
  /** By everything that determines a value, so that all builds of the process share them. */
  readonly recent: BoundedMap<string, T> | undefined;
}

/** Strings that determine a value, besides its kind and the engine. */
export type CacheParts = readonly string[];

/** Results of the engine on disk, by everything that determines them; safe to lose at any time. */
export interface Cache extends EntryStore {
  /** Returns this engine's key for a result that is determined by these parts alone. */
  key(kind: string, parts: CacheParts): string;
  /**
   * Returns the cached result for these parts, otherwise that of `make`, after a round trip through JSON. Concurrent
   * callers share one `make`; if it throws, they all do, and nothing is cached.
   */
  memo<T>(kind: CacheKind<T>, parts: CacheParts, make: () => Promise<T>): Promise<T>;
  recall<T>(kind: CacheKind<T>, parts: CacheParts): T | undefined;
  /** Caches a value, which must be JSON; returns it as `recall` will. */
  keep<T>(kind: CacheKind<T>, parts: CacheParts, value: T): T;
}

/** Defines a kind of value; without `recent` each lookup reads the value from disk. */
export function defineCacheKind<T>(name: string, recent?: BoundedMapLimits<string, T>): CacheKind<T> {
  return { name, recent: recent && createBoundedMap<string, T>(recent) };
}

/** Characters of a key in memory; longer ones are hashed. */
const MAX_RECENT_KEY = 200;

/** Opens the cache in `folder`, which may grow to `maxBytes`; values of other engines are not found. */
export function openCache(options: {
  readonly folder: string;
  readonly maxBytes: number;
  readonly engineVersion: string;
}): Cache {
  const store = openEntryStore(options);
  const share = createSharedWork<string, unknown>();
  const keyOf = (kind: string, parts: CacheParts): string => contentKey(kind, options.engineVersion, ...parts);

  return {
    ...store,
    key: keyOf,
    async memo<T>(kind: CacheKind<T>, parts: CacheParts, make: () => Promise<T>): Promise<T> {
      const known = recall(kind, parts);
      if (known !== undefined) return known;
      const made = share(keyOf(kind.name, parts), async () => keep(kind, parts, await make()));
      return made as Promise<T>;
    },
    recall,
    keep,
  };

  /** A hash of all that tells values apart takes longer than to compare it, unless it is long. */
  function recentKeyOf(parts: CacheParts): string {
    const text = joinParts([options.engineVersion, ...parts]);
    return text.length <= MAX_RECENT_KEY ? text : contentKey(text);
  }

  function recall<T>({ name, recent }: CacheKind<T>, parts: CacheParts): T | undefined {
    const recentKey = recent && recentKeyOf(parts);
    const known = recent?.get(recentKey!);
    if (known !== undefined) return known;
    const value = store.read(keyOf(name, parts), (stored) => JSON.parse(stored.toString()) as T);
    if (value !== undefined) recent?.set(recentKey!, value);
    return value;
  }

  function keep<T>({ name, recent }: CacheKind<T>, parts: CacheParts, value: T): T {
    const text = JSON.stringify(value);
    store.set(keyOf(name, parts), Buffer.from(text));
    // In the form in which it will be read, so that a build from an empty cache does not differ.
    const kept = JSON.parse(text) as T;
    recent?.set(recentKeyOf(parts), kept);
    return kept;
  }
}
