import { existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Adapter, Low } from 'lowdb';
import { BACKUP, writeDurably } from '../../lib/durable-file.ts';
import { describeSystemError, hasCode } from '../../lib/system-error.ts';
import { DataError } from '../data-error.ts';
import type { Table } from '../tables/tables.ts';
import { createChunkedRows } from './chunked-rows.ts';
import {
  type CollectionDocument,
  formatDocument,
  parseDocument,
  type StoredCollection,
} from './collection-document.ts';

/** The file that a table is kept in. */
export interface CollectionFile {
  readonly table: Table<unknown>;
  readonly document: CollectionDocument;
  /**
   * Captures records with these keys, and those of failed writes, as they are now; the function it returns brings them to
   * disk, and rejects with DataError `unwritable`. One is prepared and run after the other.
   */
  prepare(keys: Iterable<string>): () => Promise<void>;
  /** Lets the next write bring these records to disk, too. */
  touch(keys: Iterable<string>): void;
}

export interface CollectionFileOptions {
  readonly folder: string;
  /** The same folder, opened. */
  readonly handle: FileHandle;
  readonly table: Table<unknown>;
  readonly onWarning: (message: string) => void;
  /** Throws when the files belong to another process by now. */
  readonly checkOwner: () => void;
}

/** Largest file of a collection, bytes: what surely fits into one string. */
export const MAX_FILE_BYTES = 400_000_000;
/** Longest time that pieces of the file are rebuilt in one go. */
const SLICE_MS = 2;

/**
 * Opens a collection's file and fills its table; a damaged file is kept aside and reported, and the last good copy used.
 * Throws DataError `unwritable` where the file system refuses, `damaged` when a damaged file cannot be kept, or has no good
 * copy and its records are not expendable, `invalid` for a file of a newer docbuild.
 */
export async function openCollectionFile(options: CollectionFileOptions): Promise<CollectionFile> {
  const { table } = options;
  const empty = { collection: table.collection.name, write: 0, removed: [], rows: createChunkedRows() };
  const low = new Low<CollectionDocument>(createAdapter(options), empty);
  await low.read();
  const document = low.data;
  const unsaved = new Set<string>();
  return {
    table,
    document,
    touch(keys) {
      for (const key of keys) unsaved.add(key);
    },
    prepare(keys) {
      for (const key of keys) unsaved.add(key);
      // As they are at this moment: they may change while pieces of the file are rebuilt.
      const captured = [...unsaved].map((key) => [key, table.get(key)] as const);
      return async () => {
        await updateRows(document, captured);
        document.write++;
        try {
          await low.write();
        } catch (error) {
          document.write--;
          throw error;
        }
        for (const [key] of captured) unsaved.delete(key);
      };
    },
  };
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

/** Creates lowdb's door to the file. */
function createAdapter({
  folder,
  handle,
  table,
  onWarning,
  checkOwner,
}: CollectionFileOptions): Adapter<CollectionDocument> {
  const { collection } = table;
  const file = `${collection.name}.json`;
  const path = join(folder, file);
  const fill = ({ document, records }: StoredCollection<unknown>): CollectionDocument => {
    for (const record of records) table.set(collection.keyOf(record), record);
    return document;
  };
  const write = async (document: CollectionDocument): Promise<void> => {
    if (document.rows.bytes > MAX_FILE_BYTES) {
      throw new DataError('unwritable', `Cannot write "${file}": it would have more than ${MAX_FILE_BYTES} bytes`);
    }
    try {
      await writeDurably(path, formatDocument(document), { folder: handle, beforeSwitch: checkOwner });
    } catch (cause) {
      if (cause instanceof DataError) throw cause;
      throw new DataError('unwritable', `Cannot write "${file}": ${describeSystemError(cause)}`, { cause });
    }
  };
  return {
    async read() {
      const main = readCopy(path, table);
      if (main && 'records' in main) return fill(main);
      const backup = readCopy(path + BACKUP, table);
      if (!main && !backup) return null;
      if (!(backup && 'records' in backup) && !collection.isExpendable) {
        const damages = [main, backup].map((copy) => (copy && 'damage' in copy ? copy.damage : 'missing'));
        throw new DataError(
          'damaged',
          `Cannot open "${path}" (${damages[0]}), nor the copy from before its last change, "${file}${BACKUP}" (${damages[1]}). Nothing was changed: put back one of them from a backup, or move both away to start with no ${collection.name}`,
        );
      }
      const story = main ? keepAside(path, main.damage) : `"${file}" is missing`;
      if (backup && 'records' in backup) {
        // No second name of the copy: who edits the one in place would edit both.
        await write(backup.document);
        onWarning(`${story}; the copy from before its last change is used`);
        return fill(backup);
      }
      const backupStory = backup ? keepAside(path + BACKUP, backup.damage) : `"${file}${BACKUP}" is missing`;
      await handle.sync();
      onWarning(`${story}; ${backupStory}; the collection starts empty`);
      return null;
    },
    write,
  };
}

/**
 * Reads a file of a collection, or what is wrong with it; undefined when it does not exist. Throws DataError `unwritable`
 * when it cannot be read, `invalid` when it is too large or a newer docbuild wrote it.
 */
function readCopy(
  path: string,
  { collection }: Table<unknown>,
): StoredCollection<unknown> | { readonly damage: string } | undefined {
  const bytes = readBytes(path);
  if (!bytes) return undefined;
  try {
    return parseDocument(bytes, collection);
  } catch (error) {
    if (error instanceof DataError) throw error;
    return { damage: (error as Error).message };
  }
}

function readBytes(path: string): Buffer | undefined {
  try {
    if (statSync(path).size > MAX_FILE_BYTES) {
      throw new DataError('invalid', `Cannot open "${basename(path)}": it has more than ${MAX_FILE_BYTES} bytes`);
    }
    return readFileSync(path);
  } catch (cause) {
    if (cause instanceof DataError) throw cause;
    if (hasCode(cause, 'ENOENT')) return undefined;
    throw new DataError('unwritable', `Cannot read "${basename(path)}": ${describeSystemError(cause)}`, { cause });
  }
}

/** Renames a damaged file, so that nothing is lost, and returns what to say about it. */
function keepAside(path: string, damage: string): string {
  const file = basename(path);
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  let aside = `${path}.damaged-${time}`;
  for (let i = 2; existsSync(aside); i++) aside = `${path}.damaged-${time}-${i}`;
  try {
    renameSync(path, aside);
  } catch (cause) {
    const message = `Cannot set the damaged "${file}" aside (${damage}): ${describeSystemError(cause)}`;
    throw new DataError('damaged', message, { cause });
  }
  return `"${file}" is damaged (${damage}) and kept as "${basename(aside)}"`;
}
