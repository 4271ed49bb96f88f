import { CronExpressionParser } from 'cron-parser';
import { memoize } from '../../lib/bounded-map.ts';
import type { Crontab } from './crontab.ts';
import { type Change, findChange, findInstants, WIDEST_OFFSET_MS, type Zone } from './zone.ts';

/**
 * Returns the instants (milliseconds) at which something runs, strictly after `from`, or strictly before it with the latest
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

/** Milliseconds of a day without clock changes. */
const DAY_MS = 86_400_000;
/** Range of a search. The rarest days, 29 February on a given weekday, are at most 40 years apart. */
export const SEARCH_YEARS = 60;
const SEARCH_MS = SEARCH_YEARS * 365.25 * DAY_MS;

/** A crontab with the time zone of its clock. */
interface Schedule {
  readonly clocks: ClockSearch;
  readonly zone: Zone;
  /** See `Crontab`. */
  readonly isFixed: boolean;
}

/**
 * Returns the first run after an instant, within 60 years. Times that clocks skip do not occur. Where clocks are set back,
 * fixed times run once and all others in both passes, as in cronie.
 */
function findNextRun({ clocks, zone, isFixed }: Schedule, now: number): number | undefined {
  const shown = now + zone.offsetAt(now);
  const limit = shown + SEARCH_MS;
  const repeat = findRepeat(zone, now);
  const isSecondPass = repeat !== undefined && now >= repeat.instant;
  let after = isSecondPass && isFixed ? repeat.clockBefore - 1 : shown;
  for (;;) {
    const clock = clocks.next(after, limit);
    if (clock === undefined) return undefined;
    if (repeat && !isSecondPass && !isFixed && clock >= repeat.clockBefore) {
      const again = clocks.next(repeat.clockAfter - 1, limit);
      if (again !== undefined && again <= shown) return repeat.instant + again - repeat.clockAfter;
    }
    const instant = findInstants(zone, clock).find((candidate) => candidate > now);
    if (instant !== undefined) return instant;
    after = findSkip(zone, clock).clockAfter - 1;
    if (after > limit) return undefined;
  }
}

/** Returns the last run before an instant, within 60 years, by the same rules. */
function findPrevRun({ clocks, zone, isFixed }: Schedule, now: number): number | undefined {
  const shown = now + zone.offsetAt(now);
  const limit = shown - SEARCH_MS;
  const repeat = findRepeat(zone, now);
  const isSecondPass = repeat !== undefined && now >= repeat.instant;
  let before = isSecondPass && isFixed ? repeat.clockBefore : shown;
  for (;;) {
    const clock = clocks.prev(before, limit);
    if (clock === undefined) return undefined;
    if (isSecondPass && !isFixed && clock < repeat.clockAfter) {
      const first = clocks.prev(repeat.clockBefore, limit);
      if (first !== undefined && first >= shown) return repeat.instant + first - repeat.clockBefore;
    }
    const instants = findInstants(zone, clock).filter((candidate) => candidate < now);
    const instant = isFixed ? instants[0] : instants.at(-1);
    if (instant !== undefined) return instant;
    before = findSkip(zone, clock).clockBefore;
    if (before < limit) return undefined;
  }
}

/** Returns the change due to which clocks show the time of an instant twice. */
function findRepeat(zone: Zone, now: number): Change | undefined {
  const [first, second] = findInstants(zone, now + zone.offsetAt(now));
  return first === undefined || second === undefined ? undefined : findChange(zone, first, second);
}

/** Returns the change by which clocks skip a time. */
function findSkip(zone: Zone, clock: number): Change {
  return findChange(zone, clock - WIDEST_OFFSET_MS, clock + WIDEST_OFFSET_MS);
}

/**
 * Finds what a wall clock shows when something runs. Times are milliseconds as if the clock showed UTC, so that every day has
 * 24 hours, whatever the time zone.
 */
interface ClockSearch {
  /** Returns the first time after `time` up to about `limit`. */
  readonly next: (time: number, limit: number) => number | undefined;
  /** Returns the last time before `time` down to about `limit`. */
  readonly prev: (time: number, limit: number) => number | undefined;
}

/**
 * Creates the search for a crontab. cron-parser finds the times of a day, and the first and the last one of all days only once; days
 * are found by arithmetic, because it knows the rule for two fields of days only in part and walks through rare days one by one.
 */
