import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** A lock that this process holds. */
export interface Lock {
  readonly release: () => void;
}

/**
 * Takes a lock file that names its process; the lock of a process that is gone is taken over. Gives undefined while
 * another living process holds it.
 */
export function takeLock(path: string): Lock | undefined {
  for (let attempt = 0; attempt < 3; attempt++) {
    const own = `${path}.${process.pid}`;
    try {
      // Linked, so that nobody ever sees a lock without its process in it.
      writeFileSync(own, `${process.pid}\n`);
      linkSync(own, path);
      return { release: () => rmSync(path, { force: true }) };
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

function isHeld(path: string): boolean {
  const pid = readPid(path);
  if (pid === undefined) return false;
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function readPid(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
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
