import type { Zone } from './zone.ts';

/** An instant at which a zone's clocks are put forward or back. */
export interface Change {
  readonly instant: number;
  /** What clocks would show at that instant had they not been changed. */
  readonly clockBefore: number;
  readonly clockAfter: number;
}

/** Returns the change between two instants that differ in their offset; clocks are changed at whole seconds. */
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
