import type { z } from 'zod';
import { DataError } from '../data-error.ts';

/** Longest record as JSON, in characters. */
export const MAX_RECORD_LENGTH = 1_000_000;

/** What records of a kind look like. */
export interface RecordKind<T> {
  /** For messages: `project`. */
  readonly kind: string;
  /** Keys that it does not know are kept, so that an older docbuild loses nothing of a newer one. */
  readonly schema: z.ZodType;
  /** Puts in keys that JSON leaves out. */
  readonly complete?: (record: T) => T;
}

/**
 * Gives a frozen copy of a record, as it comes back from JSON: whoever changes the original changes nothing here. Throws
 * DataError `invalid`; its message never shows a value.
 */
export function parseRecord<T>(kind: RecordKind<T>, value: unknown): T {
  checkRecord(kind, value);
  const text = JSON.stringify(value);
  if (text.length > MAX_RECORD_LENGTH) {
    throw new DataError('invalid', `Cannot keep this ${kind.kind}: it has more than ${MAX_RECORD_LENGTH} characters`);
  }
  return freeze(complete(kind, JSON.parse(text) as T));
}

/** Does the same to a record that comes from JSON and belongs to nobody else, without a copy. */
export function adoptRecord<T>(kind: RecordKind<T>, value: unknown): T {
  checkRecord(kind, value);
  return freeze(complete(kind, value as T));
}

function checkRecord({ kind, schema }: Pick<RecordKind<unknown>, 'kind' | 'schema'>, value: unknown): void {
  const result = schema.safeParse(value);
  if (result.success) return;
  const { path, message } = result.error.issues[0]!;
  const place = path.length > 0 ? ` "${path.join('.').slice(0, 100)}"` : '';
  throw new DataError('invalid', `Cannot keep this ${kind}:${place} ${message.replace(/^Invalid input: /, '')}`);
}

function complete<T>({ complete: fill }: RecordKind<T>, record: T): T {
  return fill ? fill(record) : record;
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const item of Object.values(value)) freeze(item);
  return Object.freeze(value);
}
