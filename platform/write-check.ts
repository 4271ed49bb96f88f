import { open, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Store } from '../data/store.ts';
import { describeSystemError, hasCode } from '../lib/system-error.ts';

/** Returns why something cannot be written; '' = all can be. */
export type WriteCheck = () => Promise<string>;

/** How long the last result is taken for the current one: anybody may ask. */
const VALID_MS = 2_000;
/** More than a file system keeps beside its own records of a file. */
const PROBE = Buffer.alloc(8_192);
const NAME = '.health.tmp';
/** The hash of no token. */
const NO_SESSION = 'health';

/**
 * Creates a check that writes a file to each folder and removes it again, and has the store, which may be elsewhere, make a
 * change. Folders that do not exist yet are left out, but the first.
 */
export function createWriteCheck(
  folders: readonly [string, ...string[]],
  { sessions }: Pick<Store, 'sessions'>,
  nowMs: () => number = () => performance.now(),
): WriteCheck {
  let checkedMs = Number.NEGATIVE_INFINITY;
  let result: Promise<string> = Promise.resolve('');
  const check = async (): Promise<string> => {
    for (const [index, folder] of folders.entries()) {
      try {
        await writeProbe(join(folder, NAME));
      } catch (error) {
        if (index > 0 && hasCode(error, 'ENOENT')) continue;
        return `Cannot write to "${basename(folder)}": ${describeSystemError(error)}`;
      }
    }
    // A change that finds nothing to remove is made in a database all the same: one may answer, but refuse to be written.
    return await sessions.remove(NO_SESSION).then(
      () => '',
      (error: Error) => error.message,
    );
  };
  return () => {
    if (nowMs() - checkedMs >= VALID_MS) {
      checkedMs = nowMs();
      result = check();
    }
    return result;
  };
}

async function writeProbe(path: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(PROBE);
    await file.sync();
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}
