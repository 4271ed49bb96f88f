import { type Phrase, phrase } from '../../lib/phrase.ts';
import { quoteName } from '../../lib/quote-name.ts';
import { trimCharacters } from '../../lib/trim-characters.ts';
import { ServiceError } from '../failures/service-error.ts';

/** When something runs, according to the five fields of a Linux crontab. Lists are ascending, without duplicates. */
export interface Crontab {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** 1 to 31. */
  readonly daysOfMonth: readonly number[];
  /** 1 to 12. */
  readonly months: readonly number[];
  /** 0 (Sunday) to 6. */
  readonly daysOfWeek: readonly number[];
  /** Whether a day must match both lists of days rather than one of them. */
  readonly needsBothDays: boolean;
  /** Whether it runs at fixed times of the day; such a time runs once where clocks show it twice. */
  readonly isFixed: boolean;
}

/** The values of one field. */
interface CronField {
  /** Position, from 1. */
  readonly position: number;
  readonly title: Phrase;
  readonly low: number;
  readonly high: number;
  /** Names in lower case; the first one means `low`. */
  readonly names: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** The five fields in their order. */
const CRON_FIELDS = {
  minute: { position: 1, title: phrase`minute`, low: 0, high: 59, names: [] },
  hour: { position: 2, title: phrase`hour`, low: 0, high: 23, names: [] },
  dayOfMonth: { position: 3, title: phrase`day of month`, low: 1, high: 31, names: [] },
  month: { position: 4, title: phrase`month`, low: 1, high: 12, names: MONTHS },
  dayOfWeek: { position: 5, title: phrase`day of week`, low: 0, high: 7, names: DAYS },
} as const satisfies Record<string, CronField>;

/** Longest expression in characters, like a line of a crontab. */
const MAX_LENGTH = 1_000;
/** The most days of each month, January first. */
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
 * Parses the schedule of a line of a Linux crontab (cronie): five fields, or one of its words. Throws ServiceError 400 that names
 * the field and the value for what cronie rejects, and for days that no month has.
 */
export function parseCrontab(expression: string): Crontab {
  if (expression.length > MAX_LENGTH) {
    throw cronError('expression', phrase`has ${expression.length} characters, the maximum is ${MAX_LENGTH}`);
  }
  checkSpaces(expression);
  const text = trimCharacters(expression, ' \t\r\n', { both: true });
  if (text === '')
    throw cronError('expression', phrase`is missing; five fields are needed, such as "30 4 * * mon-fri"`);
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
      phrase`${quoteName(text)} never runs: no month of ${quoteName(month)} (field 4) has day ${quoteName(dayOfMonth)} (field 3)`,
    );
  }
  return crontab;
}

/** White space that crontab does not know as such, but that looks like it, and its names. */
const OTHER_SPACE = /(?![ \t\r\n])[\s\u180e\u200b-\u200d\u2060]/u;
const SPACE_NAMES: ReadonlyMap<string, Phrase> = new Map([
  ['\u00a0', phrase`a no-break space`],
  ['\u202f', phrase`a narrow no-break space`],
  ['\u3000', phrase`an ideographic space`],
  ['\u200b', phrase`a zero width space`],
  ['\ufeff', phrase`a byte order mark`],
]);

