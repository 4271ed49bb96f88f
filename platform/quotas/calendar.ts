import { once } from '../../lib/once.ts';

/** A day of a calendar. */
export interface CalendarDay {
  /** `2026-05-04`. */
  readonly name: string;
  /** When the next one begins; ms since 1970. */
  readonly endMs: number;
}

/** Returns the day of a moment. */
export type Calendar = (nowMs: number) => CalendarDay;

/** No day of any time zone is longer. */
const LONGEST_DAY_MS = 50 * 3_600_000;

/**
 * Creates the calendar of a time zone. A day starts when the date changes there, which need not be after 24 hours, nor at
 * 00:00 where clocks skip midnight.
 */
export function createCalendar(timezone: string): Calendar {
  // Takes 10 ms, which commands that ask for no day need not spend.
  const loadFormat = once(
    () =>
      new Intl.DateTimeFormat('en-CA', {
        timeZone: timezone,
        calendar: 'iso8601',
        numberingSystem: 'latn',
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
      }),
  );
  const nameOf = (ms: number): string => loadFormat().format(ms);
  let known: CalendarDay | undefined;
  let knownFromMs = 0;
  return (nowMs) => {
    if (known && knownFromMs <= nowMs && nowMs < known.endMs) return known;
    const name = nameOf(nowMs);
    let inside = nowMs;
    let outside = nowMs + LONGEST_DAY_MS;
    while (outside - inside > 1) {
      const middle = Math.floor((inside + outside) / 2);
      if (nameOf(middle) === name) inside = middle;
      else outside = middle;
    }
    known = { name, endMs: outside };
    knownFromMs = nowMs;
    return known;
  };
}
