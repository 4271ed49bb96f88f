import { cpuTimeMs, measureSlowness } from './cpu-time.ts';

/** What takes less is not worth asking how slow the machine is. */
const SHORT_MS = 20;

/**
 * Returns the least CPU time in ms that a task takes in three runs, as an idle machine of the kind that the budgets are for
 * would: what it needs itself, whatever else the machine does.
 */
export function fastestMs(task: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 3; run++) {
    const start = cpuTimeMs();
    task();
    least = Math.min(least, cpuTimeMs() - start);
  }
  return least < SHORT_MS ? least : least / measureSlowness();
}
