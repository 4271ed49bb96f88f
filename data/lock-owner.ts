import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** What a lock file says of the process that made it. */
export interface LockOwner {
  readonly pid: number;
  /** When the process started, in clock ticks since the machine did (proc(5)); '' where the system does not tell. */
  readonly start: string;
  /** Machine, its start, and the space that its process ids belong to: equal places see each other's processes. */
  readonly place: string;
  /** Of the lock file itself, so that a copy of it is known for one. */
  readonly inode: string;
}

/** Gives what a lock of this process says. */
export function createLockOwner(inode: string): LockOwner {
  return { pid: process.pid, start: readStat(process.pid).start, place: readPlace(), inode };
}

/** Reads a lock; undefined when it says nothing. */
export function parseLockOwner(text: string): LockOwner | undefined {
  try {
    const { pid, start, place, inode } = JSON.parse(text) as Record<keyof LockOwner, unknown>;
    if (!Number.isSafeInteger(pid) || (pid as number) <= 0) return undefined;
    if (typeof start !== 'string' || typeof place !== 'string' || typeof inode !== 'string') return undefined;
    return { pid: pid as number, start, place, inode };
  } catch {
    return undefined;
  }
}

/** Tells whether an owner's process runs; `unseen` where that cannot be told from here. */
export function findOwnerState({ pid, start, place }: LockOwner): 'running' | 'gone' | 'unseen' {
  if (place !== readPlace()) return 'unseen';
  if (!isAlive(pid)) return 'gone';
  const { state, start: now } = readStat(pid);
  // Ended, but whoever started it has not asked how: in a container perhaps nobody ever does.
  if (state === 'Z' || state === 'X') return 'gone';
  if (start === '' || now === '') return 'unseen';
  return now === start ? 'running' : 'gone';
}

/** Gives an owner for messages. */
export function describeOwner(owner: LockOwner | undefined): string {
  if (!owner) return 'another process';
  const [host] = owner.place.split(' ');
  return owner.place === readPlace() ? `process ${owner.pid}` : `process ${owner.pid} on "${host}"`;
}

let ownPlace: string | undefined;

function readPlace(): string {
  ownPlace ??= [
    hostname(),
    tryRead(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()),
    tryRead(() => readlinkSync('/proc/self/ns/pid')),
  ].join(' ');
  return ownPlace;
}

/** Reads what proc(5) says of a process; '' where the system does not tell. */
function readStat(pid: number): { readonly state: string; readonly start: string } {
  const stat = tryRead(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', start: fields[19] ?? '' };
}

/** Not all systems have `/proc`. */
function tryRead(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
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
