import { randomBytes } from 'node:crypto';

const TIME_LENGTH = 9;
const COUNT_LENGTH = 3;
let lastMs = 0;
let count = 0;

/**
 * Gives an id for a build: `[0-9a-z]{20}`, the time in ms, a counter and chance. Ids of one process sort in the order
 * of creation, also when the clock is set back.
 */
export function createBuildId(nowMs: number): string {
  count = nowMs > lastMs ? 0 : count + 1;
  lastMs = Math.max(nowMs, lastMs);
  const time = lastMs.toString(36).padStart(TIME_LENGTH, '0');
  const chance = BigInt(`0x${randomBytes(8).toString('hex')}`)
    .toString(36)
    .padStart(8, '0')
    .slice(-8);
  return time + count.toString(36).padStart(COUNT_LENGTH, '0') + chance;
}
