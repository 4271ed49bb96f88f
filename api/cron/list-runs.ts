import { createClockSearch } from './create-clock-search.ts';
import type { Crontab } from './crontab.ts';
import { findNextRun, findPrevRun } from './find-run.ts';
import type { Zone } from './zone/zone.ts';

/**
 * Returns instants (milliseconds) at which something runs, strictly after `from`, or strictly before it with the last one
 * first. There are fewer than `times` only where 60 years pass without a run.
 */
export function listRuns(
  crontab: Crontab,
  options: {
    readonly zone: Zone;
    readonly from: number;
    readonly times: number;
    readonly isBackward: boolean;
  },
): readonly number[] {
  const find = options.isBackward ? findPrevRun : findNextRun;
  const schedule = { clocks: createClockSearch(crontab), zone: options.zone, isFixed: crontab.isFixed };
  const runs: number[] = [];
  let instant = options.from;
  while (runs.length < options.times) {
    const run = find(schedule, instant);
    if (run === undefined) break;
    runs.push(run);
    instant = run;
  }
  return runs;
}
