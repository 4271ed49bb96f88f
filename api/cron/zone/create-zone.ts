import { createNames } from './create-names.ts';
import type { Zone } from './zone.ts';

/** Where systems keep their time zones. */
const ZONE_FOLDER = '/usr/share/zoneinfo';

/**
 * Creates a time zone of the IANA database. Offsets are Node's, so that they are equal on all systems; abbreviations are
 * the system's, from `folder`, where it has the zone.
 */
export function createZone(timeZone: string, folder = ZONE_FOLDER): Zone {
  const clock = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  const offsetAt = (instant: number): number => {
    const second = Math.floor(instant / 1000) * 1000;
    // "3/15/2026, 10:30:00"
    const [month, day, year, hour, minute, seconds] = clock.format(second).match(/\d+/g)!.map(Number);
    return Date.UTC(year!, month! - 1, day, hour, minute, seconds) - second;
  };
  const nameOf = createNames(timeZone, folder);
  return { offsetAt, nameAt: (instant) => nameOf(instant, offsetAt(instant)) };
}
