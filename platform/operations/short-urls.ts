import { DataError } from '../../data/data-error.ts';
import type { ShortUrl } from '../../data/records/short-url.ts';
import type { Store } from '../../data/store.ts';
import { phrase } from '../../lib/phrase.ts';

/** What an operator can do with short URLs. They throw DataError `not-found`. */
export interface ShortUrlOperations {
  /** Returns short URLs, newest first, up to 1,000 older than the one with the code `before`; `uid` selects those of a user. */
  listShortUrls(input: {
    readonly uid?: string;
    readonly before?: string;
    readonly limit?: number;
  }): Promise<readonly ShortUrl[]>;
  /** Disables a short URL, which then redirects nowhere. */
  disableShortUrl(input: { readonly code: string }): Promise<ShortUrl>;
  enableShortUrl(input: { readonly code: string }): Promise<ShortUrl>;
}

const MAX_LISTED = 1000;

/** Creates the operations on short URLs. */
export function createShortUrlOperations({ shortUrls }: Pick<Store, 'shortUrls'>): ShortUrlOperations {
  const set = (code: string, isDisabled: boolean): Promise<ShortUrl> =>
    shortUrls.change(code, (one) => (one.isDisabled === isDisabled ? one : { ...one, isDisabled }));
  return {
    async listShortUrls({ uid, before, limit = MAX_LISTED }) {
      if (before !== undefined && !(await shortUrls.find(before))) {
        throw new DataError('not-found', phrase`Short URL "${before.slice(0, 100)}" does not exist`);
      }
      return shortUrls.list({
        ...(uid !== undefined && { uid }),
        ...(before !== undefined && { before }),
        limit: Math.min(limit, MAX_LISTED),
      });
    },
    disableShortUrl: ({ code }) => set(code, true),
    enableShortUrl: ({ code }) => set(code, false),
  };
}
