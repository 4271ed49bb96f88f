import { existsSync, renameSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Adapter } from 'lowdb';
import { BACKUP, writeDurably } from '../../lib/durable-file.ts';
import { describeSystemError } from '../../lib/system-error.ts';
import { DataError } from '../data-error.ts';
import type { Table } from '../tables/table.ts';
import { type CollectionDocument, formatDocument } from './collection-document.ts';
import { type Copy, MAX_FILE_BYTES, readCopy } from './read-copy.ts';

/** What a collection's file is read into and written with. */
export interface CollectionOptions<T> {
  readonly folder: string;
  /** The same folder, opened. */
  readonly handle: FileHandle;
  readonly table: Table<T>;
  readonly onWarning: (message: string) => void;
  /** Throws when the files belong to somebody else by now. */
  readonly checkOwner: () => void;
}

/**
 * Creates lowdb's door to the file of one collection. Reading fills the table; a damaged file is kept aside and reported,
 * and the last good copy used. Throws DataError `unwritable` where the file system refuses, `damaged` when a damaged file
 * cannot be kept, `invalid` for a file of a newer docbuild.
 */
export function createCollectionAdapter<T>(options: CollectionOptions<T>): Adapter<CollectionDocument> {
  const { folder, handle, table, onWarning, checkOwner } = options;
  const file = `${table.collection}.json`;
  const path = join(folder, file);
  const fill = ({ document, records }: Copy<T> & { isGood: true }): CollectionDocument => {
    for (const record of records) table.set(table.keyOf(record), record);
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
      if (main?.isGood) return fill(main);
      const backup = readCopy(path + BACKUP, table);
      if (!main && !backup) return null;
      const story = main ? tellDamage(path, main.reason) : `"${file}" is missing`;
      if (backup?.isGood) {
        // No second name of the copy: who edits the one in place would edit both.
        await write(backup.document);
        onWarning(`${story}; the copy from before its last change is used`);
        return fill(backup);
      }
      const backupStory = backup ? tellDamage(path + BACKUP, backup.reason) : `"${file}${BACKUP}" is missing`;
      await handle.sync();
      onWarning(`${story}; ${backupStory}; the collection begins empty`);
      return null;
    },
    write,
  };
}

/** Renames a damaged file, so that nothing is lost, and says so. */
function tellDamage(path: string, reason: string): string {
  const file = basename(path);
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  let aside = `${path}.damaged-${time}`;
  for (let i = 2; existsSync(aside); i++) aside = `${path}.damaged-${time}-${i}`;
  try {
    renameSync(path, aside);
  } catch (cause) {
    const message = `Cannot keep "${file}" aside, which is damaged (${reason}): ${describeSystemError(cause)}`;
    throw new DataError('damaged', message, { cause });
  }
  return `"${file}" is damaged (${reason}) and kept as "${basename(aside)}"`;
}
