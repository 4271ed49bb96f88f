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

/** Changes a short URL for its owner. Throws ApiError 429 for a user who changes too many, and DataError like `changeOwnShortUrl`. */
export type ChangeOwn = (
  own: { readonly uid: string; readonly code: string },
  change: OwnChange,
) => Promise<ListedShortUrl>;

/** Creates the function, which the API and the console share so that changes are counted together. */
export function createChangeOwn(context: ShortUrlsContext): ChangeOwn {
  const buckets = createTokenBuckets(CHANGES_PER_MINUTE);
  return async (own, change) => {
    const waitS = buckets.take(own.uid, context.now().getTime());
    if (waitS === 0) return changeOwnShortUrl(context, own, change);
    throw new ApiError(429, 'limited', phrase`Too many changes; try again in ${waitS} s`, {
      headers: { 'Retry-After': `${waitS}` },
    });
  };
}
