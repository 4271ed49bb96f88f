import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { hasCode } from './system-error.ts';

let ownPlace: string | undefined;

/** Returns where this process runs: machine, its last start, and process id namespace. Processes of equal places see each other. */
export function readPlace(): string {
  ownPlace ??= [
    hostname(),
    tryRead(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()),
    tryRead(() => readlinkSync('/proc/self/ns/pid')),
  ].join(' ');
  return ownPlace;
}

/** Reads what proc(5) says of a process; '' where the system does not tell, or there is none. */
export function readStat(pid: number): { readonly state: string; readonly start: string } {
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

/** Returns whether a process of this id runs, whoever it belongs to. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}
