import type { Collection, Index } from '../collection.ts';
import type { Query, Step } from '../transaction.ts';
import type { Turn } from '../turns.ts';
import { createMemoryTurns, type MemoryTurns } from './memory-turns.ts';
import { createSortedIndex, type SortedIndex } from './sorted-index.ts';

/** One record that was put, replaced or removed. */
export interface Change {
  /** Name of the collection. */
  readonly collection: string;
  readonly key: string;
  /** The record is gone. */
  readonly isRemoval: boolean;
  undo(): void;
  redo(): void;
}

/** The changes of a step; they can be taken back, the last one first, and made again. */
export interface Changes {
  readonly list: readonly Change[];
  undo(): void;
  redo(): void;
}

/** The records of one collection in memory. */
export interface Table<T> {
  readonly collection: Collection<T>;
  get(key: string): T | undefined;
  /** Puts a record in the place of the one with this key; undefined removes it. */
  set(key: string, record: T | undefined): void;
  /** Returns the records that this owner has. */
  listOwned(owner: string): readonly T[];
}

/** All records in memory, with their indexes: what adapters without a database server answer from. */
export interface Tables {
  readonly all: readonly Table<unknown>[];
  readonly turns: MemoryTurns;
  /** Runs a step that changes nothing. */
  read<T>(step: Step<T>): T;
  /** Runs a step and returns what it changed; what it throws takes back its changes. */
  transact<T>(step: Step<T>): { readonly value: T; readonly changes: Changes };
}

/** Creates empty tables for these collections. */
export function createTables(collections: readonly Collection<unknown>[], turns = createMemoryTurns()): Tables {
  const indexes = new Map<Index<unknown>, SortedIndex<unknown>>();
  const tables = new Map<Collection<unknown>, Table<unknown>>();
  for (const collection of collections) {
    for (const index of Object.values(collection.indexes)) indexes.set(index, createSortedIndex(index));
    tables.set(collection, createTable(collection, indexes));
  }
  const all = [...tables.values()];

  /** Answers a query; where it changes something, by `set`. */
  const answer = (
    query: Query,
    set: (table: Table<unknown>, key: string, record: unknown) => void,
    setTurn: (turn: Turn) => void,
  ): unknown => {
    switch (query.kind) {
      case 'get':
        return tables.get(query.collection)!.get(query.key);
      case 'get-all':
        return query.keys.map((key) => tables.get(query.collection)!.get(key));
      case 'list':
        return indexes.get(query.index)!.list(query.group, query.range);
      case 'count':
        return indexes.get(query.index)!.count(query.group);
      case 'groups':
        return indexes.get(query.index)!.groups();
      case 'put':
        return set(tables.get(query.collection)!, query.collection.keyOf(query.record), query.record);
      case 'remove': {
        const table = tables.get(query.collection)!;
        const record = table.get(query.key);
        // The owner goes first: adapters know by that what the others belong to.
        set(table, query.key, undefined);
        for (const owned of all.filter(({ collection }) => collection.owner?.collection === query.collection)) {
          for (const one of owned.listOwned(query.key)) set(owned, owned.collection.keyOf(one), undefined);
        }
        return record;
      }
      case 'turn':
        return setTurn(query);
    }
  };

  const refuse = (): never => {
    throw new Error('A step that only reads tried to change something');
  };

  return {
    all,
    turns,
    read: (step) => run(step, (query) => answer(query, refuse, refuse)),
    transact(step) {
      const list: Change[] = [];
      const turned: ReturnType<MemoryTurns['write']>[] = [];
      const set = (table: Table<unknown>, key: string, record: unknown): void => {
        const before = table.get(key);
        if (before === record) return;
        const { name } = table.collection;
        table.set(key, record);
        list.push({
          collection: name,
          key,
          isRemoval: record === undefined,
          undo: () => table.set(key, before),
          redo: () => table.set(key, record),
        });
      };
      const changes: Changes = {
        list,
        undo() {
          for (const change of [...list, ...turned].toReversed()) change.undo();
        },
        redo() {
          for (const change of [...list, ...turned]) change.redo();
        },
      };
      try {
        return { value: run(step, (query) => answer(query, set, (turn) => turned.push(turns.write(turn)))), changes };
      } catch (error) {
        changes.undo();
        throw error;
      }
    },
  };
}

function run<T>(step: Step<T>, answer: (query: Query) => unknown): T {
  let next = step.next();
  while (!next.done) next = step.next(answer(next.value));
  return next.value;
}

function createTable<T>(
  collection: Collection<T>,
  indexes: ReadonlyMap<Index<unknown>, SortedIndex<unknown>>,
): Table<T> {
  const records = new Map<string, T>();
  const own = Object.values(collection.indexes).map((index) => indexes.get(index)!);
  return {
    collection,
    get: (key) => records.get(key),
    set(key, record) {
      const old = records.get(key);
      for (const index of own) index.replace(old, record);
      if (record === undefined) records.delete(key);
      else records.set(key, record);
    },
    listOwned(owner) {
      const index = collection.owner?.index;
      // Last ones first: from the end of a group records go without the others being moved.
      return index === undefined ? [] : (indexes.get(index)!.list(owner, { isDescending: true }) as T[]);
    },
  };
}
