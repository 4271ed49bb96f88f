import type { Zone } from '../zone/zone.ts';

/** A time as calendars and clocks of a zone show it. */
export interface CalendarTime {
  readonly year: number;
  /** 0 to 11. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** 0 (Sunday) to 6. */
  readonly weekday: number;
  /** 0 to 365. */
  readonly dayOfYear: number;
  /** Seconds since 1970. */
  readonly epoch: number;
  /** Minutes ahead of UTC, cut to whole ones. */
  readonly offsetMinutes: number;
  readonly isWest: boolean;
  /** `CET`, `+1030`. */
  readonly zoneName: string;
}

/** Returns what a zone's clocks show at an instant in milliseconds. */
export function toCalendarTime(instant: number, zone: Zone): CalendarTime {
  const offset = zone.offsetAt(instant);
  const shown = new Date(instant + offset);
  const year = shown.getUTCFullYear();
  return {
    year,
    month: shown.getUTCMonth(),
    day: shown.getUTCDate(),
    hour: shown.getUTCHours(),
    minute: shown.getUTCMinutes(),
    second: shown.getUTCSeconds(),
    weekday: shown.getUTCDay(),
    dayOfYear: Math.floor((shown.getTime() - Date.UTC(year, 0, 1)) / 86_400_000),
    epoch: Math.floor(instant / 1000),
    offsetMinutes: Math.floor(Math.abs(offset) / 60_000),
    isWest: offset < 0,
    zoneName: zone.nameAt(instant),
  };
}

/** Returns year and number of the ISO 8601 week: weeks begin on Monday and belong to the year of their Thursday. */
export function findIsoWeek({ year, dayOfYear, weekday }: CalendarTime): {
  readonly year: number;
  readonly week: number;
} {
  const thursday = dayOfYear - ((weekday + 6) % 7) + 3;
  if (thursday < 0) return { year: year - 1, week: Math.floor((thursday + daysIn(year - 1)) / 7) + 1 };
  if (thursday >= daysIn(year)) return { year: year + 1, week: 1 };
  return { year, week: Math.floor(thursday / 7) + 1 };
}

function daysIn(year: number): number {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 366 : 365;
}