function createClockSearch(crontab: Crontab): ClockSearch {
  const days = createDaySearch(crontab);
  const times = parseTimes(`${crontab.minutes.join()} ${crontab.hours.join()} * * *`);
  const dayOf = (time: number): number => Math.floor(time / DAY_MS);
  return {
    next(time, limit) {
      const today = dayOf(time);
      // A time later today, or the first one of a later day.
      const later = days.isMatch(today) && time < today * DAY_MS + times.last ? times.next(time) : undefined;
      if (later !== undefined) return later;
      const day = days.findFrom(today + 1, dayOf(limit));
      return day === undefined ? undefined : day * DAY_MS + times.first;
    },
    prev(time, limit) {
      const today = dayOf(time);
      const earlier = days.isMatch(today) && time > today * DAY_MS + times.first ? times.prev(time) : undefined;
      if (earlier !== undefined) return earlier;
      const day = days.findUpTo(today - 1, dayOf(limit));
      return day === undefined ? undefined : day * DAY_MS + times.last;
    },
  };
}

/** Schedules whose times are remembered. */
const MAX_SCHEDULES = 200;

/** Finds times, on a clock that shows UTC, of a schedule that runs every day; remembers the schedules of the last calls. */
const parseTimes = memoize((text: string) => {
  const schedule = CronExpressionParser.parse(text, { tz: 'UTC' });
  const next = (time: number): number => {
    schedule.reset(new Date(time));
    return schedule.next().getTime();
  };
  const prev = (time: number): number => {
    schedule.reset(new Date(time));
    return schedule.prev().getTime();
  };
  // In milliseconds from midnight.
  return { next, prev, first: next(-1), last: prev(DAY_MS) };
}, MAX_SCHEDULES);

const ALL_DAYS = Array.from({ length: 31 }, (_, index) => index + 1);

/** Finds the days on which something runs. Days are counted from 1970-01-01. */
interface DaySearch {
  readonly isMatch: (day: number) => boolean;
  /** Returns the first matching day from `day` to `last`. */
  readonly findFrom: (day: number, last: number) => number | undefined;
  /** Returns the last matching day from `day` down to `first`. */
  readonly findUpTo: (day: number, first: number) => number | undefined;
}

/** Creates the search for days of a crontab by the calendar: sixty years without a match take microseconds. */
function createDaySearch(crontab: Crontab): DaySearch {
  const { needsBothDays } = crontab;
  const hasDate = listFlags(crontab.daysOfMonth, 31);
  const hasMonth = listFlags(crontab.months, 12);
  const hasWeekday = listFlags(crontab.daysOfWeek, 6);
  const ascending = needsBothDays ? crontab.daysOfMonth : ALL_DAYS;
  const descending = ascending.toReversed();
  /** Returns the first of some days of a month that matches from `low` to `high`; months are counted from year 0. */
  const findIn = (month: number, dates: readonly number[], low: number, high: number): number | undefined => {
    if (!hasMonth[(month % 12) + 1]) return undefined;
    const first = toDay(month);
    const end = Math.min(high, toDay(month + 1) - 1);
    for (const date of dates) {
      const day = first + date - 1;
      if (day < low || day > end) continue;
      const byWeek = hasWeekday[(((day + 4) % 7) + 7) % 7]!;
      if (needsBothDays ? byWeek && hasDate[date] : byWeek || hasDate[date]) return day;
    }
    return undefined;
  };
  return {
    isMatch: (day) => findIn(toMonth(day), ascending, day, day) !== undefined,
    findFrom(day, last) {
      const end = toMonth(last);
      for (let month = toMonth(day); month <= end; month++) {
        const found = findIn(month, ascending, day, last);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    findUpTo(day, first) {
      const end = toMonth(first);
      for (let month = toMonth(day); month >= end; month--) {
        const found = findIn(month, descending, first, day);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

/** Returns for each number up to `last` whether it is listed. */
function listFlags(numbers: readonly number[], last: number): readonly boolean[] {
  const flags = new Array<boolean>(last + 1).fill(false);
  for (const number of numbers) flags[number] = true;
  return flags;
}

function toMonth(day: number): number {
  const date = new Date(day * DAY_MS);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** Returns the first day of a month. */
function toDay(month: number): number {
  return Date.UTC(Math.floor(month / 12), month % 12, 1) / DAY_MS;
}
