import type * as z from 'zod';
import { DataError } from './data-error.ts';

/**
 * Number of the format of all records, in files and backups. It goes up with every kind of record that older code would refuse or
 * misread, which then says that a newer docbuild has written it, and does not take it for damaged.
 */
export const RECORD_FORMAT = 3;
/** Longest record as JSON, in characters. */
const MAX_RECORD_LENGTH = 1_000_000;

/** The type of the records that a schema describes: read-only throughout, with every key present. */
export type RecordOf<S extends z.ZodType> = DeepReadonly<Required<z.output<S>>>;

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** An order of records in groups: what a collection can be asked by, other than by key. */
export interface Index<T> {
  readonly name: string;
  readonly collection: Collection<T>;
  /** Goes up with every change of its rules, so that a database that has their results computes them again. */
  readonly revision: number;
  /** Returns the group that a record belongs to; undefined = it is not in the index. */
  groupOf(record: T): string | undefined;
  /** Returns the place of a record in its group, which no other one has. Texts are compared by UTF-16 code units. */
  orderOf(record: T): string;
}

/**
 * Everything an adapter needs to know about the records of one kind. Adapters loop over `COLLECTIONS`: a collection is a
 * file of the JSON store, and a table of PostgreSQL with a column for the key, one for the record (JSON), and two for each
 * index, group and order.
 */
export interface Collection<T> {
  /** Also the name of its file. */
  readonly name: string;
  readonly indexes: Readonly<Record<string, Index<T>>>;
  /** The records that these belong to and are removed with. */
  readonly owner: Owner<T> | undefined;
  /** Losing all records harms nobody for long, so that a service without them is better than none. */
  readonly isExpendable: boolean;
  /** Adapters without transactions write it before what else a step changes, which does not happen if that fails. */
  readonly isWrittenFirst: boolean;
  keyOf(record: T): string;
  /**
   * Returns a frozen copy of a record as it comes back from JSON, so that changing the original changes nothing
   * here. Keys that the schema does not know are kept: an older docbuild loses nothing that a newer one wrote. Throws
   * DataError `invalid`, whose message never shows a value.
   */
  parse(value: unknown): T;
  /** Does the same to a record that comes from JSON and has no other owner, without a copy. */
  adopt(value: unknown): T;
}

/** A collection whose records own others. */
export interface Owner<T> {
  readonly collection: Collection<unknown>;
  /** Index whose groups are named by the keys of owners. */
  readonly index: Index<T>;
}

/** The definition of an index; the first revision is 1. */
type IndexRule<T> = Pick<Index<T>, 'groupOf' | 'orderOf'> & Partial<Pick<Index<T>, 'revision'>>;

/** The definition of a collection. */
export interface CollectionOptions<S extends z.ZodObject | z.ZodDiscriminatedUnion, Name extends string> {
  readonly name: string;
  /** One of its records, for messages: `project`. */
  readonly singular: string;
  readonly schema: S;
  readonly keyOf: (record: RecordOf<S>) => string;
  readonly indexes: Readonly<Record<Name, IndexRule<RecordOf<S>>>>;
  readonly owner?: { readonly collection: Collection<unknown>; readonly index: NoInfer<Name> };
  readonly isExpendable?: boolean;
  readonly isWrittenFirst?: boolean;
}

/** Defines a collection; its indexes keep their names for those who ask by them. */
export function defineCollection<S extends z.ZodObject | z.ZodDiscriminatedUnion, Name extends string>(
  options: CollectionOptions<S, Name>,
): Collection<RecordOf<S>> & { readonly indexes: Readonly<Record<Name, Index<RecordOf<S>>>> } {
  type T = RecordOf<S>;
  const { name, singular, schema, keyOf, owner, isExpendable = false, isWrittenFirst = false } = options;
  const complete = createCompletion<T>(schema);
  const indexes = {} as Record<Name, Index<T>>;
  const collection: Collection<T> & { readonly indexes: Readonly<Record<Name, Index<T>>> } = {
    name,
    keyOf,
    indexes,
    isExpendable,
    isWrittenFirst,
    get owner() {
      return owner && { collection: owner.collection, index: indexes[owner.index] };
    },
    parse(value) {
      checkRecord(singular, schema, value);
      const text = JSON.stringify(value);
      if (text.length > MAX_RECORD_LENGTH) {
        throw new DataError(
          'invalid',
          `Cannot keep this ${singular}: it has more than ${MAX_RECORD_LENGTH} characters`,
        );
      }
      return freeze(complete(JSON.parse(text)));
    },
    adopt(value) {
      checkRecord(singular, schema, value);
      return freeze(complete(value as T));
    },
  };
  for (const [index, rule] of Object.entries(options.indexes) as [Name, IndexRule<T>][]) {
    indexes[index] = { name: index, collection, revision: 1, ...rule };
  }
  return collection;
}

/** Joins parts to one key or group; different parts never produce the same text, whatever characters they contain. */
export function joinKey(...parts: readonly string[]): string {
  let key = '';
  for (const part of parts) key += `${part.length}:${part}`;
  return key;
}

function checkRecord(singular: string, schema: z.ZodType, value: unknown): void {
  const result = schema.safeParse(value);
  if (result.success) return;
  const { path, message } = result.error.issues[0]!;
  const place = path.length > 0 ? ` "${path.join('.').slice(0, 100)}"` : '';
  throw new DataError('invalid', `Cannot keep this ${singular}:${place} ${message.replace(/^Invalid input: /, '')}`);
}

/** Returns a function that puts in the keys that JSON leaves out. */
function createCompletion<T>(schema: z.ZodType): (record: T) => T {
  const shape = (schema as Partial<z.ZodObject>).shape ?? {};
  const optional = Object.keys(shape).filter((key) => shape[key]!.safeParse(undefined).success);
  if (optional.length === 0) return (record) => record;
  return (record) => {
    const absent = optional.filter((key) => !(key in (record as object)));
    return absent.length === 0 ? record : { ...record, ...Object.fromEntries(absent.map((key) => [key, undefined])) };
  };
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const item of Object.values(value)) freeze(item);
  return Object.freeze(value);
}
