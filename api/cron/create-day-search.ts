import type { Crontab } from './crontab.ts';

/** Milliseconds of a day without changes of the clock. */
export const DAY_MS = 86_400_000;
const ALL_DAYS = Array.from({ length: 31 }, (_, index) => index + 1);

/** Finds days on which something runs. Days are counted from 1970-01-01. */
export interface DaySearch {
  readonly isMatch: (day: number) => boolean;
  /** Returns the first matching day from `day` on that is not above `last`. */
  readonly findFrom: (day: number, last: number) => number | undefined;
  /** Returns the last matching day up to `day` that is not below `first`. */
  readonly findUpTo: (day: number, first: number) => number | undefined;
}

/** Creates the search for days of a crontab, by the calendar alone: sixty years without a match cost microseconds. */
export function createDaySearch(crontab: Crontab): DaySearch {
  const { needsBothDays } = crontab;
  const daysOfMonth = new Set(crontab.daysOfMonth);
  const months = new Set(crontab.months);
  const daysOfWeek = new Set(crontab.daysOfWeek);
  const candidates = needsBothDays ? crontab.daysOfMonth : ALL_DAYS;
  const isDayMatch = (dayOfMonth: number, day: number): boolean => {
    const byWeek = daysOfWeek.has((((day + 4) % 7) + 7) % 7);
    return needsBothDays ? byWeek && daysOfMonth.has(dayOfMonth) : byWeek || daysOfMonth.has(dayOfMonth);
  };
  /** Lists a month's matching days; months are counted from year 0. */
  const listDays = (month: number): readonly number[] => {
    if (!months.has((month % 12) + 1)) return [];
    const first = toDay(month);
    const length = toDay(month + 1) - first;
    return candidates
      .filter((date) => date <= length && isDayMatch(date, first + date - 1))
      .map((date) => first + date - 1);
  };
  return {
    isMatch: (day) => listDays(toMonth(day)).includes(day),
    findFrom(day, last) {
      const end = toMonth(last);
      for (let month = toMonth(day); month <= end; month++) {
        const found = listDays(month).find((candidate) => candidate >= day);
        if (found !== undefined) return found <= last ? found : undefined;
      }
      return undefined;
    },
    findUpTo(day, first) {
      const end = toMonth(first);
      for (let month = toMonth(day); month >= end; month--) {
        const found = listDays(month).findLast((candidate) => candidate <= day);
        if (found !== undefined) return found >= first ? found : undefined;
      }
      return undefined;
    },
  };
}

function toMonth(day: number): number {
  const date = new Date(day * DAY_MS);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** Returns the first day of a month. */
function toDay(month: number): number {
  return Date.UTC(Math.floor(month / 12), month % 12, 1) / DAY_MS;
}
