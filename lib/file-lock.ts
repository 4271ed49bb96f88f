import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  futimesSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKeyedQueue } from './keyed-queue.ts';
import { isAlive, readPlace, readStat } from './process-identity.ts';
import { hasCode } from './system-error.ts';

/**
 * A lock file names the process that holds it, with its start and machine, so that neither a recycled process id nor
 * another container's looks alive, and its own inode, so that a copy of it counts for nothing. The holder touches it
 * every few seconds: where its process cannot be seen (another machine, another container), that sign of life decides.
 */
export interface FileLock {
  /** Returns whether the file is still this lock: after this process was suspended for long, another may have taken over. */
  isHeld(): boolean;
  release(): void;
}

export type LockOutcome =
  | { readonly lock: FileLock }
  /** `holder` is for messages: `process 77 on "host"`. */
  | { readonly lock: undefined; readonly holder: string };

/** How often a holder touches its lock, and after how long without that a holder that cannot be seen counts as gone. */
export interface LockTimes {
  readonly heartbeatMs: number;
  readonly silentMs: number;
}

const TIMES: LockTimes = { heartbeatMs: 2_000, silentMs: 7_000 };
/** A lock untouched for so long was left behind by a process that cannot be seen. */
const ABANDONED_MS = 60_000;
/** The same where a process of that id runs, but nothing tells its start: it may be the holder, held up by a slow disk. */
const DOUBTFUL_MS = 600_000;
/** Nobody takes longer to remove a stale lock; where its process cannot be seen, an older guard counts as left behind. */
const MAX_GUARD_MS = 10_000;
const RETRY_MS = 50;
const MAX_TRIES = 100;

/** Locks of this process by path, with their inodes. */
const ownLocks = new Map<string, string>();

/**
 * Takes a lock file, also from a process that is gone. Returns undefined while another process, or another task of this
 * one, holds it. Throws the system's error where the file cannot be written.
 */
export function tryLock(path: string): FileLock | undefined {
  // The file may be gone, together with its folder: that frees nothing.
  if (ownLocks.has(path)) return undefined;
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const lock = createLock(path, TIMES.heartbeatMs);
    if (lock) return lock;
    const found = readLock(path);
    if (!found) continue;
    if (!isStale(found) || !discard(path, found)) return undefined;
  }
  return undefined;
}

/**
 * Takes a lock file as `tryLock` does, but watches a holder that cannot be seen for `silentMs` before it counts as gone.
 * Rejects with the system's error.
 */
export async function takeLock(path: string, times: LockTimes = TIMES): Promise<LockOutcome> {
  let found: FoundLock | undefined;
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const lock = createLock(path, times.heartbeatMs);
    if (lock) return { lock };
    found = readLock(path);
    if (!found) continue;
    if (!(await isAbandoned(path, found, times.silentMs))) break;
    if (!discard(path, found)) await sleep(RETRY_MS);
  }
  return { lock: undefined, holder: describeHolder(found?.holder) };
}

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

/** The content of a lock file. */
interface Holder {
  readonly pid: number;
  /** When the process started, in clock ticks since the machine did (proc(5)); '' where the system does not tell. */
  readonly start: string;
  /** Machine, its last start, and process id namespace: processes of equal places see each other. */
  readonly place: string;
  /** Inode of the lock file. */
  readonly inode: string;
}

interface FoundLock {
  /** undefined: the file is no lock of this format. */
  readonly holder: Holder | undefined;
  /** Nothing was ever written: a machine that crashed may leave such a file. */
  readonly isBlank: boolean;
  readonly text: string;
  readonly inode: string;
  readonly modifiedMs: number;
}

function createLock(path: string, heartbeatMs: number): FileLock | undefined {
  const created = linkHolder(path);
  if (!created) return undefined;
  removeLeftovers(path);
  return hold(path, { ...created, heartbeatMs });
}

/**
 * Creates a file that names this process, and returns it open; undefined where there is one already. It is linked into
 * place once it is complete: no process ever sees one without an owner, and none that is killed leaves one.
 */
function linkHolder(path: string): { readonly file: number; readonly inode: string } | undefined {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const file = openSync(temporary, 'wx', 0o600);
  try {
    const inode = writeHolder(file);
    linkSync(temporary, path);
    return { file, inode };
  } catch (error) {
    closeSync(file);
    // ENOENT: the holder has tidied its folder up.
    if (hasCode(error, 'EEXIST', 'ENOENT')) return undefined;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Removes what processes that were killed left of locks that they were about to take. One that lives tries again. */
function removeLeftovers(path: string): void {
  const folder = dirname(path);
  const own = `${basename(path)}.`;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(own) && /^(?:guard\.)?[0-9a-f]{12}\.tmp$/.test(name.slice(own.length))) {
      rmSync(join(folder, name), { force: true });
    }
  }
}

