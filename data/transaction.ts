import type { Phrase } from '../lib/phrase.ts';
import type { Collection, Index } from './collection.ts';
import { DataError } from './data-error.ts';
import type { Turn } from './turns.ts';

/** A question or change of a step; each adapter answers these eight in its own way. */
export type Query =
  /** Answered by the record, or undefined. */
  | { readonly kind: 'get'; readonly collection: Collection<unknown>; readonly key: string }
  /** Answered by an array with the record of each key, or undefined. */
  | { readonly kind: 'get-all'; readonly collection: Collection<unknown>; readonly keys: readonly string[] }
  /** Answered by an array of records. */
  | { readonly kind: 'list'; readonly index: Index<unknown>; readonly group: string; readonly range: Range }
  /** Answered by the number of records in a group. */
  | { readonly kind: 'count'; readonly index: Index<unknown>; readonly group: string }
  /** Answered by the names of the groups that are not empty, an array. */
  | { readonly kind: 'groups'; readonly index: Index<unknown> }
  /** Puts a parsed record in the place of the one with its key. */
  | { readonly kind: 'put'; readonly collection: Collection<unknown>; readonly record: unknown }
  /** Removes the record with this key and all that it owns, also where only these exist; answered by the record. */
  | { readonly kind: 'remove'; readonly collection: Collection<unknown>; readonly key: string }
  /** Sets what a project waits for, see `Turns`. */
  | ({ readonly kind: 'turn' } & Turn);

/** A part of a group. */
export interface Range {
  /** Only records at or after this place. */
  readonly from?: string | undefined;
  /** Only records after this place. */
  readonly after?: string | undefined;
  /** Only records before this place. */
  readonly before?: string | undefined;
  /** Last place first. */
  readonly isDescending?: boolean;
  /** How many to skip from the start of the rest. */
  readonly skip?: number;
  /** At most so many; anything that is not a positive number counts as 0. */
  readonly limit?: number;
}

/**
 * A rule of a collection: yields queries, is handed the answers, and returns the outcome. As a generator it runs the same
 * on an adapter that answers at once and on one that has to ask a server, and cannot wait for anything else meanwhile.
 */
export type Step<T> = Generator<Query, T, unknown>;

/** How steps are run. */
export interface Database {
  /** Runs a step that changes nothing; its queries are answered as of one moment. */
  read<T>(step: Step<T>): Promise<T>;
  /**
   * Runs a step altogether or not at all; what it throws takes back its changes. It is run as if no other step ran at the
   * same time, for which it may be run more than once. Resolves when its changes, and those it has seen, will last.
   */
  transact<T>(step: () => Step<T>): Promise<T>;
}

const ALL: Range = {};
const FIRST: Range = { limit: 1 };
const LAST: Range = { limit: 1, isDescending: true };

/** The queries, as parts of a step: `const user = yield* tx.get(users, uid)`. */
export const tx = {
  /** Returns the record with this key. */
  *get<T>(collection: Collection<T>, key: string): Step<T | undefined> {
    return (yield { kind: 'get', collection, key }) as T | undefined;
  },
  /** Returns the records with these keys, in the order of the keys; a database is asked once for all of them. */
  *getAll<T>(collection: Collection<T>, keys: readonly string[]): Step<readonly (T | undefined)[]> {
    return (yield { kind: 'get-all', collection, keys }) as readonly (T | undefined)[];
  },
  /** Returns records of a group in their order. */
  *list<T>(index: Index<T>, group: string, range: Range = ALL): Step<readonly T[]> {
    return (yield { kind: 'list', index, group, range }) as readonly T[];
  },
  /** Returns the first record of a group. */
  *first<T>(index: Index<T>, group: string): Step<T | undefined> {
    return ((yield { kind: 'list', index, group, range: FIRST }) as readonly T[])[0];
  },
  /** Returns the last record of a group. */
  *last<T>(index: Index<T>, group: string): Step<T | undefined> {
    return ((yield { kind: 'list', index, group, range: LAST }) as readonly T[])[0];
  },
  *count(index: Index<unknown>, group: string): Step<number> {
    return (yield { kind: 'count', index, group }) as number;
  },
  *groups(index: Index<unknown>): Step<readonly string[]> {
    return (yield { kind: 'groups', index }) as readonly string[];
  },
  /** Puts a record that `parse` of its collection returned in the place of the one with its key, and returns it. */
  *put<T>(collection: Collection<T>, record: T): Step<T> {
    yield { kind: 'put', collection, record };
    return record;
  },
  /** Removes the record with this key, and all that it owns; returns it, or undefined where there was none. */
  *remove<T>(collection: Collection<T>, key: string): Step<T | undefined> {
    return (yield { kind: 'remove', collection, key }) as T | undefined;
  },
  /** Removes records and returns how many. */
  *removeAll<T>(collection: Collection<T>, records: readonly T[]): Step<number> {
    // From the end of a group records go without the others being moved.
    for (const record of records.toReversed()) yield* tx.remove(collection, collection.keyOf(record));
    return records.length;
  },
  /**
   * Changes one record and returns it as it is then; a function that returns the record it was given changes nothing.
   * `check` throws for a new record that conflicts with others. Throws DataError `not-found` with the message
   * `missing`, and `invalid` where the new record would have another key or owner.
   */
  *change<T>(
    collection: Collection<T>,
    options: {
      readonly key: string;
      readonly change: (record: T) => T;
      readonly missing: string | Phrase;
      readonly check?: (record: T, old: T) => Step<void>;
    },
  ): Step<T> {
    const { key, change, missing, check } = options;
    const old = yield* tx.get(collection, key);
    if (old === undefined) throw new DataError('not-found', missing);
    const given = change(old);
    if (given === old) return old;
    const record = collection.parse(given);
    if (collection.keyOf(record) !== key) {
      throw new DataError('invalid', `Cannot change what a record of "${collection.name}" is found by`);
    }
    const ownerOf = collection.owner?.index.groupOf;
    if (ownerOf && ownerOf(record) !== ownerOf(old)) {
      throw new DataError('invalid', `Cannot change what a record of "${collection.name}" belongs to`);
    }
    if (check) yield* check(record, old);
    return yield* tx.put(collection, record);
  },
  /** Sets what a project waits for. */
  *turn(turn: Turn): Step<void> {
    yield { kind: 'turn', ...turn };
  },
};
