import { phrase } from '../../lib/phrase.ts';
import {
  changeOwnShortUrl,
  type ListedShortUrl,
  type OwnChange,
  type ShortUrlsContext,
} from '../../platform/short-urls/list-short-urls.ts';
import { ApiError } from '../http/errors.ts';
import { createTokenBuckets } from './token-buckets.ts';

/** Each change writes the collection. */
const CHANGES_PER_MINUTE = 60;

/** Counts a change of a user's short URLs. Throws ApiError 429 where there are too many. */
export type CheckChange = (uid: string) => void;

/** Creates the check, which all ways to change a short URL share so that changes are counted together. */
export function createCheckChange(now: () => Date): CheckChange {
  const buckets = createTokenBuckets(CHANGES_PER_MINUTE);
  return (uid) => {
    const waitS = buckets.take(uid, now().getTime());
    if (waitS === 0) return;
    throw new ApiError(429, 'limited', phrase`Too many changes; try again in ${waitS} s`, {
      headers: { 'Retry-After': `${waitS}` },
    });
  };
}

/** Changes a short URL for its owner. Throws ApiError 429 for a user who changes too many, and DataError like `changeOwnShortUrl`. */
export type ChangeOwn = (
  own: { readonly uid: string; readonly code: string },
  change: OwnChange,
) => Promise<ListedShortUrl>;

/** Creates the function, which the API and the console share. */
export function createChangeOwn(context: ShortUrlsContext & { readonly checkChange: CheckChange }): ChangeOwn {
  return async (own, change) => {
    context.checkChange(own.uid);
    return changeOwnShortUrl(context, own, change);
  };
}
