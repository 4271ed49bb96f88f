import { quoteName } from '../../lib/quote-name.ts';
import { cronError } from './cron-error.ts';
import { CRON_FIELDS, type Crontab } from './crontab.ts';
import { parseCronField } from './parse-cron-field.ts';

/** Longest expression in characters, as for a line of a crontab. */
const MAX_LENGTH = 1_000;
/** Most days that a month has, January first. */
const LONGEST_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const WORDS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

/**
 * Reads the times of a line of a Linux crontab (cronie): five fields, or one of its words. Throws ApiError 400 that names
 * the field and the value for what it would not take, and for days that no month has.
 */
export function parseCrontab(expression: string): Crontab {
  if (expression.length > MAX_LENGTH) {
    throw cronError('expression', `has ${expression.length} characters, the most is ${MAX_LENGTH}`);
  }
  const text = expression.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
  if (text === '') throw cronError('expression', 'is missing; five fields are needed, such as "30 4 * * mon-fri"');
  const [minute, hour, dayOfMonth, month, dayOfWeek] = splitFields(expandWord(text));
  const crontab: Crontab = {
    minutes: parseCronField(minute, CRON_FIELDS.minute),
    hours: parseCronField(hour, CRON_FIELDS.hour),
    daysOfMonth: parseCronField(dayOfMonth, CRON_FIELDS.dayOfMonth),
    months: parseCronField(month, CRON_FIELDS.month),
    daysOfWeek: mergeSundays(parseCronField(dayOfWeek, CRON_FIELDS.dayOfWeek)),
    needsBothDays: dayOfMonth.startsWith('*') || dayOfWeek.startsWith('*'),
    isFixed: !minute.startsWith('*') && !hour.startsWith('*'),
  };
  const longest = Math.max(...crontab.months.map((number) => LONGEST_MONTHS[number - 1]!));
  if (crontab.needsBothDays && crontab.daysOfMonth[0]! > longest) {
    throw cronError(
      'expression',
      `${quoteName(text)} never runs: no month of ${quoteName(month)} (field 4) has day ${quoteName(dayOfMonth)} (field 3)`,
    );
  }
  return crontab;
}

function expandWord(text: string): string {
  if (!text.startsWith('@')) return text;
  const word = text.toLowerCase();
  if (word === '@reboot') throw cronError('expression', '"@reboot" runs when the machine starts, not at times');
  const fields = WORDS.get(word);
  if (fields === undefined) {
    throw cronError('expression', `${quoteName(text)} is none of ${[...WORDS.keys()].join(', ')}`);
  }
  return fields;
}

type Fields = readonly [minute: string, hour: string, dayOfMonth: string, month: string, dayOfWeek: string];

function splitFields(text: string): Fields {
  const fields = text.split(/[ \t]+/);
  if (fields.length !== 5) {
    const titles = Object.values(CRON_FIELDS).map(({ title }) => title);
    const count = fields.length === 1 ? '1 field' : `${fields.length} fields`;
    throw cronError('expression', `${quoteName(text)} has ${count} instead of 5: ${titles.join(', ')}`);
  }
  return fields as unknown as Fields;
}

function mergeSundays(days: readonly number[]): readonly number[] {
  return [...new Set(days.map((day) => day % 7))].sort((a, b) => a - b);
}
