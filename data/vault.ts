import { createHash } from 'node:crypto';
import type { Collection } from './collection.ts';
import { DataError } from './data-error.ts';

/** Some records of a collection. */
export type Page = readonly unknown[];

/** The state of a place that records may be brought to: empty, filled in part by an interrupted process, or in use. */
export type VaultState = 'empty' | 'unfinished' | 'used';

/**
 * The records of one place, read and written some at a time, so that memory does not limit how many there are. Records are
 * moved and backed up this way; while the service runs it has a `Store`.
 */
export interface VaultReader {
  /** The place, for messages: `folder "/var/lib/docbuild"`; shows no password. */
  readonly name: string;
  /** Yields the records of a collection in no promised order. Throws DataError `damaged`, `invalid`. */
  read(collection: Collection<unknown>): AsyncIterable<Page>;
  close(): Promise<void>;
}

/** A place that this process has to itself until it is closed. */
export interface Vault extends VaultReader {
  findState(): Promise<VaultState>;
  /**
   * Throws DataError `unwritable` where a collection of these records would not fit; undefined where all do. Changes nothing. What
   * `write` is given may still differ.
   */
  checkFits?(collection: Collection<unknown>, pages: AsyncIterable<Page>): Promise<void>;
  /** Notes durably that what is here is not whole: until `finish`, no store opens it. */
  begin(): Promise<void>;
  /** Makes a collection consist of these records; `pages` may be called again. Throws DataError `unwritable`. */
  write(collection: Collection<unknown>, pages: () => AsyncIterable<Page>): Promise<void>;
  finish(): Promise<void>;
}

/** Returns the error of a place whose records were not brought there whole. */
export function unfinishedError(place: string, remedy: string): DataError {
  const advice = `run the same "docbuild store copy" or "docbuild restore" again, or ${remedy}`;
  return new DataError('invalid', `Cannot use ${place}: bringing records there was interrupted; ${advice}`);
}

/** Number and hash of records, in whatever order they come. */
export interface RecordDigest {
  readonly records: number;
  /** Sum of the SHA-256 of the records as JSON, modulo 2^256; hexadecimal. */
  readonly hash: string;
}

const MODULUS = 1n << 256n;

/** Computes the digest of records, some at a time. */
export function createRecordDigest(): { add(page: Page): void; result(): RecordDigest } {
  let records = 0;
  let sum = 0n;
  return {
    add(page) {
      for (const record of page) {
        const hash = createHash('sha256').update(JSON.stringify(record)).digest('hex');
        sum = (sum + BigInt(`0x${hash}`)) % MODULUS;
        records++;
      }
    },
    result: () => ({ records, hash: sum.toString(16).padStart(64, '0') }),
  };
}

/** Returns the digest of a collection; `onRecords` is told how many more were read. */
export async function digestCollection(
  reader: VaultReader,
  collection: Collection<unknown>,
  onRecords: (count: number) => void = () => {},
): Promise<RecordDigest> {
  const digest = createRecordDigest();
  for await (const page of reader.read(collection)) {
    digest.add(page);
    onRecords(page.length);
  }
  return digest.result();
}
