import type { CollectionName, Table } from './table.ts';

/** One record that was put, replaced or taken out; can be taken back and made again. */
export interface Edit {
  readonly collection: CollectionName;
  readonly key: string;
  readonly isRemoval: boolean;
  undo(): void;
  redo(): void;
}

/** Changes tables and remembers how to take it back. */
export interface Edits {
  readonly list: readonly Edit[];
  set<T>(table: Table<T>, key: string, record: T | undefined): void;
}

/** A step that is done altogether or not at all: what it throws takes back its edits. It must not wait. */
export type Action<T> = (edits: Edits) => T;

/** Runs an action and gives its outcome once its edits will last. */
export type Commit = <T>(action: Action<T>) => Promise<T>;

/** Creates a list of edits. */
export function createEdits(): Edits {
  const list: Edit[] = [];
  return {
    list,
    set(table, key, record) {
      const before = table.get(key);
      if (before === record) return;
      const { collection } = table;
      const isRemoval = record === undefined;
      const put = (value: typeof record): void => table.set(key, value);
      put(record);
      list.push({ collection, key, isRemoval, undo: () => put(before), redo: () => put(record) });
    },
  };
}

/** Takes edits back, the last one first. */
export function undoEdits({ list }: Edits): void {
  for (let i = list.length - 1; i >= 0; i--) list[i]!.undo();
}
