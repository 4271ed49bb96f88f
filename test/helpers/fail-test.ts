import type { ExecutionContext } from 'ava';

/** Fails a test from a handler of events, where the error that AVA throws as well would end the process and all its tests. */
export function failTest(t: ExecutionContext, message: string): void {
  try {
    t.fail(message);
  } catch {
    // The test has failed.
  }
}
