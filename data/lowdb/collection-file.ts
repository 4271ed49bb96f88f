import { setImmediate as nextTurn } from 'node:timers/promises';
import { Low } from 'lowdb';
import type { Table } from '../tables/table.ts';
import { createChunkedRows } from './chunked-rows.ts';
import { type CollectionOptions, createCollectionAdapter } from './collection-adapter.ts';
import type { CollectionDocument } from './collection-document.ts';

/** A table's file. */
export interface CollectionFile {
  readonly document: CollectionDocument;
  /**
   * Takes records with these keys, and those of failed writes, as they are now; the function it gives brings them to disk,
   * and rejects with DataError `unwritable`. One is prepared and run after the other.
   */
  prepare(keys: Iterable<string>): () => Promise<void>;
  /** Lets the next write bring these records to disk, too. */
  touch(keys: Iterable<string>): void;
}

/** Longest time that pieces of the file are made anew in one go. */
const SLICE_MS = 2;

/** Reads a collection's file into its table; see `createCollectionAdapter`. */
export async function openCollectionFile<T>(options: CollectionOptions<T>): Promise<CollectionFile> {
  const { table } = options;
  const empty = { collection: table.collection, write: 0, removed: [], rows: createChunkedRows() };
  const low = new Low<CollectionDocument>(createCollectionAdapter(options), empty);
  await low.read();
  const document = low.data;
  const unsaved = new Set<string>();
  return {
    document,
    touch(keys) {
      for (const key of keys) unsaved.add(key);
    },
    prepare(keys) {
      for (const key of keys) unsaved.add(key);
      const rows = captureRows(table, unsaved);
      return async () => {
        await updateRows(document, rows);
        document.write++;
        try {
          await low.write();
        } catch (error) {
          document.write--;
          throw error;
        }
        for (const [key] of rows) unsaved.delete(key);
      };
    },
  };
}

/** Gives records as they are at this moment; they may change while pieces of the file are made. */
function captureRows<T>(table: Table<T>, keys: ReadonlySet<string>): readonly (readonly [string, T | undefined])[] {
  return [...keys].map((key) => [key, table.get(key)]);
}

async function updateRows(
  { rows }: CollectionDocument,
  changed: readonly (readonly [string, unknown])[],
): Promise<void> {
  let start = performance.now();
  for (const [key, record] of changed) {
    rows.set(key, record === undefined ? undefined : JSON.stringify(record));
    if (performance.now() - start < SLICE_MS) continue;
    await nextTurn();
    start = performance.now();
  }
}
