import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  futimesSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataError } from './data-error.ts';
import { createLockOwner, describeOwner, findOwnerState, type LockOwner, parseLockOwner } from './lock-owner.ts';

/** The right to use a folder's files, until it is given back or the process ends. */
export interface Ownership {
  /** Tells whether nobody else has taken the folder over, as may happen after this process was held up for long. */
  isHeld(): boolean;
  release(): void;
}

/** How often an owner gives a sign, and after how long without one an owner that cannot be seen counts as gone. */
export interface OwnershipTimes {
  readonly signMs: number;
  readonly silentMs: number;
}

const NAME = 'lock';
const USUAL: OwnershipTimes = { signMs: 2_000, silentMs: 7_000 };
/** A lock without a sign for so long was left behind by a process that cannot be seen. */
const ABANDONED_MS = 60_000;
/** Nobody takes longer to remove a stale lock. */
const MAX_GUARD_MS = 10_000;
const RETRY_MS = 50;
const MAX_TRIES = 100;

/**
 * Makes this process the only owner of a folder by a lock file in it that names process, start and machine. The lock of a
 * process that is gone is taken over at once; one of another machine or container when it gives no sign for some
 * seconds. A lock that came in a copy of a folder counts for nothing. Throws DataError `busy`, which names the owner,
 * and the system's error where the lock cannot be written.
 */
export async function takeOwnership(folder: string, times: OwnershipTimes = USUAL): Promise<Ownership> {
  const path = join(folder, NAME);
  let found: FoundLock | undefined;
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const own = tryTake(path, times.signMs);
    if (own) return own;
    found = readLock(path);
    if (!found) continue;
    if (!(await isStale(path, found, times.silentMs))) break;
    if (!discard(path, found)) await sleep(RETRY_MS);
  }
  throw new DataError('busy', `Cannot use "${folder}": ${describeOwner(found?.owner)} is using it`);
}

/** Links the lock into its place when it is whole, so that nobody ever sees one that names no process. */
function tryTake(path: string, signMs: number): Ownership | undefined {
  const own = `${path}.${randomBytes(6).toString('hex')}`;
  const file = openSync(own, 'wx', 0o600);
  try {
    const { ino } = fstatSync(file, { bigint: true });
    writeSync(file, `${JSON.stringify(createLockOwner(String(ino)))}\n`);
    linkSync(own, path);
  } catch (error) {
    closeSync(file);
    const { code } = error as NodeJS.ErrnoException;
    // ENOENT: the owner tidied the folder up.
    if (code === 'EEXIST' || code === 'ENOENT') return undefined;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
  return hold(path, file, signMs);
}

function hold(path: string, file: number, signMs: number): Ownership {
  const { ino } = fstatSync(file, { bigint: true });
  let isReleased = false;
  const isHeld = (): boolean => !isReleased && statSync(path, { bigint: true, throwIfNoEntry: false })?.ino === ino;
  const signs = setInterval(() => {
    try {
      futimesSync(file, new Date(), new Date());
    } catch {} // the disk refuses; then writes fail, too, and tell
  }, signMs).unref();
  return {
    isHeld,
    release() {
      if (isReleased) return;
      clearInterval(signs);
      if (isHeld()) rmSync(path, { force: true });
      isReleased = true;
      closeSync(file);
    },
  };
}

interface FoundLock {
  readonly owner: LockOwner | undefined;
  readonly inode: string;
  readonly modifiedMs: number;
}

function readLock(path: string): FoundLock | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const { ino, mtimeMs } = fstatSync(file, { bigint: true });
    return { owner: parseLockOwner(readFileSync(file, 'utf8')), inode: String(ino), modifiedMs: Number(mtimeMs) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

async function isStale(path: string, found: FoundLock, silentMs: number): Promise<boolean> {
  const { owner, inode, modifiedMs } = found;
  if (owner && owner.inode !== inode) return true;
  const state = owner ? findOwnerState(owner) : 'unseen';
  if (state !== 'unseen') return state === 'gone';
  if (Date.now() - modifiedMs > ABANDONED_MS) return true;
  for (const end = performance.now() + silentMs; performance.now() < end; ) {
    await sleep(Math.min(RETRY_MS, silentMs));
    const now = readLock(path);
    if (!now) return true;
    if (now.inode !== inode || now.modifiedMs !== modifiedMs) return false;
  }
  return true;
}

/**
 * Removes a stale lock, one process at a time: without the guard, of two that found it stale the slower would remove the
 * quicker one's fresh lock. Gives false when it is another one's turn.
 */
function discard(path: string, stale: FoundLock): boolean {
  const guard = `${path}.guard`;
  try {
    closeSync(openSync(guard, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const made = statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - made > MAX_GUARD_MS) rmSync(guard, { force: true });
    return false;
  }
  try {
    if (readLock(path)?.inode === stale.inode) rmSync(path, { force: true });
    return true;
  } finally {
    rmSync(guard, { force: true });
  }
}
