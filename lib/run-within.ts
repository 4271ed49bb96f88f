import { Script } from 'node:vm';

/** Where the function to run is handed over. */
const HANDED = Symbol.for('docbuild.run-within');
const shared = globalThis as typeof globalThis & { [HANDED]?: (() => void) | undefined };
let script: Script | undefined;

/** A function took longer than it may. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

/** So often a function is begun whose time was mostly that of other processes, each time with twice the time. */
const MAX_RUNS = 3;

/**
 * Runs a function that waits for nothing, and ends it when its time is up, in ms of wall time: in a loop, in a regular expression,
 * wherever it is; its `finally` blocks are not run, so that what it has changed must not be used again. Where the machine was busy
 * with other things for most of that time, it begins again, after `reset`. Throws `TookTooLong`. A call costs 0.1 ms, and several
 * times that beside busy threads, since Node.js starts a thread for each: see `createTimedLine`.
 */
export function runWithin<T>(ms: number, run: () => T, reset?: () => void): T {
  // One in another keeps the time of the outer one.
  if (shared[HANDED] !== undefined) return run();
  for (let count = 1; ; count++) {
    const usage = process.cpuUsage();
    try {
      return runOnce(ms * 2 ** (count - 1), run);
    } catch (error) {
      if (!(error instanceof TookTooLong) || count === MAX_RUNS) throw error;
      const { user, system } = process.cpuUsage(usage);
      if ((user + system) / 1_000 > ms / 2) throw error;
      reset?.();
    }
  }
}

function runOnce<T>(ms: number, run: () => T): T {
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
export function createTimedLine(ms: number, reset?: () => void): TimedLine {
  interface Waiting {
    readonly run: () => void;
    readonly reject: (error: unknown) => void;
  }
  const waiting: Waiting[] = [];
  const runSome = (): void => {
    let current: Waiting | undefined;
    const runWaiting = (): void => {
      const endMs = performance.now() + SHARED_MS;
      do {
        // One that is begun again is still the current one.
        current ??= waiting.shift();
        current?.run();
        current = undefined;
      } while (waiting.length > 0 && performance.now() < endMs);
    };
    try {
      runWithin(ms, runWaiting, reset);
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
