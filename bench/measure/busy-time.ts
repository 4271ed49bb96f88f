import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** The unit of processor times in /proc (USER_HZ), the same on all usual machines. */
export const MS_PER_TICK = 10;

/** Returns how long the machine's cores have been busy since it started, together, ms. */
export function readBusyMs(): number {
  const [, user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'latin1').split(/\s+/).map(Number);
  return (user! + nice! + system! + irq! + softirq! + steal!) * MS_PER_TICK;
}

/** Returns the number of cores. */
export function readCores(): number {
  return availableParallelism();
}
