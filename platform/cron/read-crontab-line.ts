import { DataError } from '../../data/data-error.ts';
import { memoize } from '../../lib/bounded-map.ts';
import { Phrase, phrase } from '../../lib/phrase.ts';
import type { ReadCrontab, ReadCrontabLine } from '../builds/schedules.ts';
import { ServiceError } from '../failures/service-error.ts';
import { type Crontab, parseCrontab } from './crontab.ts';
import { listRuns } from './find-runs.ts';
import { createZone } from './zone.ts';

/** Lines that are kept ready. */
const MAX_LINES = 10_000;
const DAY_MINUTES = 1_440;

/** Creates what reads crontabs of projects in a time zone: by the same rules as the preview of crontabs. */
export function createCrontabReader(timezone: string): ReadCrontabLine {
  const zone = createZone(timezone);
  return memoize((line: string): ReadCrontab => {
    const crontab = parseLine(line);
    return {
      leastMinutes: findLeastMinutes(crontab),
      nextAfter(time) {
        const [run] = listRuns(crontab, { zone, from: time.getTime(), times: 1, isBackward: false });
        return run === undefined ? undefined : new Date(run);
      },
    };
  }, MAX_LINES);
}

function parseLine(line: string): Crontab {
  try {
    return parseCrontab(line);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // `Parameter "expression": …`, and here it is a field of a project.
    const { wording } = error;
    const why = wording instanceof Phrase ? Object.values(wording.values).at(-1) : wording;
    throw new DataError('invalid', phrase`Field "schedule": ${why}`, { cause: error });
  }
}

/** Returns the least distance between two times of a crontab, as if it ran on every day. */
function findLeastMinutes({ hours, minutes }: Crontab): number {
  const times = hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute));
  const distances = times.map((time, i) => (times[i + 1] ?? times[0]! + DAY_MINUTES) - time);
  return Math.min(...distances);
}
