import { phrase } from '../../lib/phrase.ts';
import { createTokenBuckets } from '../../lib/token-buckets.ts';
import { DEFAULT_LIMIT_SETTINGS } from '../../platform/config/limit-settings.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';

/** Counts a change that users make of what is their own (keys, short URLs). Throws ServiceError 429 where there are too many. */
export type CheckChange = (uid: string) => void;

/** Creates the check, which all ways to change something share so that changes are counted together. */
export function createCheckChange(
  now: () => Date,
  perMinute: () => number = () => DEFAULT_LIMIT_SETTINGS.changes_per_minute,
): CheckChange {
  // Each change writes a collection, and some are in the audit log.
  const buckets = createTokenBuckets(perMinute);
  return (uid) => {
    const waitS = buckets.take(uid, now().getTime());
    if (waitS === 0) return;
    throw new ServiceError('limited', phrase`Too many changes; try again in ${waitS} s`, {
      headers: { 'Retry-After': `${waitS}` },
      limit: 'changes',
    });
  };
}
