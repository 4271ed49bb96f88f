import type { ExecutionContext } from 'ava';
import { DataError, type DataErrorCode } from '../../../data/data-error.ts';
import type { Store } from '../../../data/store.ts';

/** A way to keep records, as the contract's tests see it. */
export interface Adapter {
  /** For titles of tests: `memory`. */
  readonly name: string;
  /** Opens an empty store; closes it at the end of the test. */
  readonly open: (t: ExecutionContext) => Promise<Store>;
  /** Closes a store and opens it again, where it outlives its process; otherwise returns it. */
  readonly reopen: (store: Store) => Promise<Store>;
}

/** Expects a DataError of this code; returns its message. */
export async function throwsData(
  t: ExecutionContext,
  promise: Promise<unknown>,
  code: DataErrorCode,
  message?: RegExp,
): Promise<string> {
  const error = await t.throwsAsync(promise, { instanceOf: DataError });
  t.is(error?.code, code, error?.message);
  if (message) t.regex(error!.message, message);
  return error!.message;
}
