import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { Worker } from 'node:worker_threads';

/** Sends a signal to this process when its parent ends (prctl(2), PR_SET_PDEATHSIG); returns whether it will. */
export type AskForSignal = (signal: number) => boolean;

const PR_SET_PDEATHSIG = 1;
/** How often a thread looks for the parent where the system does not tell, ms. */
const LOOK_MS = 1_000;
/** A thread of its own: it looks also while the main thread is busy, and SIGKILL waits for no thread, however busy. */
const WATCHER = `
const { workerData: { parent, lookMs } } = require('node:worker_threads');
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, lookMs);
`;

/**
 * Ends this process when the process that started it has ended, whatever either of them does: an event loop that is busy sees no
 * closed channel, and `process.exit` waits for threads. On Linux the system kills it at once, through koffi; elsewhere, or without
 * koffi, a thread looks once a second.
 */
export function endWithParent(askForSignal: AskForSignal = askByPrctl): void {
  const parent = process.ppid;
  if (!askForSignal(constants.signals.SIGKILL)) {
    const watcher = new Worker(WATCHER, {
      eval: true,
      // Flags of this process may make a module of it.
      execArgv: [],
      workerData: { parent, lookMs: LOOK_MS },
      resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 },
    });
    // Without it the process ends no worse than before.
    watcher.on('error', () => {});
    watcher.unref();
  }
  // It may have ended before anybody looked.
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}

const askByPrctl: AskForSignal = (signal) => {
  if (process.platform !== 'linux') return false;
  try {
    const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi').default;
    const prctl = koffi.load(null).func('int prctl(int, unsigned long, unsigned long, unsigned long, unsigned long)');
    return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0) === 0;
  } catch {
    return false; // koffi is an optional dependency
  }
};
