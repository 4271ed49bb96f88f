import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { describeSystemError, hasCode } from '../../lib/system-error.ts';
import { DataError } from '../data-error.ts';
import type { Table } from '../tables/table.ts';
import { createChunkedRows } from './chunked-rows.ts';
import { type CollectionDocument, parseDocument } from './collection-document.ts';

/** Largest file of a collection, bytes: what surely fits into one string. */
export const MAX_FILE_BYTES = 400_000_000;

/** A copy of a collection as found on disk. */
export type Copy<T> =
  | { readonly isGood: true; readonly document: CollectionDocument; readonly records: readonly T[] }
  /** `reason` says what is wrong, and shows nothing of the content, which may be secret. */
  | { readonly isGood: false; readonly reason: string };

/**
 * Reads a file of a collection; gives undefined when it does not exist. Throws DataError `unwritable` when it cannot be
 * read, `invalid` when a newer docbuild has written it.
 */
export function readCopy<T>(path: string, table: Table<T>): Copy<T> | undefined {
  const bytes = readBytes(path);
  if (!bytes) return undefined;
  try {
    if (!isUtf8(bytes)) throw new Error('it is not UTF-8');
    const { records: found, ...document } = parseDocument(bytes.toString().replace(/^\uFEFF/, ''), table.collection);
    const rows = new Map<string, string>();
    const records = found.map((value, i) => {
      const record = adopt(value, i, table);
      const key = table.keyOf(record);
      if (rows.has(key)) throw new Error(`record ${i + 1} stands there twice`);
      rows.set(key, JSON.stringify(record));
      return record;
    });
    return { isGood: true, document: { ...document, rows: createChunkedRows(rows) }, records };
  } catch (error) {
    if (error instanceof DataError) throw error;
    return { isGood: false, reason: (error as Error).message };
  }
}

function adopt<T>(value: unknown, index: number, table: Table<T>): T {
  try {
    return table.adopt(value);
  } catch (error) {
    throw new Error(`record ${index + 1}: ${(error as Error).message}`);
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
