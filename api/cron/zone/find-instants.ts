import type { Zone } from './zone.ts';

/** More than any zone has ever differed from UTC. */
export const WIDEST_OFFSET_MS = 16 * 3_600_000;

/**
 * Returns the instants at which a zone's clocks show a time, in order: none where clocks are put forward over it, two where
 * they are put back over it. The time is in milliseconds as if the clock showed UTC.
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
