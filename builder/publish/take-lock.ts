import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** A lock that this process holds. */
export interface Lock {
  readonly release: () => void;
}

/** Lock files that this process holds. */
const held = new Set<string>();

/**
 * Takes a lock file that names its process; the lock of a process that is gone is taken over. Gives undefined while
 * another living process holds it.
 */
export function takeLock(path: string): Lock | undefined {
  for (let attempt = 0; attempt < 3; attempt++) {
    const own = `${path}.${process.pid}`;
    try {
      // Linked, so that nobody ever sees a lock without its process in it.
      writeFileSync(own, `${process.pid} ${readStart(process.pid) ?? ''}\n`);
      linkSync(own, path);
      held.add(path);
      return { release: () => release(path) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(own, { force: true });
    }
    if (isHeld(path)) return undefined;
    discard(path);
  }
  return undefined;
}

function release(path: string): void {
  if (held.delete(path)) rmSync(path, { force: true });
}

function isHeld(path: string): boolean {
  const owner = readOwner(path);
  if (owner === undefined) return false;
  // In a container process ids repeat: an earlier process had this one's, or that of another one that runs now.
  if (owner.pid === process.pid) return held.has(path);
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const start = readStart(owner.pid);
  return start === undefined || owner.start === '' || start === owner.start;
}

function readOwner(path: string): { readonly pid: number; readonly start: string } | undefined {
  try {
    const [pid, start = ''] = readFileSync(path, 'utf8').trim().split(' ');
    return Number.isSafeInteger(Number(pid)) && Number(pid) > 0 ? { pid: Number(pid), start } : undefined;
  } catch {
    return undefined;
  }
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

/** Of several processes that find the lock stale, the rename lets one discard it. */
function discard(path: string): void {
  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
    rmSync(aside, { force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
