import { readdirSync, readFileSync } from 'node:fs';
import { MS_PER_TICK } from './busy-time.ts';

/** Most memory of a process and all its descendants, together. */
export interface MemoryPeak {
  readonly bytes: number;
  /** Most processes seen at one time. */
  readonly processes: number;
  /** Processor time of the first process and its ended children, up to the last sample, ms. */
  readonly cpuMs: number;
}

const INTERVAL_MS = 20;
/** Looking for new children costs a read per thread, so it happens only at every third sample. */
const SAMPLES_PER_SEARCH = 3;

/**
 * Watches a process and its descendants in /proc and returns a function that stops and tells the peak: the largest sum
 * of resident sizes (VmRSS) seen at one time, and never less than the kernel's own high-water mark of one process.
 */
export function sampleMemory(pid: number): () => MemoryPeak {
  let peak = 0;
  let processes = 1;
  let pids: readonly number[] = [pid];
  let samples = 0;
  let cpuMs = 0;
  const sample = (): void => {
    if (samples++ % SAMPLES_PER_SEARCH === 0) pids = findTree(pid);
    cpuMs = Math.max(cpuMs, readCpuMs(pid));
    let sum = 0;
    for (const one of pids) {
      const size = readSize(one);
      sum += size.now;
      peak = Math.max(peak, size.high);
    }
    peak = Math.max(peak, sum);
    processes = Math.max(processes, pids.length);
  };
  sample();
  const timer = setInterval(sample, INTERVAL_MS);
  return () => {
    clearInterval(timer);
    return { bytes: peak, processes, cpuMs };
  };
}

/** Returns the process and its descendants, as far as they still run. */
function findTree(pid: number): readonly number[] {
  const found = [pid];
  for (const one of found) {
    try {
      for (const thread of readdirSync(`/proc/${one}/task`)) {
        const children = readFileSync(`/proc/${one}/task/${thread}/children`, 'latin1');
        for (const child of children.split(' ')) if (child !== '') found.push(Number(child));
      }
    } catch {} // it ended meanwhile
  }
  return found;
}

/** Returns the processor time of a process and of its children that have ended, ms; 0 when it has ended itself. */
function readCpuMs(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * MS_PER_TICK, 0);
  } catch {
    return 0;
  }
}

/** Returns the processor time that a process and its descendants that still run have used so far, ms. */
export function readTreeCpuMs(pid: number): number {
  return findTree(pid).reduce((sum, one) => sum + readCpuMs(one), 0);
}

/** Returns the resident sizes of a process and its descendants, bytes. */
export function readTreeMemory(pid: number): number {
  return findTree(pid).reduce((sum, one) => sum + readSize(one).now, 0);
}

/** Returns the resident size of a process now and at its highest, bytes; 0 when it has ended. */
function readSize(pid: number): { readonly now: number; readonly high: number } {
  let status = '';
  try {
    status = readFileSync(`/proc/${pid}/status`, 'latin1');
  } catch {} // it ended meanwhile
  const find = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024;
  return { now: find('VmRSS'), high: find('VmHWM') };
}
