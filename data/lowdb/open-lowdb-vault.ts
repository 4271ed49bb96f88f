import { closeSync, existsSync, fstatSync, openSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BACKUP, TEMPORARY } from '../../lib/durable-file.ts';
import { describeSystemError, hasCode } from '../../lib/system-error.ts';
import type { Collection } from '../collection.ts';
import { DataError } from '../data-error.ts';
import { holdFolder } from '../hold-folder.ts';
import { COLLECTIONS } from '../store.ts';
import type { Page, Vault, VaultReader, VaultState } from '../vault.ts';
import { checkFinished, UNFINISHED } from './check-finished.ts';
import { formatHead, TAIL } from './collection-document.ts';
import { MAX_FILE_BYTES } from './collection-file.ts';
import { openRows } from './read-rows.ts';

/** How often files are opened until none was replaced meanwhile. */
const MAX_TRIES = 100;

/**
 * Opens the records in a folder for reading as they are on disk at this moment, also while a server changes them: that
 * replaces files and never changes one. They are what the server would find after a crash at this moment, which keeps all that
 * was acknowledged. Throws DataError `not-found`, `invalid`, `damaged`, `unwritable`, and `busy` where files change all the time.
 */
export function openLowdbSnapshot(folder: string): VaultReader {
  if (!existsSync(folder)) throw new DataError('not-found', `There are no records: "${folder}" does not exist`);
  checkFinished(folder);
  return openSnapshot(folder);
}

function openSnapshot(folder: string): VaultReader {
  const files = openFiles(folder);
  const readFile = async (collection: Collection<unknown>) => {
    const fd = files.get(collection);
    return fd === undefined ? undefined : openRows(pathOf(folder, collection), fd, collection);
  };
  return {
    name: `folder "${folder}"`,
    async *read(collection) {
      const file = await readFile(collection);
      if (!file) return;
      const { owner } = collection;
      // An owner may have been removed that still has records here: its file decides, see `Removal`.
      const removed = (owner && (await readFile(owner.collection))?.head.removed) ?? [];
      const gone = new Set(
        removed
          .filter(({ lastWrites }) => file.head.write <= (lastWrites.get(collection.name) ?? -1))
          .map((removal) => removal.owner),
      );
      const isHere = (record: unknown): boolean => !gone.has(owner?.index.groupOf(record) ?? '');
      for await (const page of file.pages) yield gone.size === 0 ? page : page.filter(isHere);
    },
    async close() {
      for (const fd of files.values()) closeSync(fd);
      files.clear();
    },
  };
}

/**
 * Takes a folder for this process, to read its records or to bring records there. Throws DataError `busy` while a server uses it,
 * `unwritable`.
 */
export async function openLowdbVault(folder: string, onWarning: (message: string) => void): Promise<Vault> {
  const lock = await holdFolder(folder, onWarning);
  const handle = await open(folder, 'r');
  const sync = () => handle.sync();
  const withSnapshot = async function* <T>(use: (reader: VaultReader) => AsyncIterable<T>): AsyncGenerator<T> {
    const snapshot = openSnapshot(folder);
    try {
      yield* use(snapshot);
    } finally {
      await snapshot.close();
    }
  };
  const vault: Vault = {
    name: `folder "${folder}"`,
    read: (collection) => withSnapshot((snapshot) => snapshot.read(collection)),
    async findState(): Promise<VaultState> {
      if (existsSync(join(folder, UNFINISHED))) return 'unfinished';
      for (const collection of COLLECTIONS)
        for await (const page of vault.read(collection)) if (page.length > 0) return 'used';
      return 'empty';
    },
    async checkFits(collection, pages) {
      for await (const _ of formatFile(pathOf(folder, collection), collection, pages));
    },
    async begin() {
      await writeAll(join(folder, UNFINISHED), async () => {});
      await sync();
    },
    async write(collection, pages) {
      const path = pathOf(folder, collection);
      rmSync(path + BACKUP, { force: true });
      try {
        const hasRecords = await writeAll(path + TEMPORARY, async (file) => {
          let isAny = false;
          for await (const bytes of formatFile(path, collection, pages())) {
            await file.writeFile(bytes);
            isAny = true;
          }
          return isAny;
        });
        if (hasRecords) await rename(path + TEMPORARY, path);
        else for (const one of [path, path + TEMPORARY]) await rm(one, { force: true });
        await sync();
      } catch (cause) {
        await rm(path + TEMPORARY, { force: true }).catch(() => {});
        if (cause instanceof DataError || !hasCode(cause, 'ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EIO')) throw cause;
        throw new DataError('unwritable', `Cannot write "${path}": ${describeSystemError(cause)}`, { cause });
      }
    },
    async finish() {
      await rm(join(folder, UNFINISHED), { force: true });
      await sync();
    },
    async close() {
      await handle.close();
      lock.release();
    },
  };
  return vault;
}