/** Keeps the file open, so that no other file gets its inode. */
function hold(
  path: string,
  { file, inode, heartbeatMs }: { readonly file: number; readonly inode: string; readonly heartbeatMs: number },
): FileLock {
  let isReleased = false;
  ownLocks.set(path, inode);
  const isHeld = (): boolean =>
    !isReleased && String(statSync(path, { bigint: true, throwIfNoEntry: false })?.ino) === inode;
  const signs = setInterval(() => {
    try {
      futimesSync(file, new Date(), new Date());
    } catch {} // where the disk refuses this, writes fail, too, and are reported
  }, heartbeatMs).unref();
  return {
    isHeld,
    release() {
      if (isReleased) return;
      clearInterval(signs);
      if (isHeld()) rmSync(path, { force: true });
      isReleased = true;
      if (ownLocks.get(path) === inode) ownLocks.delete(path);
      closeSync(file);
    },
  };
}

function readLock(path: string): FoundLock | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const { ino, mtimeMs } = fstatSync(file, { bigint: true });
    const text = readFileSync(file, 'utf8');
    const isBlank = /^\0*$/.test(text);
    return { holder: parseHolder(text), isBlank, text, inode: String(ino), modifiedMs: Number(mtimeMs) };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    const { pid, start, place, inode } = JSON.parse(text) as Record<keyof Holder, unknown>;
    if (!Number.isSafeInteger(pid) || (pid as number) <= 0) return undefined;
    if (typeof start !== 'string' || typeof place !== 'string' || typeof inode !== 'string') return undefined;
    return { pid: pid as number, start, place, inode };
  } catch {
    return undefined;
  }
}

/** Returns whether a lock may be removed at once. */
function isStale(found: FoundLock): boolean {
  const patienceMs = findPatienceMs(found);
  return patienceMs === 0 || Date.now() - found.modifiedMs > patienceMs;
}

/** Returns how long a lock may go untouched before it is stale: 0 = it is already, infinity = its process runs. */
function findPatienceMs({ holder, isBlank, inode }: FoundLock): number {
  if (!holder) return isBlank ? 0 : ABANDONED_MS;
  if (holder.inode !== inode) return 0;
  if (holder.place !== readPlace()) return ABANDONED_MS;
  const { state, start } = readStat(holder.pid);
  if (start !== '' && holder.start !== '') {
    // A zombie has ended, but its parent has not reaped it; in a container perhaps it never will.
    return start === holder.start && state !== 'Z' && state !== 'X' ? Number.POSITIVE_INFINITY : 0;
  }
  if (holder.pid === process.pid) return [...ownLocks.values()].includes(inode) ? Number.POSITIVE_INFINITY : 0;
  return isAlive(holder.pid) ? DOUBTFUL_MS : 0;
}

async function isAbandoned(path: string, found: FoundLock, silentMs: number): Promise<boolean> {
  if (isStale(found)) return true;
  if (findPatienceMs(found) === Number.POSITIVE_INFINITY) return false;
  const { inode, modifiedMs } = found;
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
 * quicker one's fresh lock. Returns false when it is another one's turn.
 */
function discard(path: string, stale: FoundLock): boolean {
  const guard = `${path}.guard`;
  for (let isRetry = false; !createGuard(guard); isRetry = true) {
    const left = readLock(guard);
    if (isRetry || !left || !isLeftBehind(left)) return false;
    removeUnchanged(guard, left);
  }
  try {
    removeUnchanged(path, stale);
    return true;
  } finally {
    rmSync(guard, { force: true });
  }
}

/** Removes a file unless it has changed since: the next one there may well get the same inode. */
function removeUnchanged(path: string, { inode, text, modifiedMs }: FoundLock): void {
  const now = readLock(path);
  if (now?.inode === inode && now.text === text && now.modifiedMs === modifiedMs) rmSync(path, { force: true });
}

/** Creates the guard; returns false where there is one. */
function createGuard(path: string): boolean {
  const created = linkHolder(path);
  if (created) closeSync(created.file);
  return created !== undefined;
}

/** Returns whether the process that made a guard has ended before it removed it. */
function isLeftBehind(guard: FoundLock): boolean {
  return Date.now() - guard.modifiedMs > MAX_GUARD_MS || findPatienceMs(guard) === 0;
}

/** Writes what a lock file says of this process; returns the file's inode. */
function writeHolder(file: number): string {
  const inode = String(fstatSync(file, { bigint: true }).ino);
  const holder: Holder = { pid: process.pid, start: readStat(process.pid).start, place: readPlace(), inode };
  writeSync(file, `${JSON.stringify(holder)}\n`);
  return inode;
}

function describeHolder(holder: Holder | undefined): string {
  if (!holder) return 'another process';
  return holder.place === readPlace()
    ? `process ${holder.pid}`
    : `process ${holder.pid} on "${holder.place.split(' ')[0]}"`;
}
