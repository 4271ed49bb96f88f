import { adoptRecord, parseRecord, type RecordKind } from './parse-record.ts';
import type { SortedIndex } from './sorted-index.ts';

/** The collections, which are also the names of their files. */
export const COLLECTIONS = [
  'projects',
  'builds',
  'deliveries',
  'users',
  'sessions',
  'keys',
  'usage',
  'ledger',
  'blocks',
  'images',
  'inclusions',
  'short-urls',
] as const;
export type CollectionName = (typeof COLLECTIONS)[number];

/** Records of one kind by key, with their indexes. */
export interface Table<T> {
  readonly collection: CollectionName;
  readonly keyOf: (record: T) => string;
  /** See `parseRecord`. */
  readonly parse: (record: unknown) => T;
  /** See `adoptRecord`. */
  readonly adopt: (record: unknown) => T;
  get(key: string): T | undefined;
  /** Puts a record in the place of the one with this key; undefined takes it out. */
  set(key: string, record: T | undefined): void;
}

/** What a table is made of. */
export interface TableOptions<T> {
  readonly collection: CollectionName;
  readonly kind: RecordKind<T>;
  readonly keyOf: (record: T) => string;
  readonly indexes: readonly Pick<SortedIndex<T>, 'replace'>[];
}

/** Creates an empty table. */
export function createTable<T>({ collection, kind, keyOf, indexes }: TableOptions<T>): Table<T> {
  const records = new Map<string, T>();
  return {
    collection,
    keyOf,
    parse: (record) => parseRecord(kind, record),
    adopt: (record) => adoptRecord(kind, record),
    get: (key) => records.get(key),
    set(key, record) {
      const old = records.get(key);
      for (const index of indexes) index.replace(old, record);
      if (record === undefined) records.delete(key);
      else records.set(key, record);
    },
  };
}
