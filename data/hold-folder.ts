import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type FileLock, takeLock } from '../lib/file-lock.ts';
import { describeSystemError } from '../lib/system-error.ts';
import { DataError } from './data-error.ts';

/** File in the folder that its owner holds. */
export const LOCK = 'lock';

/**
 * Takes a folder for this process until the lock is released, and creates it where it does not exist. Throws DataError
 * `busy` while another process has it, `unwritable`.
 */
export async function holdFolder(folder: string, onWarning: (message: string) => void): Promise<FileLock> {
  try {
    prepareFolder(folder, onWarning);
    const outcome = await takeLock(join(folder, LOCK));
    if (!outcome.lock) throw new DataError('busy', `Cannot use "${folder}": ${outcome.holder} is using it`);
    return outcome.lock;
  } catch (cause) {
    if (cause instanceof DataError) throw cause;
    throw new DataError('unwritable', `Cannot use "${folder}": ${describeSystemError(cause)}`, { cause });
  }
}

/** Secrets of projects are for the owner's eyes only. */
function prepareFolder(folder: string, onWarning: (message: string) => void): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if ((statSync(folder).mode & 0o077) === 0) return;
  try {
    chmodSync(folder, 0o700);
  } catch (error) {
    onWarning(`Others may read "${folder}", which holds secrets: ${describeSystemError(error)}`);
  }
}