function checkSpaces(expression: string): void {
  const found = OTHER_SPACE.exec(expression)?.[0];
  if (found === undefined) return;
  const code = `U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
  const name = SPACE_NAMES.get(found);
  const shown = name === undefined ? phrase`the character ${code}` : phrase`${name} (${code})`;
  throw cronError('expression', phrase`contains ${shown}; write a space between fields`);
}

function expandWord(text: string): string {
  if (!text.startsWith('@')) return text;
  const word = text.toLowerCase();
  if (word === '@reboot')
    throw cronError('expression', phrase`"@reboot" runs when the machine starts, not at certain times`);
  const fields = WORDS.get(word);
  if (fields === undefined) {
    throw cronError('expression', phrase`${quoteName(text)} is not one of ${[...WORDS.keys()].join(', ')}`);
  }
  return fields;
}

type Fields = readonly [minute: string, hour: string, dayOfMonth: string, month: string, dayOfWeek: string];

function splitFields(text: string): Fields {
  const fields = text.split(/[ \t]+/);
  if (fields.length !== 5) {
    const count = phrase`${fields.length} {0|field|fields}`;
    const names = phrase`minute, hour, day of month, month, day of week`;
    throw cronError('expression', phrase`${quoteName(text)} has ${count} instead of 5: ${names}`);
  }
  return fields as unknown as Fields;
}

function mergeSundays(days: readonly number[]): readonly number[] {
  return [...new Set(days.map((day) => day % 7))].sort((a, b) => a - b);
}

/** `*`, a value or a range, and a step. */
const ITEM = /^(?:(\*)|(\w+)(?:-(\w+))?)(?:\/(\w+))?$/;

/** Parses one field: a list of values, ranges and `*`, the latter two with steps. Sunday remains 0 or 7 as it is written. */
function parseCronField(text: string, field: CronField): readonly number[] {
  const values = new Set<number>();
  for (const item of text.split(',')) {
    const { first, last, step } = parseItem(item, text, field);
    for (let value = first; value <= last; value += step) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}

interface Span {
  readonly first: number;
  readonly last: number;
  readonly step: number;
}

function parseItem(item: string, text: string, field: CronField): Span {
  if (item === '') throw fieldError(field, text, phrase`has an empty item in its list`);
  const match = ITEM.exec(item);
  if (!match) throw fieldError(field, item, phrase`is not a ${describeValues(field)}, range "a-b", "*" or step "*/n"`);
  const [, star, start, end, stepText] = match;
  const step = stepText === undefined ? 1 : parseStep(stepText, item, field);
  if (star !== undefined) return { first: field.low, last: field.high, step };
  const first = parseValue(start!, item, field);
  if (end === undefined) {
    if (stepText === undefined) return { first, last: first, step };
    throw fieldError(field, item, phrase`has a step without a range; write "${start}-${field.high}/${stepText}"`);
  }
  const named = parseValue(end, item, field);
  // A week may end on Sunday: fri-sun, 6-0.
  const last = named === 0 && first > 0 && field.high === 7 ? 7 : named;
  if (first > last) throw fieldError(field, item, phrase`is a range that ends before it begins`);
  return { first, last, step };
}

function parseValue(text: string, item: string, field: CronField): number {
  const index = field.names.indexOf(text.toLowerCase());
  if (index !== -1) return field.low + index;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= field.low && value <= field.high) return value;
  const values = describeValues(field);
  const isWhole = text === item;
  throw fieldError(
    field,
    item,
    isWhole ? phrase`is not a ${values}` : phrase`contains ${quoteName(text)}, which is not a ${values}`,
  );
}

function parseStep(text: string, item: string, field: CronField): number {
  const step = /^\d+$/.test(text) ? Number(text) : 0;
  if (step === 0) throw fieldError(field, item, phrase`has the step ${quoteName(text)}, which is not a number from 1`);
  return step;
}

function describeValues({ low, high, names }: CronField): Phrase {
  if (names.length === 0) return phrase`number from ${low} to ${high}`;
  return phrase`number from ${low} to ${high} or name from ${names[0]} to ${names.at(-1)}`;
}

function fieldError({ position, title }: CronField, value: string, message: Phrase): Error {
  return cronError('expression', phrase`field ${position} (${title}): ${quoteName(value)} ${message}`);
}

/** Returns the error for an invalid parameter. */
export function cronError(parameter: string, message: string | Phrase): ServiceError {
  return new ServiceError('bad-request', phrase`Parameter "${parameter}": ${message}`);
}
