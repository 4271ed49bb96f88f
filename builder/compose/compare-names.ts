import { once } from '../../lib/once.ts';

/** The printable ASCII characters that are neither digits nor letters, in the order of the Unicode collation. */
const SIGNS = ' _-,;:!?.\'"()[]{}@*/\\&#%`^+<=>|~$';
/** A longer name could hold more digits than ICU reads as one number. */
const MAX_LENGTH = 250;
const ZERO = 48;
const NINE = 57;

const collator = once(() => new Intl.Collator('en', { numeric: true, sensitivity: 'base' }));
const ranks = rankCharacters();

/**
 * Compares two names as English readers sort them: signs before digits before letters, numbers by value, upper and lower case
 * alike. `Intl.Collator` says the same, but the first one that a process creates takes some 10 ms, so ASCII names do without it.
 */
export function compareNames(a: string, b: string): number {
  return comparePlain(a, b) ?? collator().compare(a, b);
}

/** Returns undefined if a name needs a collator. */
function comparePlain(a: string, b: string): number | undefined {
  if (!isPlain(a) || !isPlain(b)) return undefined;
  let [atA, atB] = [0, 0];
  while (atA < a.length && atB < b.length) {
    const [codeA, codeB] = [a.charCodeAt(atA), b.charCodeAt(atB)];
    if (isDigit(codeA) && isDigit(codeB)) {
      const [numberA, numberB] = [readDigits(a, atA), readDigits(b, atB)];
      const order = compareDigits(numberA, numberB);
      if (order !== 0) return order;
      atA += numberA.length;
      atB += numberB.length;
    } else {
      const order = ranks[codeA]! - ranks[codeB]!;
      if (order !== 0) return Math.sign(order);
      atA++;
      atB++;
    }
  }
  return Math.sign(a.length - atA - (b.length - atB));
}

function isPlain(name: string): boolean {
  return name.length <= MAX_LENGTH && /^[ -~]*$/.test(name);
}

function rankCharacters(): Uint8Array {
  const table = new Uint8Array(128);
  for (const [place, sign] of [...SIGNS, ...'0123456789abcdefghijklmnopqrstuvwxyz'].entries()) {
    table[sign.charCodeAt(0)] = place;
    table[sign.toUpperCase().charCodeAt(0)] = place;
  }
  return table;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

function readDigits(name: string, start: number): string {
  let end = start;
  while (end < name.length && isDigit(name.charCodeAt(end))) end++;
  return name.slice(start, end);
}

function compareDigits(a: string, b: string): number {
  const [plainA, plainB] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  if (plainA.length !== plainB.length) return Math.sign(plainA.length - plainB.length);
  return plainA === plainB ? 0 : plainA < plainB ? -1 : 1;
}
