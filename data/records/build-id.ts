import { randomBytes } from 'node:crypto';

const TIME_LENGTH = 9;
const COUNT_LENGTH = 3;
const MAX_COUNT = 36 ** COUNT_LENGTH - 1;
let lastMs = 0;
let count = 0;

/**
 * Returns an id for a build: `[0-9a-z]{20}`, the time in ms, a counter and chance. Ids of one process sort in the order
 * of creation, even when the clock is set back; after those of the previous process, see `startBuildIdsBehind`.
 */
export function createBuildId(nowMs: number): string {
  const isFull = count === MAX_COUNT;
  count = nowMs > lastMs || isFull ? 0 : count + 1;
  lastMs = Math.max(nowMs, isFull ? lastMs + 1 : lastMs);
  const time = lastMs.toString(36).padStart(TIME_LENGTH, '0');
  const chance = BigInt(`0x${randomBytes(8).toString('hex')}`)
    .toString(36)
    .padStart(8, '0')
    .slice(-8);
  return time + count.toString(36).padStart(COUNT_LENGTH, '0') + chance;
}

/** Makes all further ids sort after this one, which another process may have created with a clock that was ahead. */
export function startBuildIdsBehind(id: string): void {
  const time = id.slice(0, TIME_LENGTH);
  if (!/^[0-9a-z]{9}$/.test(time)) return;
  const ms = Number.parseInt(time, 36);
  if (ms < lastMs) return;
  // Behind whatever was counted in that millisecond.
  lastMs = ms;
  count = MAX_COUNT;
}
