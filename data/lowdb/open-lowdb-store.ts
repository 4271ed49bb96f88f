import { readdirSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { TEMPORARY } from '../../lib/durable-file.ts';
import type { FileLock } from '../../lib/file-lock.ts';
import { describeSystemError } from '../../lib/system-error.ts';
import { DataError } from '../data-error.ts';
import { holdFolder, LOCK } from '../hold-folder.ts';
import { COLLECTIONS, createStore, type Store } from '../store.ts';
import { createTables } from '../tables/tables.ts';
import { checkFinished } from './check-finished.ts';
import { openCollectionFile } from './collection-file.ts';
import { createGroupCommit } from './group-commit.ts';
import { createWriteBatch, finishRemovals } from './write-batch.ts';

/** Where the files are, and a listener for repairs. */
export interface LowdbStoreOptions {
  readonly folder: string;
  readonly onWarning: (message: string) => void;
  /** Called for writes that fail. */
  readonly onWriteFailed?: (() => void) | undefined;
}

/**
 * Opens the store that keeps one file a collection, such as `projects.json`, in a folder, which is created where it does
 * not exist and which no other process may use meanwhile. A damaged file is kept aside and reported. Throws DataError
 * `busy`, `damaged`, `unwritable`, and `invalid` for files of a newer docbuild and for what was not brought here whole.
 */
export async function openLowdbStore({ folder, onWarning, onWriteFailed }: LowdbStoreOptions): Promise<Store> {
  const lock = await holdFolder(folder, onWarning);
  let handle: FileHandle | undefined;
  try {
    checkFinished(folder);
    removeTemporaries(folder);
    handle = await open(folder, 'r');
    return await openFiles({ folder, handle, lock, onWarning, onWriteFailed });
  } catch (cause) {
    await handle?.close();
    lock.release();
    if (cause instanceof DataError) throw cause;
    throw new DataError('unwritable', `Cannot use "${folder}": ${describeSystemError(cause)}`, { cause });
  }
}

async function openFiles(
  options: LowdbStoreOptions & { readonly handle: FileHandle; readonly lock: FileLock },
): Promise<Store> {
  const { folder, handle, lock, onWarning } = options;
  const tables = createTables(COLLECTIONS);
  const checkOwner = (): void => {
    if (!lock.isHeld()) throw new DataError('busy', `Another process has taken over "${folder}"`);
  };
  const files = [];
  for (const table of tables.all) {
    files.push(await openCollectionFile({ folder, handle, table, onWarning, checkOwner }));
  }
  finishRemovals(files);
  const write = createWriteBatch(files);
  const { transact, idle } = createGroupCommit(tables, async (batch) => {
    const failed = await write(batch);
    if (failed.size > 0) options.onWriteFailed?.();
    return failed;
  });

  return createStore({
    turns: tables.turns,
    read: async (step) => tables.read(step),
    transact,
    async close() {
      try {
        await idle();
      } finally {
        await handle.close();
        lock.release();
      }
    },
  });
}

/** Leftovers of a process that was killed. */
function removeTemporaries(folder: string): void {
  for (const name of readdirSync(folder)) {
    const isOurs = name.startsWith(`${LOCK}.`) || COLLECTIONS.some((one) => name.startsWith(`${one.name}.json`));
    if (isOurs && name.endsWith(TEMPORARY)) rmSync(join(folder, name), { force: true });
  }
}
