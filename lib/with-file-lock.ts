import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FileLock, tryLock } from './file-lock.ts';
import { createKeyedQueue } from './keyed-queue.ts';

const POLL_MS = 100;

/** Tasks of this process that wait for a lock file. */
const tasks = createKeyedQueue();

/**
 * Runs a task while no other, in this process or another one, has the lock file; its folder is made. The lock of a dead process is
 * taken over. Throws what `createError` returns when the signal fires first.
 */
export async function withFileLock<T>(
  file: string,
  options: { readonly signal: AbortSignal; readonly createError: () => Error },
  task: () => Promise<T>,
): Promise<T> {
  return tasks.run(file, async () => {
    const lock = await waitForLock(file, options);
    try {
      return await task();
    } finally {
      lock.release();
    }
  });
}

async function waitForLock(
  file: string,
  { signal, createError }: { readonly signal: AbortSignal; readonly createError: () => Error },
): Promise<FileLock> {
  await mkdir(dirname(file), { recursive: true });
  for (;;) {
    const lock = tryLock(file);
    if (lock) return lock;
    if (signal.aborted) throw createError();
    await sleep(POLL_MS);
  }
}
