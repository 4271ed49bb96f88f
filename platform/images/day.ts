/** A day as `YYYYMMDD`; days compare as texts. */
export type Day = string;

/** The first day that there are images of. */
export const FIRST_DAY: Day = '20250606';

/** Returns whether a text is a day of the calendar, written `YYYYMMDD`. */
export function isDay(text: string): boolean {
  return /^\d{8}$/.test(text) && addDays(text, 0) === text;
}

/** Returns the day so many days later. */
export function addDays(day: Day, count: number): Day {
  const date = new Date(0);
  // Years below 100 would count as 19xx in Date.UTC.
  date.setUTCFullYear(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6)) + count);
  return date.toISOString().split('T')[0]!.replaceAll('-', '');
}

/** Returns the day that it is in a time zone (`Asia/Shanghai`). */
export function dayIn(timeZone: string, time: Date): Day {
  return readClock(timeZone, time).day;
}

/**
 * Returns the milliseconds until the next day begins in a time zone, exactly where no clock is changed meanwhile, else up to
 * an hour too early or too late.
 */
export function msUntilNextDay(timeZone: string, time: Date): number {
  return 86_400_000 - readClock(timeZone, time).ms;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function readClock(timeZone: string, time: Date): { readonly day: Day; readonly ms: number } {
  let format = formats.get(timeZone);
  if (!format) {
    const digits = '2-digit';
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      calendar: 'gregory',
      numberingSystem: 'latn',
      year: 'numeric',
      month: digits,
      day: digits,
      hour: digits,
      minute: digits,
      second: digits,
    });
    formats.set(timeZone, format);
  }
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type as string, value]));
  const number = (name: string): number => Number(parts.get(name));
  const seconds = number('hour') * 3600 + number('minute') * 60 + number('second');
  return {
    day: `${parts.get('year')!.padStart(4, '0')}${parts.get('month')}${parts.get('day')}`,
    ms: seconds * 1000 + (((time.getTime() % 1000) + 1000) % 1000),
  };
}
