import { CronExpressionParser } from 'cron-parser';
import { createDaySearch, DAY_MS } from './create-day-search.ts';
import type { Crontab } from './crontab.ts';

/**
 * Finds what a clock on the wall shows when something runs. Times are milliseconds as if the clock showed UTC, so that
 * every day has 24 hours; what a zone makes of them is not known here.
 */
export interface ClockSearch {
  /** Returns the first time after `time`, if there is one up to about `limit`. */
  readonly next: (time: number, limit: number) => number | undefined;
  /** Returns the last time before `time`, if there is one down to about `limit`. */
  readonly prev: (time: number, limit: number) => number | undefined;
}

/**
 * Creates the search for a crontab. cron-parser finds the times of a day; days are searched here, since it knows the rule
 * for two fields of days only in part and walks through rare days one by one.
 */
export function createClockSearch(crontab: Crontab): ClockSearch {
  const days = createDaySearch(crontab);
  const times = CronExpressionParser.parse(`${crontab.minutes.join()} ${crontab.hours.join()} * * *`, { tz: 'UTC' });
  const dayOf = (time: number): number => Math.floor(time / DAY_MS);
  const nextAt = (time: number): number => {
    times.reset(new Date(time));
    return times.next().getTime();
  };
  const prevAt = (time: number): number => {
    times.reset(new Date(time));
    return times.prev().getTime();
  };
  return {
    next(time, limit) {
      // Some time is left today, or it is tomorrow's first one.
      const found = days.isMatch(dayOf(time)) ? nextAt(time) : undefined;
      if (found !== undefined && days.isMatch(dayOf(found))) return found;
      const day = days.findFrom(dayOf(found ?? time) + 1, dayOf(limit));
      return day === undefined ? undefined : nextAt(day * DAY_MS - 1);
    },
    prev(time, limit) {
      const found = days.isMatch(dayOf(time)) ? prevAt(time) : undefined;
      if (found !== undefined && days.isMatch(dayOf(found))) return found;
      const day = days.findUpTo(dayOf(found ?? time) - 1, dayOf(limit));
      return day === undefined ? undefined : prevAt((day + 1) * DAY_MS);
    },
  };
}
