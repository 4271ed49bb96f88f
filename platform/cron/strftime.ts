import { type Phrase, phrase } from '../../lib/phrase.ts';
import type { Zone } from './zone.ts';

/** Longest text of one time in characters. */
const MAX_LENGTH = 4_096;

/** `%`, flags, width, modifier and letter; any of them may be missing at the end. */
const PATTERN = /%([_\-0^#]*)((?:[1-9]\d*)?)([EO]?)(.?)/sy;

/** A format whose text would be too long. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
  readonly wording: Phrase;

  constructor(wording: Phrase) {
    super(String(wording));
    this.wording = wording;
  }
}

/** How a directive is printed. */
interface Manner {
  /** The last flag about padding. */
  readonly fill: string | undefined;
  /** -1 = not given. */
  readonly width: number;
  readonly isUpper: boolean;
  readonly isSwapped: boolean;
}

/**
 * Formats a time like glibc's strftime in the C locale: all directives, flags (`-`, `_`, `0`, `^`, `#`), widths and modifiers
 * (`E`, `O`); unknown directives are copied. Throws FormatError for a result above 4,096 characters.
 */
export function formatTime(format: string, time: CalendarTime): string {
  let result = '';
  let at = 0;
  while (at < format.length) {
    const next = format.indexOf('%', at);
    if (next === -1) return result + format.slice(at);
    PATTERN.lastIndex = next;
    const [whole, flags, width, modifier, letter] = PATTERN.exec(format) as unknown as [string, ...string[]];
    const manner = {
      fill: flags!.replace(/[\^#]/g, '').at(-1),
      width: width === '' ? -1 : Number(width),
      isUpper: flags!.includes('^'),
      isSwapped: flags!.includes('#'),
    };
    if (manner.width > MAX_LENGTH) throw new FormatError(phrase`width ${width} is above ${MAX_LENGTH}`);
    const directive = DIRECTIVES.get(letter!);
    const isKnown = directive && (modifier === '' || !directive.refused.includes(modifier!));
    result +=
      format.slice(at, next) + (isKnown ? print(directive, manner, time) : printUnknown(whole, letter!, manner));
    if (result.length > MAX_LENGTH) throw new FormatError(phrase`the text is longer than ${MAX_LENGTH} characters`);
    at = next + whole.length;
  }
  return result;
}

function print(directive: Directive, manner: Manner, time: CalendarTime): string {
  switch (directive.kind) {
    case 'number':
      return printNumber(directive.value(time), directive.digits, { ...manner, fill: manner.fill ?? directive.fill });
    case 'text': {
      const change = directive.isLower ? 'lower' : manner.isSwapped ? directive.swapped : undefined;
      const value = directive.value(time);
      if (change === 'lower') return pad(value.toLowerCase(), manner);
      return printText(value, change === 'upper' ? { ...manner, isUpper: true } : manner);
    }
    case 'format':
      return printText(formatTime(directive.format, time), manner);
    case 'offset': {
      const { offsetMinutes, isWest } = time;
      const value = Math.floor(offsetMinutes / 60) * 100 + (offsetMinutes % 60);
      return pad(isWest ? '-' : '+', manner) + printNumber(value, 4, manner);
    }
  }
}

/** Copies a directive that does not exist, with two oddities of the C library. */
function printUnknown(whole: string, letter: string, manner: Manner): string {
  // It searches backwards for "%" and finds the letter itself in "%E%".
  if (letter === '%') return printText('%', manner);
  // For the short month it has applied "#" before it rejects "E".
  const isUpper = manner.isUpper || (manner.isSwapped && (letter === 'b' || letter === 'h'));
  return printText(whole, { ...manner, isUpper });
}

function printNumber(value: number, digits: number, manner: Manner): string {
  const size = Math.max(digits, manner.width);
  const number = String(Math.abs(value));
  const sign = value < 0 ? '-' : '';
  if (manner.fill === '-') return pad(sign + number, manner);
  if (manner.fill === '_') return (sign + number).padStart(size);
  return sign + number.padStart(size - sign.length, '0');
}

function printText(text: string, manner: Manner): string {
  return pad(manner.isUpper ? text.replace(/[a-z]+/g, (part) => part.toUpperCase()) : text, manner);
}

function pad(text: string, { fill, width }: Manner): string {
  return text.padStart(width, fill === '0' ? '0' : ' ');
}

/** The text that a directive prints. `refused` contains the modifiers with which it does not exist. */
type Directive = { readonly refused: '' | 'E' | 'O' | 'EO' } & (
  | {
      readonly kind: 'number';
      readonly digits: number;
      /** The padding where no flag sets it. */
      readonly fill: '0' | '_';
      readonly value: (time: CalendarTime) => number;
    }
  | {
      readonly kind: 'text';
      /** The case that the flag `#` sets. */
      readonly swapped?: 'upper' | 'lower';
      readonly isLower?: boolean;
      readonly value: (time: CalendarTime) => string;
    }
  | { readonly kind: 'format'; readonly format: string }
  | { readonly kind: 'offset' }
);

type Numeric = (time: CalendarTime) => number;

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];

const two = (value: Numeric): Directive => ({ kind: 'number', digits: 2, fill: '0', refused: 'E', value });
const spaced = (value: Numeric): Directive => ({ kind: 'number', digits: 2, fill: '_', refused: 'E', value });
const one = (value: Numeric, refused: Directive['refused'] = ''): Directive => {
  return { kind: 'number', digits: 1, fill: '0', refused, value };
};
const format = (text: string, refused: Directive['refused'] = ''): Directive => {
  return { kind: 'format', format: text, refused };
};
const text = (value: string, refused: Directive['refused'] = ''): Directive => {
  return { kind: 'text', value: () => value, refused };
};

const hour12: Numeric = ({ hour }) => ((hour + 11) % 12) + 1;
const month: Directive = {
  kind: 'text',
  value: (time) => MONTHS[time.month]!.slice(0, 3),
  swapped: 'upper',
  refused: 'E',
};
const half: Directive = { kind: 'text', value: ({ hour }) => (hour < 12 ? 'AM' : 'PM'), swapped: 'lower', refused: '' };

/** The directives of glibc's strftime in the C locale. */
const DIRECTIVES: ReadonlyMap<string, Directive> = new Map<string, Directive>([
  ['%', text('%', 'EO')],
  ['n', text('\n')],
  ['t', text('\t')],
  ['a', { kind: 'text', value: ({ weekday }) => DAYS[weekday]!.slice(0, 3), swapped: 'upper', refused: 'EO' }],
  ['A', { kind: 'text', value: ({ weekday }) => DAYS[weekday]!, swapped: 'upper', refused: 'EO' }],
  ['b', month],
  ['h', month],
  ['B', { kind: 'text', value: (time) => MONTHS[time.month]!, swapped: 'upper', refused: 'E' }],
  ['p', half],
  ['P', { ...half, isLower: true }],
  ['Z', { kind: 'text', value: ({ zoneName }) => zoneName, swapped: 'lower', refused: '' }],
  ['z', { kind: 'offset', refused: '' }],
  ['c', format('%a %b %e %H:%M:%S %Y', 'O')],
  ['D', format('%m/%d/%y', 'EO')],
  ['F', format('%Y-%m-%d', 'EO')],
  ['r', format('%I:%M:%S %p')],
  ['R', format('%H:%M')],
  ['T', format('%H:%M:%S')],
  ['x', format('%m/%d/%y', 'O')],
  ['X', format('%H:%M:%S', 'O')],
  ['C', one(({ year }) => Math.floor(year / 100))],
  ['d', two(({ day }) => day)],
  ['e', spaced(({ day }) => day)],
  ['g', two((time) => findIsoWeek(time).year % 100)],
  ['G', one((time) => findIsoWeek(time).year, 'E')],
  ['H', two(({ hour }) => hour)],
  ['I', two(hour12)],
  ['j', { kind: 'number', digits: 3, fill: '0', refused: 'E', value: ({ dayOfYear }) => dayOfYear + 1 }],
  ['k', spaced(({ hour }) => hour)],
  ['l', spaced(hour12)],
  ['m', two((time) => time.month + 1)],
  ['M', two(({ minute }) => minute)],
  // A text: unlike numbers, it is padded with spaces.
  ['s', { kind: 'text', value: ({ epoch }) => String(epoch), refused: '' }],
  ['S', two(({ second }) => second)],
  ['u', one(({ weekday }) => ((weekday + 6) % 7) + 1)],
  ['U', two(({ dayOfYear, weekday }) => Math.floor((dayOfYear - weekday + 7) / 7))],
  ['V', two((time) => findIsoWeek(time).week)],
  ['w', one(({ weekday }) => weekday, 'E')],
  ['W', two(({ dayOfYear, weekday }) => Math.floor((dayOfYear - ((weekday + 6) % 7) + 7) / 7))],
  ['y', { kind: 'number', digits: 2, fill: '0', refused: '', value: ({ year }) => year % 100 }],
  ['Y', one(({ year }) => year, 'O')],
]);

/** A time as calendars and clocks of a time zone show it. */
interface CalendarTime {
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
  /** Distance from UTC in minutes, rounded down. */
  readonly offsetMinutes: number;
  readonly isWest: boolean;
  /** `CET`, `+1030`. */
  readonly zoneName: string;
}

/** Returns what the clocks of a time zone show at an instant in milliseconds. */
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

/** Returns the year and number of the ISO 8601 week: weeks start on Monday and belong to the year of their Thursday. */
function findIsoWeek({ year, dayOfYear, weekday }: CalendarTime): {
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
