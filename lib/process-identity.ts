import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
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

/** A process as proc(5) describes it. */
export interface ProcessStat {
  /** `Z` = it has ended, and its parent has not noticed yet; '' = unknown, or there is no such process. */
  readonly state: string;
  /** Moment of its start, in ticks since that of the machine; '' = unknown. */
  readonly start: string;
  /** Id of its process group; undefined = unknown. */
  readonly group: number | undefined;
}

/** Reads what proc(5) says of a process. */
export function readStat(pid: number): ProcessStat {
  const stat = tryRead(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return {
    state: fields[0] ?? '',
    start: fields[19] ?? '',
    group: fields[2] === undefined ? undefined : Number(fields[2]),
  };
}

/** Returns the ids of the processes of a group that have not ended; [] where the system does not tell. */
export function listGroup(group: number): readonly number[] {
  const pids = tryRead(() => readdirSync('/proc').join(' '))
    .split(' ')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.filter((pid) => {
    const stat = readStat(pid);
    return stat.group === group && !/^[ZX]$/.test(stat.state);
  });
}

/** Checks whether a process was started with a variable of this value; false where the system does not tell. */
export function hasVariable(pid: number, name: string, value: string): boolean {
  return tryRead(() => readFileSync(`/proc/${pid}/environ`, 'latin1'))
    .split('\0')
    .includes(`${name}=${value}`);
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
