import {
  changeOwnShortUrl,
  type ListedShortUrl,
  type OwnChange,
  type ShortUrlsContext,
} from '../../platform/short-urls/list-short-urls.ts';
import type { CheckChange } from '../http/check-change.ts';

/** Changes a short URL for its owner. Throws ServiceError 429 for a user who changes too many, and DataError like `changeOwnShortUrl`. */
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
