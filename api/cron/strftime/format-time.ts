import type { CalendarTime } from './calendar-time.ts';
import { DIRECTIVES, type Directive } from './directives.ts';

/** Longest text of one time in characters. */
const MAX_LENGTH = 4_096;

/** `%`, flags, width, modifier and the letter; any of them may be missing at the end. */
const PATTERN = /%([_\-0^#]*)(\d*)([EO]?)(.?)/sy;

/** How one directive is to be printed. */
interface Manner {
  /** The last of the flags about filling. */
  readonly fill: string | undefined;
  /** -1 = not given. */
  readonly width: number;
  readonly isUpper: boolean;
  readonly isSwapped: boolean;
}

/**
 * Prints a time as strftime of glibc does in the C locale: all its directives, flags (`-`, `_`, `0`, `^`, `#`), widths and
 * modifiers (`E`, `O`); what it does not know is printed as it stands. Throws RangeError for a text above 4,096 characters.
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
    if (manner.width > MAX_LENGTH) throw new RangeError(`width ${width} is above ${MAX_LENGTH}`);
    const directive = DIRECTIVES.get(letter!);
    const isKnown = directive && (modifier === '' || !directive.refused.includes(modifier!));
    result +=
      format.slice(at, next) + (isKnown ? print(directive, manner, time) : printUnknown(whole, letter!, manner));
    if (result.length > MAX_LENGTH) throw new RangeError(`the text is longer than ${MAX_LENGTH} characters`);
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
      if (change === 'lower') return fillUp(value.toLowerCase(), manner);
      return printText(value, change === 'upper' ? { ...manner, isUpper: true } : manner);
    }
    case 'format':
      return printText(formatTime(directive.format, time), manner);
    case 'offset': {
      const { offsetMinutes, isWest } = time;
      const value = Math.floor(offsetMinutes / 60) * 100 + (offsetMinutes % 60);
      return fillUp(isWest ? '-' : '+', manner) + printNumber(value, 4, manner);
    }
  }
}

/** Prints a directive that does not exist as it stands; two oddities of the C library are in here. */
function printUnknown(whole: string, letter: string, manner: Manner): string {
  // It looks back for the "%", and finds the letter itself in "%E%".
  if (letter === '%') return printText('%', manner);
  // Of the short month it has obeyed "#" before it refuses "E".
  const isUpper = manner.isUpper || (manner.isSwapped && (letter === 'b' || letter === 'h'));
  return printText(whole, { ...manner, isUpper });
}

function printNumber(value: number, digits: number, manner: Manner): string {
  const size = Math.max(digits, manner.width);
  const number = String(Math.abs(value));
  const sign = value < 0 ? '-' : '';
  if (manner.fill === '-') return fillUp(sign + number, manner);
  if (manner.fill === '_') return (sign + number).padStart(size);
  return sign + number.padStart(size - sign.length, '0');
}

function printText(text: string, manner: Manner): string {
  return fillUp(manner.isUpper ? text.replace(/[a-z]+/g, (part) => part.toUpperCase()) : text, manner);
}

function fillUp(text: string, { fill, width }: Manner): string {
  return text.padStart(width, fill === '0' ? '0' : ' ');
}
