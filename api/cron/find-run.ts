import type { ClockSearch } from './create-clock-search.ts';
import { DAY_MS } from './create-day-search.ts';
import { type Change, findChange } from './zone/find-change.ts';
import { findInstants, WIDEST_OFFSET_MS } from './zone/find-instants.ts';
import type { Zone } from './zone/zone.ts';

/** How far a search goes. The rarest days, 29 February on a given weekday, are at most 40 years apart. */
export const SEARCH_YEARS = 60;
const SEARCH_MS = SEARCH_YEARS * 365.25 * DAY_MS;

/** What runs, and where its clock hangs. */
export interface Schedule {
  readonly clocks: ClockSearch;
  readonly zone: Zone;
  /** See `Crontab`. */
  readonly isFixed: boolean;
}

/**
 * Returns the first run after an instant, within 60 years. Times that clocks skip do not happen. Where clocks are put back,
 * fixed times run once and all others in both passes, as cronie does it.
 */
export function findNextRun({ clocks, zone, isFixed }: Schedule, now: number): number | undefined {
  const shown = now + zone.offsetAt(now);
  const limit = shown + SEARCH_MS;
  const repeat = findRepeat(zone, now);
  const isSecondPass = repeat !== undefined && now >= repeat.instant;
  let after = isSecondPass && isFixed ? repeat.clockBefore - 1 : shown;
  for (;;) {
    const clock = clocks.next(after, limit);
    if (clock === undefined) return undefined;
    if (repeat && !isSecondPass && !isFixed && clock >= repeat.clockBefore) {
      const again = clocks.next(repeat.clockAfter - 1, limit);
      if (again !== undefined && again <= shown) return repeat.instant + again - repeat.clockAfter;
    }
    const instant = findInstants(zone, clock).find((candidate) => candidate > now);
    if (instant !== undefined) return instant;
    after = findSkip(zone, clock).clockAfter - 1;
    if (after > limit) return undefined;
  }
}

/** Returns the last run before an instant, within 60 years; by the same rules. */
export function findPrevRun({ clocks, zone, isFixed }: Schedule, now: number): number | undefined {
  const shown = now + zone.offsetAt(now);
  const limit = shown - SEARCH_MS;
  const repeat = findRepeat(zone, now);
  const isSecondPass = repeat !== undefined && now >= repeat.instant;
  let before = isSecondPass && isFixed ? repeat.clockBefore : shown;
  for (;;) {
    const clock = clocks.prev(before, limit);
    if (clock === undefined) return undefined;
    if (isSecondPass && !isFixed && clock < repeat.clockAfter) {
      const first = clocks.prev(repeat.clockBefore, limit);
      if (first !== undefined && first >= shown) return repeat.instant + first - repeat.clockBefore;
    }
    const instants = findInstants(zone, clock).filter((candidate) => candidate < now);
    const instant = isFixed ? instants[0] : instants.at(-1);
    if (instant !== undefined) return instant;
    before = findSkip(zone, clock).clockBefore;
    if (before < limit) return undefined;
  }
}

/** Returns the change that makes clocks show what they show at an instant twice. */
function findRepeat(zone: Zone, now: number): Change | undefined {
  const [first, second] = findInstants(zone, now + zone.offsetAt(now));
  return first === undefined || second === undefined ? undefined : findChange(zone, first, second);
}

/** Returns the change over which clocks skip a time. */
function findSkip(zone: Zone, clock: number): Change {
  return findChange(zone, clock - WIDEST_OFFSET_MS, clock + WIDEST_OFFSET_MS);
}
