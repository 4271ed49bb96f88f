import { readdirSync, readFileSync } from 'node:fs';
import { readStat } from '../../lib/process-identity.ts';

/** A process, told apart from a later one with its number. */
export interface SeenProcess {
  readonly pid: number;
  /** As `readStat` gives it. */
  readonly start: string;
}

/** Returns whether a process has not ended. */
export function isRunning({ pid, start }: SeenProcess): boolean {
  const stat = readStat(pid);
  return stat.start !== '' && stat.start === start && !/^[ZX]$/.test(stat.state);
}

/** Returns the processes that one has started, and those that these have. Linux only. */
export function listDescendants(pid: number): readonly SeenProcess[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = readParent(Number(name));
    if (parent === undefined) continue;
    const siblings = children.get(parent) ?? [];
    siblings.push(Number(name));
    children.set(parent, siblings);
  }
  const found: number[] = [];
  const open = [pid];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const own = children.get(one) ?? [];
    found.push(...own);
    open.push(...own);
  }
  return found.map((one) => ({ pid: one, start: readStat(one).start }));
}

function readParent(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined; // it has ended
  }
}
