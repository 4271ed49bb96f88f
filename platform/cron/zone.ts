import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { memoize } from '../../lib/bounded-map.ts';
import { parseZoneFile, type ZoneFile } from './zone-file.ts';

/** A time zone: what its clocks show, and its abbreviation. */
export interface Zone {
  /** Returns the offset from UTC at an instant; both in milliseconds, positive in the east. */
  readonly offsetAt: (instant: number) => number;
  /** Returns the abbreviation in use at an instant: `CET`, `+1030`. */
  readonly nameAt: (instant: number) => string;
}

/** Where Unix systems store time zones. */
const ZONE_FOLDER = '/usr/share/zoneinfo';
const DAY_MS = 86_400_000;
/** Days whose offset is remembered, of each zone. */
const MAX_DAYS = 2_000;

/**
 * Creates a time zone of the IANA database. Offsets are Node's, so that they are equal on all systems; abbreviations are those
 * of the system, from `folder`, where it has the zone.
 */
export function createZone(timeZone: string, folder = ZONE_FOLDER): Zone {
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const readOffset = (instant: number): number => {
    const second = Math.floor(instant / 1000) * 1000;
    // "3/15/2026, 10:30:00"
    const [month, day, year, hour, minute, seconds] = clock.format(second).match(/\d+/g)!.map(Number);
    return Date.UTC(year!, month! - 1, day, hour, minute, seconds) - second;
  };
  const atMidnight = memoize((day: number) => readOffset(day * DAY_MS), MAX_DAYS);
  // A look at Node's clock takes 4 µs, and every run needs several, mostly on days without a change.
  const offsetAt = (instant: number): number => {
    const day = Math.floor(instant / DAY_MS);
    const first = atMidnight(day);
    return first === atMidnight(day + 1) ? first : readOffset(instant);
  };
  const nameOf = createNames(timeZone, folder);
  return { offsetAt, nameAt: (instant) => nameOf(instant, offsetAt(instant)) };
}

/** An instant at which the clocks of a time zone are set forward or back. */
export interface Change {
  readonly instant: number;
  /** The clock at that instant if it had not been changed. */
  readonly clockBefore: number;
  readonly clockAfter: number;
}

/** Returns the change between two instants with different offsets; clocks are changed at whole seconds. */
export function findChange(zone: Zone, from: number, to: number): Change {
  const before = zone.offsetAt(from);
  let low = Math.floor(from / 1000);
  let high = Math.ceil(to / 1000);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zone.offsetAt(middle * 1000) === before) low = middle;
    else high = middle;
  }
  const instant = high * 1000;
  return { instant, clockBefore: instant + before, clockAfter: instant + zone.offsetAt(instant) };
}

/** More than any offset ever was. */
export const WIDEST_OFFSET_MS = 16 * 3_600_000;

/**
 * Returns the instants at which the clocks of a time zone show a time, in order: none where they are set forward over it, two
 * where they are set back over it. The time is in milliseconds as if the clock showed UTC.
 */
export function findInstants(zone: Zone, clock: number): readonly number[] {
  const before = zone.offsetAt(clock - WIDEST_OFFSET_MS);
  const after = zone.offsetAt(clock + WIDEST_OFFSET_MS);
  const offsets = before === after ? [before] : [before, after];
  return offsets
    .map((offset) => clock - offset)
    .filter((instant) => instant + zone.offsetAt(instant) === clock)
    .sort((a, b) => a - b);
}

/** Locales whose abbreviations Node knows, each for its own part of the world. */
const LOCALES = ['en-US', 'en-GB', 'en-AU', 'en-NZ', 'en-IN', 'en-ZA'];
/** Abbreviations that have long been constant, for systems without a time zone database. */
const CONSTANT_NAMES: ReadonlyMap<string, string> = new Map([
  ...['Shanghai', 'Chongqing', 'Harbin', 'Taipei', 'Macau'].map((city) => [`Asia/${city}`, 'CST'] as const),
  ...[['Asia/Hong_Kong', 'HKT'] as const, ['Asia/Tokyo', 'JST'] as const, ['Asia/Seoul', 'KST'] as const],
  ...[['Asia/Manila', 'PST'] as const, ['Asia/Jakarta', 'WIB'] as const, ['Asia/Karachi', 'PKT'] as const],
  ...[['Europe/Moscow', 'MSK'] as const, ['Africa/Lagos', 'WAT'] as const, ['Africa/Nairobi', 'EAT'] as const],
]);

/** Returns a function from instant and offset (milliseconds) to the abbreviation that the C library prints. */
function createNames(timeZone: string, folder: string): (instant: number, offset: number) => string {
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
    // No such zone, or an unknown format: abbreviations are then guessed.
    return undefined;
  }
}

/** Returns an offset (milliseconds) in the form of an abbreviation: `+08`, `-0330`. */
function formatOffset(offset: number): string {
  const minutes = Math.floor(Math.abs(offset) / 60_000);
  const hours = String(Math.floor(minutes / 60)).padStart(2, '0');
  const rest = minutes % 60 === 0 ? '' : String(minutes % 60).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${hours}${rest}`;
}
