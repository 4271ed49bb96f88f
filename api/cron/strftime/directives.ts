import { type CalendarTime, findIsoWeek } from './calendar-time.ts';

/** What a directive prints. `refused` holds the modifiers with which it is unknown. */
export type Directive = { readonly refused: '' | 'E' | 'O' | 'EO' } & (
  | {
      readonly kind: 'number';
      readonly digits: number;
      /** What fills it up where no flag says so. */
      readonly fill: '0' | '_';
      readonly value: (time: CalendarTime) => number;
    }
  | {
      readonly kind: 'text';
      /** What the flag `#` and the directive itself make of it. */
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
export const DIRECTIVES: ReadonlyMap<string, Directive> = new Map<string, Directive>([
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
  // A text: unlike numbers, it is filled up with spaces.
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
