import {
  closeSync,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';

/** A lock that this process holds. */
export interface Lock {
  readonly release: () => void;
}

/** A living holder shows that it lives so often. */
const HEARTBEAT_MS = 10_000;
/** Another machine's processes cannot be seen; its lock is stale when nobody touched it for so long. */
const STALE_ELSEWHERE_MS = 60_000;
/** Where no start can be told, the id may be another process's by now; a slow disk can hold up the heartbeat for long. */
const STALE_HERE_MS = 600_000;

/** Locks of this process, so that one left by an earlier process with the same id (in containers all have) is told apart. */
const held = new Set<string>();

/**
 * Takes a lock file that names its process, when it started, its machine, and its own inode; the lock of a process that is
 * gone, or one that came in a copy of its folder, is taken over. Gives undefined while another living process, or another
 * task of this one, holds it.
 */
export function takeLock(path: string): Lock | undefined {
  const text = `${process.pid} ${readStart(process.pid) ?? '-'} ${hostname()}`;
  for (let attempt = 0; attempt < 3; attempt++) {
    if (held.has(path)) return undefined;
    const own = `${path}.${process.pid}`;
    try {
      // Linked, so that nobody ever sees a lock without its process in it.
      writeLock(own, text);
      linkSync(own, path);
      return hold(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(own, { force: true });
    }
    const found = readLock(path);
    if (found && !isStale(found)) return undefined;
    if (found) discard(path, found.text);
  }
  return undefined;
}

function writeLock(path: string, text: string): void {
  const file = openSync(path, 'w');
  try {
    writeSync(file, `${text} ${fstatSync(file).ino}\n`);
  } finally {
    closeSync(file);
  }
}

function hold(path: string): Lock {
  held.add(path);
  const heartbeat = setInterval(() => {
    try {
      utimesSync(path, new Date(), new Date());
    } catch {
      // Somebody removed it; nothing depends on it but the courtesy of others.
    }
  }, HEARTBEAT_MS).unref();
  let isReleased = false;
  return {
    release() {
      if (isReleased) return;
      isReleased = true;
      clearInterval(heartbeat);
      held.delete(path);
      rmSync(path, { force: true });
    },
  };
}

interface FoundLock {
  readonly text: string;
  readonly ageMs: number;
  readonly inode: number;
}

function readLock(path: string): FoundLock | undefined {
  try {
    const { mtimeMs, ino } = statSync(path);
    return { text: readFileSync(path, 'utf8'), ageMs: Date.now() - mtimeMs, inode: ino };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function isStale({ text, ageMs, inode }: FoundLock): boolean {
  const [id, start, host = hostname(), ownInode = String(inode)] = text.trim().split(' ');
  if (ownInode !== String(inode)) return true;
  const pid = Number(id);
  if (!Number.isSafeInteger(pid) || pid <= 0) return true;
  if (host !== hostname()) return ageMs > STALE_ELSEWHERE_MS;
  if (pid === process.pid || !isAlive(pid)) return true;
  const now = readStart(pid);
  return now === undefined ? ageMs > STALE_HERE_MS : now !== start;
}

/** Gives when a process started, in clock ticks since the system did; undefined where there is no `/proc` (proc(5)). */
function readStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Of several processes that find the lock stale, the rename lets one discard it; a fresh one caught so is put back. */
function discard(path: string, stale: string): void {
  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
    if (readFileSync(aside, 'utf8') !== stale) linkSync(aside, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}
