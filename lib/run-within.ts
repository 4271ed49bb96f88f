import { Script } from 'node:vm';

/** Where the function to run is handed over. */
const HANDED = Symbol.for('docbuild.run-within');
const shared = globalThis as typeof globalThis & { [HANDED]?: (() => void) | undefined };
let script: Script | undefined;

/** A function took longer than it may. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

/**
 * Runs a function that waits for nothing, and ends it when its time is up, in ms of wall time: in a loop, in a regular expression,
 * wherever it is; its `finally` blocks are not run, so that what it has changed must not be used again. Throws `TookTooLong`. A call
 * costs about 0.1 ms, since Node.js starts a thread for each.
 */
export function runWithin<T>(ms: number, run: () => T): T {
  // One in another keeps the time of the outer one.
  if (shared[HANDED] !== undefined) return run();
  let result: { readonly value: T } | undefined;
  script ??= new Script('globalThis[Symbol.for("docbuild.run-within")]()');
  shared[HANDED] = () => {
    result = { value: run() };
  };
  try {
    script.runInThisContext({ timeout: ms });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      throw new TookTooLong(`It took longer than ${ms} ms`);
    throw error;
  } finally {
    shared[HANDED] = undefined;
  }
  return result!.value;
}
