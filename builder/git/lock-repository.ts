import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, stat, unlink, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BuildError } from '../build-error.ts';

const heartbeatMs = 10_000;
/** A lock that nobody touched for so long is stale, whatever its process id says (other machine, reused id). */
const staleMs = 60_000;
const pollMs = 100;

/** Seconds since 1970. */
const startedAt = Math.round(Date.now() / 1000 - process.uptime());

/** The last one in line for each lock file, in this process. */
const queues = new Map<string, Promise<void>>();

/**
 * Runs a task while no other, in this process or another one, has the lock file. The lock of a process that is gone is
 * taken over. Throws `BuildError` `output-busy` when the signal fires first.
 */
export async function withRepositoryLock<T>(file: string, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
  const before = queues.get(file) ?? Promise.resolve();
  const run = before.then(async () => {
    await takeLock(file, signal);
    const heartbeat = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => {}), heartbeatMs).unref();
    try {
      return await task();
    } finally {
      clearInterval(heartbeat);
      await unlink(file).catch(() => {}); // somebody may have taken it for stale
    }
  });
  const settled = run.then(
    () => {},
    () => {},
  );
  queues.set(file, settled);
  try {
    return await run;
  } finally {
    if (queues.get(file) === settled) queues.delete(file);
  }
}

async function takeLock(file: string, signal: AbortSignal): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  for (;;) {
    try {
      const handle = await open(file, 'wx');
      await handle.writeFile(`${process.pid} ${hostname()} ${startedAt} ${randomUUID()}\n`);
      await handle.close();
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (await removeStaleLock(file)) continue;
    if (signal.aborted) {
      throw new BuildError(
        'output-busy',
        `Another process has been using the repository cache for too long: "${file}"`,
      );
    }
    await sleep(pollMs);
  }
}

/** Gives true when the lock may be tried again at once. */
async function removeStaleLock(file: string): Promise<boolean> {
  const seen = await readLock(file);
  if (seen === undefined) return true;
  if (!isStale(seen)) return false;
  // Renaming decides between several that found it stale; whoever got a fresh lock that way by mistake puts it back.
  const aside = `${file}.${process.pid}`;
  try {
    await rename(file, aside);
  } catch {
    return true;
  }
  const taken = await readLock(aside);
  if (taken !== undefined && taken.text !== seen.text) await rename(aside, file);
  else await unlink(aside).catch(() => {});
  return true;
}

interface Lock {
  readonly text: string;
  readonly ageMs: number;
}

async function readLock(file: string): Promise<Lock | undefined> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(file, 'utf8'), stat(file)]);
    return { text, ageMs: Date.now() - mtimeMs };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function isStale({ text, ageMs }: Lock): boolean {
  if (ageMs > staleMs) return true;
  const [pid, host, started] = text.trim().split(' ');
  if (pid === undefined || host !== hostname()) return false; // being written, or another machine's
  // In a container process ids repeat: an earlier process with this one's id has another start.
  if (Number(pid) === process.pid) return Math.abs(Number(started) - startedAt) > 2;
  return !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