function pathOf(folder: string, { name }: Collection<unknown>): string {
  return join(folder, `${name}.json`);
}

/**
 * Opens the files of all collections as they are at one moment: none was replaced between the first that was opened and the
 * last. Throws DataError `busy` where that cannot be had, `damaged`, `unwritable`.
 */
export function openFiles(folder: string): Map<Collection<unknown>, number> {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const files = new Map<Collection<unknown>, number>();
    let isWhole = false;
    try {
      for (const collection of COLLECTIONS) {
        const fd = openFile(pathOf(folder, collection));
        if (fd !== undefined) files.set(collection, fd);
      }
      // A file that is open keeps its inode, so no other file can have the same one meanwhile.
      isWhole = COLLECTIONS.every((collection) => {
        const fd = files.get(collection);
        const opened = fd === undefined ? undefined : fstatSync(fd, { bigint: true }).ino;
        return statSync(pathOf(folder, collection), { bigint: true, throwIfNoEntry: false })?.ino === opened;
      });
      if (isWhole) return files;
    } finally {
      if (!isWhole) for (const fd of files.values()) closeSync(fd);
    }
  }
  throw new DataError('busy', `Cannot read the records in "${folder}": they change all the time; try again later`);
}

/** Returns undefined for a file that does not exist. */
function openFile(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (cause) {
    if (!hasCode(cause, 'ENOENT')) {
      throw new DataError('unwritable', `Cannot read "${path}": ${describeSystemError(cause)}`, { cause });
    }
    if (!existsSync(path + BACKUP)) return undefined;
    throw new DataError(
      'damaged',
      `Cannot read "${path}": it is missing; a server that starts there says what can be done`,
    );
  }
}

/** Writes a file, mode 0600, and brings it to disk. */
async function writeAll<T>(path: string, write: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'w', 0o600);
  try {
    const result = await write(file);
    await file.sync();
    return result;
  } finally {
    await file.close();
  }
}

/** Yields the bytes of a file of these records; nothing where there are none. Throws DataError `unwritable` for one that is too large. */
async function* formatFile(
  path: string,
  collection: Collection<unknown>,
  pages: AsyncIterable<Page>,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  let records = 0;
  let separator = formatHead({ collection: collection.name, write: 1, removed: [] });
  for await (const page of pages) {
    if (page.length === 0) continue;
    const text = Buffer.from(separator + page.map((record) => JSON.stringify(record)).join(',\n'));
    bytes += text.length;
    if (bytes > MAX_FILE_BYTES) throw tooLargeError(path, { collection, records });
    records += page.length;
    yield text;
    separator = ',\n';
  }
  if (bytes > 0) yield Buffer.from(TAIL);
}

function tooLargeError(
  path: string,
  { collection, records }: { readonly collection: Collection<unknown>; readonly records: number },
): DataError {
  const limit = `a file of a folder has at most ${MAX_FILE_BYTES / 1e6} MB, which some ${records} of these ${collection.name} take`;
  const advice = 'keep them in PostgreSQL, where there is no such limit';
  return new DataError('unwritable', `Cannot write "${path}": ${limit}; ${advice}`);
}
