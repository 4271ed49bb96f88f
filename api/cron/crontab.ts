/** When something runs, as five fields of a Linux crontab say. Lists are ascending, without duplicates. */
export interface Crontab {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** 1 to 31. */
  readonly daysOfMonth: readonly number[];
  /** 1 to 12. */
  readonly months: readonly number[];
  /** 0 (Sunday) to 6. */
  readonly daysOfWeek: readonly number[];
  /** Whether a day must match both lists of days; otherwise one of them is enough. */
  readonly needsBothDays: boolean;
  /** Whether it runs at stated times of the day: such a time runs once where a clock that is put back repeats it. */
  readonly isFixed: boolean;
}

/** What may stand in one field. */
export interface CronField {
  /** Position, from 1. */
  readonly position: number;
  readonly title: string;
  readonly low: number;
  readonly high: number;
  /** Names in lower case; the first one stands for `low`. */
  readonly names: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** The five fields in the order in which they stand. */
export const CRON_FIELDS = {
  minute: { position: 1, title: 'minute', low: 0, high: 59, names: [] },
  hour: { position: 2, title: 'hour', low: 0, high: 23, names: [] },
  dayOfMonth: { position: 3, title: 'day of month', low: 1, high: 31, names: [] },
  month: { position: 4, title: 'month', low: 1, high: 12, names: MONTHS },
  dayOfWeek: { position: 5, title: 'day of week', low: 0, high: 7, names: DAYS },
} as const satisfies Record<string, CronField>;
