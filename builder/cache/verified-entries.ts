import { createBoundedMap } from '../../lib/bounded-map.ts';
import type { SegmentEntry } from './segment.ts';

/**
 * Keys of segments whose values this process has found whole, by the state of the file: a server that builds a site again
 * need not read every value again.
 */
const wholeKeys = createBoundedMap<string, Set<string>>({ maxEntries: 64 });

/** Tells whether a value was found whole, and its file is as it was then. */
export function isVerified({ segment }: SegmentEntry, key: string): boolean {
  return wholeKeys.get(segment.state)?.has(key) ?? false;
}

/** Remembers that a value was found whole. */
export function markVerified({ segment }: SegmentEntry, key: string): void {
  wholeKeys.set(segment.state, (wholeKeys.get(segment.state) ?? new Set()).add(key));
}

/** Forgets it, as the value was found damaged since. */
export function unmarkVerified({ segment }: SegmentEntry, key: string): void {
  wholeKeys.get(segment.state)?.delete(key);
}
