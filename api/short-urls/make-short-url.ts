import type { Context } from 'koa';
import type { ShortUrl } from '../../data/records/short-url.ts';
import type { Store } from '../../data/store.ts';
import { phrase } from '../../lib/phrase.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import { parseExpiry } from '../../platform/short-urls/parse-expiry.ts';
import { shortenUrl } from '../../platform/short-urls/shorten-url.ts';
import type { CheckChange } from '../http/check-change.ts';
import type { OwnHosts } from './own-hosts.ts';

/**
 * Returns a short URL of a user, a new one or the same as before, for fields as they were sent. Throws ServiceError 429 for a user
 * with too many new ones or changes, 410 for a short URL that is disabled, and DataError like `shortenUrl`.
 */
export type MakeShortUrl = (
  ctx: Context,
  input: {
    readonly uid: string;
    readonly longUrl: string;
    readonly jid: string | undefined;
    readonly expiresAt: string | undefined;
  },
) => Promise<ShortUrl>;

/** Creates the function, which the API and the console share. */
export function createMakeShortUrl(context: {
  readonly settings: Settings;
  readonly store: Pick<Store, 'shortUrls'>;
  readonly ownHosts: OwnHosts;
  readonly checkChange: CheckChange;
  readonly now: () => Date;
}): MakeShortUrl {
  const { store, settings, now, ownHosts, checkChange } = context;
  return async (ctx, { uid, longUrl, jid, expiresAt = '' }) => {
    const { timezone, utility } = settings.current();
    const outcome = await shortenUrl(
      { uid, longUrl, code: jid?.trim() || undefined, expiresAt: parseExpiry(expiresAt, { now: now(), timezone }) },
      {
        shortUrls: store.shortUrls,
        perDay: utility.short_url.per_day,
        isOwn: (url) => ownHosts.isOwn(url, ctx),
        checkChange,
        now: now(),
      },
    );
    if (outcome.kind === 'limited') {
      const headers = { 'Retry-After': `${outcome.retryAfterS}` };
      const message = phrase`You have reached the daily limit of new short URLs`;
      throw new ServiceError('limited', message, { headers, limit: 'short-urls' });
    }
    if (outcome.shortUrl.isDisabled) {
      throw new ServiceError('disabled', phrase`The operator has disabled your short URL for this URL`);
    }
    if (outcome.shortUrl.isDisabledByOwner) {
      throw new ServiceError('disabled', phrase`You have disabled your short URL for this URL; enable it first`);
    }
    return outcome.shortUrl;
  };
}
