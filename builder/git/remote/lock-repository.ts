import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FileLock, tryLock } from '../../../lib/file-lock.ts';
import { createKeyedQueue } from '../../../lib/keyed-queue.ts';
import { BuildError } from '../../build-error.ts';

const POLL_MS = 100;

/** Tasks of this process that wait for a lock file. */
const tasks = createKeyedQueue();

/**
 * Runs a task while no other, in this process or another one, has the lock file. The lock of a dead process is taken
 * over. Throws `BuildError` `output-busy` when the signal fires first.
 */
export async function withRepositoryLock<T>(file: string, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
  return tasks.run(file, async () => {
    const lock = await waitForLock(file, signal);
    try {
      return await task();
    } finally {
      lock.release();
    }
  });
}

async function waitForLock(file: string, signal: AbortSignal): Promise<FileLock> {
  await mkdir(dirname(file), { recursive: true });
  for (;;) {
    const lock = tryLock(file);
    if (lock) return lock;
    if (signal.aborted) {
      const message = `Another process has been using the repository cache for too long: "${file}"`;
      throw new BuildError('output-busy', message);
    }
    await sleep(POLL_MS);
  }
}
