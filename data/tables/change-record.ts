import { DataError } from '../data-error.ts';
import type { Edits } from './edits.ts';
import type { Table } from './table.ts';

/**
 * Changes one record and gives it as it is then; a function that gives the record it was given changes nothing. Throws
 * DataError `not-found`, and `invalid` where the new record would have another key.
 */
export function changeRecord<T>(
  edits: Edits,
  table: Table<T>,
  options: {
    readonly key: string;
    readonly change: (record: T) => T;
    /** Message of the error when there is no such record. */
    readonly missing: string;
    /** Throws for a new record that cannot stand beside the others. */
    readonly check?: (record: T) => void;
  },
): T {
  const { key, change, missing, check } = options;
  const old = table.get(key);
  if (old === undefined) throw new DataError('not-found', missing);
  const given = change(old);
  if (given === old) return old;
  const record = table.parse(given);
  if (table.keyOf(record) !== key) {
    throw new DataError('invalid', `Cannot change what a record of "${table.collection}" is found by`);
  }
  check?.(record);
  edits.set(table, key, record);
  return record;
}
