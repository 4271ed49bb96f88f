import type { Context } from 'koa';
import type { ShortUrl } from '../../data/records/short-url.ts';
import { shortenUrl } from '../../data/short-urls/shorten-url.ts';
import { ApiError } from '../http/errors.ts';
import type { Platform } from '../platform.ts';
import type { ServiceHosts } from './service-hosts.ts';

/**
 * Returns a short URL of a user, a new one or the same as before, for fields as they were sent. Throws ApiError 429 for a user
 * who has made too many, 410 for one that the operator has disabled, and DataError as `shortenUrl`.
 */
export async function makeShortUrl(
  ctx: Context,
  input: { readonly uid: string; readonly longUrl: string; readonly jid: string | undefined },
  context: Pick<Platform, 'store' | 'settings' | 'now'> & { readonly hosts: ServiceHosts },
): Promise<ShortUrl> {
  const { store, settings, now, hosts } = context;
  const outcome = await shortenUrl(
    { uid: input.uid, longUrl: input.longUrl, code: input.jid?.trim() || undefined },
    {
      shortUrls: store.shortUrls,
      perDay: settings.current().utility.short_url.per_day,
      isOwn: (url) => hosts.isOwn(url, ctx),
      now: now(),
    },
  );
  if (outcome.kind === 'limited') {
    throw new ApiError(429, 'limited', 'You have made as many short URLs as one may in a day', {
      headers: { 'Retry-After': `${outcome.retryAfterS}` },
    });
  }
  if (outcome.shortUrl.isDisabled) {
    throw new ApiError(410, 'disabled', 'The operator has disabled your short URL for this address');
  }
  return outcome.shortUrl;
}
