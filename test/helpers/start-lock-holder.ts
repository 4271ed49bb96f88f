import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';

/** The script of a process that holds the lock file of its argument until its standard input ends. */
export const HOLD_LOCK = fileURLToPath(new URL('../lib/hold-lock.js', import.meta.url));

/** A process that has tried to take a lock. */
export interface LockHolder {
  readonly child: ChildProcess;
  /** Settles when it has ended. */
  readonly closed: Promise<void>;
  /** `held`, or `busy:` and the holder. */
  readonly said: string;
}

/** Starts a process that takes a lock file, and waits until it says what came of that. */
export async function startLockHolder(t: ExecutionContext, path: string): Promise<LockHolder> {
  const child = spawn(process.execPath, [HOLD_LOCK, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  t.teardown(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  const said = await new Promise<string>((resolve) =>
    child.stdout.once('data', (bytes: Buffer) => resolve(`${bytes}`)),
  );
  return { child, closed, said: said.trim() };
}

/** Leaves the lock of a process that was killed, with other values where some are given. */
export async function leaveLock(
  t: ExecutionContext,
  path: string,
  values: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const { child, closed } = await startLockHolder(t, path);
  child.kill('SIGKILL');
  await closed;
  editLock(path, values);
}

/** Rewrites a lock in place, so that it stays the same file. */
export function editLock(path: string, values: Readonly<Record<string, unknown>>): void {
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...values }));
}
