import { phrase } from '../../lib/phrase.ts';
import { createTokenBuckets } from '../../lib/token-buckets.ts';
import { USUAL_LIMITS } from '../../platform/config/limit-settings.ts';
import { ApiError } from './errors.ts';

/** Counts a change that users make of what is their own (keys, short URLs). Throws ApiError 429 where there are too many. */
export type CheckChange = (uid: string) => void;

/** Creates the check, which all ways to change something share so that changes are counted together. */
export function createCheckChange(
  now: () => Date,
  perMinute: () => number = () => USUAL_LIMITS.changes_per_minute,
): CheckChange {
  // Each change writes a collection, and some are in the audit log.
  const buckets = createTokenBuckets(perMinute);
  return (uid) => {
    const waitS = buckets.take(uid, now().getTime());
    if (waitS === 0) return;
    throw new ApiError(429, 'limited', phrase`Too many changes; try again in ${waitS} s`, {
      headers: { 'Retry-After': `${waitS}` },
      limit: 'changes',
    });
  };
}
