import { chmodSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { TEMPORARY } from '../../lib/durable-file.ts';
import { type FileLock, takeLock } from '../../lib/file-lock.ts';
import { describeSystemError } from '../../lib/system-error.ts';
import { DataError } from '../data-error.ts';
import type { Store } from '../store.ts';
import { createStore } from '../tables/create-store.ts';
import { COLLECTIONS, type Table } from '../tables/table.ts';
import { createTables } from '../tables/tables.ts';
import { openCollectionFile } from './collection-file.ts';
import { dropRemoved } from './drop-removed.ts';
import { createGroupCommit } from './group-commit.ts';
import { createWriteBatch } from './write-batch.ts';

/** File in the folder that its owner holds. */
const LOCK = 'lock';

/** Where the files are, and who hears of what had to be mended. */
export interface LowdbStoreOptions {
  readonly folder: string;
  readonly onWarning: (message: string) => void;
}

/**
 * Opens the store that keeps one file a collection, such as `projects.json`, in a folder, which is created where it does
 * not exist and which no other process may use meanwhile. A damaged file is kept aside and reported. Throws DataError
 * `busy`, `damaged`, `unwritable`, and `invalid` for files of a newer docbuild.
 */
export async function openLowdbStore({ folder, onWarning }: LowdbStoreOptions): Promise<Store> {
  let lock: FileLock | undefined;
  let handle: FileHandle | undefined;
  try {
    prepareFolder(folder, onWarning);
    const outcome = await takeLock(join(folder, LOCK));
    if (!outcome.lock) throw new DataError('busy', `Cannot use "${folder}": ${outcome.holder} is using it`);
    lock = outcome.lock;
    removeTemporaries(folder);
    handle = await open(folder, 'r');
    return await openFiles({ folder, handle, lock, onWarning });
  } catch (cause) {
    await handle?.close();
    lock?.release();
    if (cause instanceof DataError) throw cause;
    throw new DataError('unwritable', `Cannot use "${folder}": ${describeSystemError(cause)}`, { cause });
  }
}

async function openFiles(
  options: LowdbStoreOptions & { readonly handle: FileHandle; readonly lock: FileLock },
): Promise<Store> {
  const { folder, handle, lock, onWarning } = options;
  const tables = createTables();
  const checkOwner = (): void => {
    if (!lock.isHeld()) throw new DataError('busy', `Another process has taken over "${folder}"`);
  };
  const openFile = <T>(table: Table<T>) => openCollectionFile({ folder, handle, table, onWarning, checkOwner });
  const files = {
    projects: await openFile(tables.projects),
    builds: await openFile(tables.builds),
    deliveries: await openFile(tables.deliveries),
    users: await openFile(tables.users),
    sessions: await openFile(tables.sessions),
    keys: await openFile(tables.keys),
    usage: await openFile(tables.usage),
    ledger: await openFile(tables.ledger),
    blocks: await openFile(tables.blocks),
    images: await openFile(tables.images),
    inclusions: await openFile(tables.inclusions),
    'short-urls': await openFile(tables.shortUrls),
  };
  dropRemoved(tables, files);
  const { commit, idle } = createGroupCommit(createWriteBatch(files));

  let closing: Promise<void> | undefined;
  const check = (): void => {
    if (closing) throw new DataError('unwritable', 'The store is closed');
  };
  return createStore(tables, {
    check,
    async commit(action) {
      check();
      return await commit(action);
    },
    close() {
      closing ??= idle().finally(async () => {
        await handle.close();
        lock.release();
      });
      return closing;
    },
  });
}

/** Secrets of projects are nobody's business but the owner's. */
function prepareFolder(folder: string, onWarning: LowdbStoreOptions['onWarning']): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if ((statSync(folder).mode & 0o077) === 0) return;
  try {
    chmodSync(folder, 0o700);
  } catch (error) {
    onWarning(`Others may read "${folder}", which holds secrets: ${describeSystemError(error)}`);
  }
}

/** What a process that was killed left behind. */
function removeTemporaries(folder: string): void {
  for (const name of readdirSync(folder)) {
    const isOurs = name.startsWith(`${LOCK}.`) || COLLECTIONS.some((one) => name.startsWith(`${one}.json`));
    if (isOurs && name.endsWith(TEMPORARY)) rmSync(join(folder, name), { force: true });
  }
}
