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
 * costs 0.1 ms, and several times that beside busy threads, since Node.js starts a thread for each: see `createTimedLine`.
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

/** Runs a function soon. Rejects with what it throws, or with `TookTooLong`. */
export type TimedLine = <T>(run: () => T) => Promise<T>;

/** So long, in ms, short functions share one call of `runWithin`. */
const SHARED_MS = 10;

/**
 * Creates a line in which functions run one after the other, each like in `runWithin` with up to 10 ms less: short ones share a call.
 * Between two calls the process does what else is due.
 */
export function createTimedLine(ms: number): TimedLine {
  interface Waiting {
    readonly run: () => void;
    readonly reject: (error: unknown) => void;
  }
  const waiting: Waiting[] = [];
  const runSome = (): void => {
    let current: Waiting | undefined;
    try {
      runWithin(ms, () => {
        const endMs = performance.now() + SHARED_MS;
        do {
          current = waiting.shift();
          current?.run();
        } while (waiting.length > 0 && performance.now() < endMs);
      });
    } catch (error) {
      current?.reject(error);
    }
    if (waiting.length > 0) setImmediate(runSome);
  };
  return <T>(run: () => T) =>
    new Promise<T>((resolve, reject) => {
      const settle = (): void => {
        try {
          resolve(run());
        } catch (error) {
          reject(error);
        }
      };
      if (waiting.push({ run: settle, reject }) === 1) setImmediate(runSome);
    });
}
