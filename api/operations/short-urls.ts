import { DataError } from '../../data/data-error.ts';
import type { ShortUrl } from '../../data/records/short-url.ts';
import type { Platform } from '../platform.ts';

/** What an operator may do with short URLs. They throw DataError `not-found`. */
export interface ShortUrlOperations {
  /** Returns short URLs, newest first, up to 1,000 made before the one with the code `before`; of one user where one is given. */
  listShortUrls(input: {
    readonly uid?: string;
    readonly before?: string;
    readonly limit?: number;
  }): Promise<readonly ShortUrl[]>;
  /** Lets a short URL lead nowhere. */
  disableShortUrl(input: { readonly code: string }): Promise<ShortUrl>;
  enableShortUrl(input: { readonly code: string }): Promise<ShortUrl>;
}

const MAX_LISTED = 1000;

/** Creates the operations on short URLs. */
export function createShortUrlOperations({ store }: Pick<Platform, 'store'>): ShortUrlOperations {
  const set = (code: string, isDisabled: boolean): Promise<ShortUrl> =>
    store.shortUrls.change(code, (one) => (one.isDisabled === isDisabled ? one : { ...one, isDisabled }));
  return {
    async listShortUrls({ uid, before, limit = MAX_LISTED }) {
      if (before !== undefined && !(await store.shortUrls.find(before))) {
        throw new DataError('not-found', `Short URL "${before.slice(0, 100)}" does not exist`);
      }
      return store.shortUrls.list({
        ...(uid !== undefined && { uid }),
        ...(before !== undefined && { before }),
        limit: Math.min(limit, MAX_LISTED),
      });
    },
    disableShortUrl: ({ code }) => set(code, true),
    enableShortUrl: ({ code }) => set(code, false),
  };
}
