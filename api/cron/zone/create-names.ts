import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatOffset } from './format-offset.ts';
import { parseZoneFile, type ZoneFile } from './parse-zone-file.ts';

/** English-speaking places, whose abbreviations Node knows; each for its own part of the world. */
const LOCALES = ['en-US', 'en-GB', 'en-AU', 'en-NZ', 'en-IN', 'en-ZA'];
/** Abbreviations that have long been constant, for systems without a database of time zones. */
const CONSTANT_NAMES: ReadonlyMap<string, string> = new Map([
  ...['Shanghai', 'Chongqing', 'Harbin', 'Taipei', 'Macau'].map((city) => [`Asia/${city}`, 'CST'] as const),
  ...[['Asia/Hong_Kong', 'HKT'] as const, ['Asia/Tokyo', 'JST'] as const, ['Asia/Seoul', 'KST'] as const],
  ...[['Asia/Manila', 'PST'] as const, ['Asia/Jakarta', 'WIB'] as const, ['Asia/Karachi', 'PKT'] as const],
  ...[['Europe/Moscow', 'MSK'] as const, ['Africa/Lagos', 'WAT'] as const, ['Africa/Nairobi', 'EAT'] as const],
]);

/** Returns a function from instant and offset (milliseconds) to a zone's abbreviation, as the C library would print it. */
export function createNames(timeZone: string, folder: string): (instant: number, offset: number) => string {
  const canonical = new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  const file = readZone(folder, timeZone) ?? readZone(folder, canonical);
  const formats = file ? [] : LOCALES.map((locale) => createFormat(locale, timeZone));
  const guess = (instant: number, offset: number): string => {
    for (const format of formats) {
      const name = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? '';
      if (/^[A-Z]{3,5}$/.test(name)) return name;
    }
    return CONSTANT_NAMES.get(canonical) ?? formatOffset(offset);
  };
  return (instant, offset) => file?.findName(instant, offset) ?? guess(instant, offset);
}

function createFormat(locale: string, timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' });
}

function readZone(folder: string, name: string): ZoneFile | undefined {
  if (!/^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/.test(name)) return undefined;
  try {
    return parseZoneFile(readFileSync(join(folder, name)));
  } catch {
    // No such zone, or in a form that is not known: names are then guessed.
    return undefined;
  }
}
