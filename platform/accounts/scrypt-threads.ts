import { Worker } from 'node:worker_threads';

/** A hash to derive; units as `crypto.scrypt` has them. */
export interface ScryptOrder {
  readonly password: string;
  readonly salt: Uint8Array;
  readonly bytes: number;
  readonly options: { readonly N: number; readonly r: number; readonly p: number; readonly maxmem: number };
}

/** How much later its turn on a processor comes than that of threads that answer requests (`nice`, 19 is last). */
const NICENESS = 5;
/** Linux alone has priorities of threads. */
const SCRIPT = `
const { scryptSync } = require('node:crypto');
const { parentPort, workerData } = require('node:worker_threads');
try {
  const thread = require('node:fs').readlinkSync('/proc/thread-self').split('/').pop();
  require('node:os').setPriority(Number(thread), workerData);
} catch {}
parentPort.on('message', ({ password, salt, bytes, options }) => {
  try {
    parentPort.postMessage({ key: scryptSync(password, salt, bytes, options) });
  } catch (error) {
    parentPort.postMessage({ error });
  }
});
`;

type Outcome = { readonly key: Uint8Array } | { readonly error: Error };

/**
 * Returns a function that derives keys by scrypt on threads of its own, one for each call at a time, which stay for the next. They
 * leave Node's own threads to files and names, and give way to the thread that answers requests: 64 connections that try passwords
 * on a machine of two cores took a page's slowest of a hundred answers from 5 to 200 ms before. Rejects as `crypto.scrypt` fails.
 */
export function createScryptThreads(): (order: ScryptOrder) => Promise<Buffer> {
  const idle: Worker[] = [];
  const start = (): Worker => {
    const worker = new Worker(SCRIPT, { eval: true, workerData: NICENESS, stdout: false });
    worker.once('exit', () => {
      const at = idle.indexOf(worker);
      if (at !== -1) idle.splice(at, 1);
    });
    return worker;
  };
  return (order) =>
    new Promise((resolve, reject) => {
      const worker = idle.pop() ?? start();
      const fail = (error: unknown): void => {
        worker.off('message', take);
        reject(error instanceof Error ? error : new Error(`A thread for passwords ended with ${String(error)}`));
      };
      const take = (outcome: Outcome): void => {
        worker.off('error', fail).off('exit', fail);
        // A command ends when its work is done.
        worker.unref();
        idle.push(worker);
        if ('key' in outcome) resolve(Buffer.from(outcome.key));
        else reject(outcome.error);
      };
      worker.ref();
      worker.once('message', take).once('error', fail).once('exit', fail);
      worker.postMessage(order);
    });
}
