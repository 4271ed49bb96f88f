import type { OwnedShortUrl, ShortUrl } from '../../data/records/short-url.ts';

/** Whether a short URL leads to its long one, and if not, why: the operator, its owner, or its time. */
export type ShortUrlState = 'active' | 'disabled' | 'disabled-by-owner' | 'expired';

/** Returns the state of a short URL. What the operator has disabled is nothing else, whatever its owner does. */
export function findState({ shortUrl, owner }: OwnedShortUrl, now: () => Date): ShortUrlState {
  if (shortUrl.isDisabled || owner?.areShortUrlsDisabled) return 'disabled';
  if (shortUrl.isDisabledByOwner) return 'disabled-by-owner';
  return isExpired(shortUrl, now) ? 'expired' : 'active';
}

/** Returns whether the time of a short URL has passed. */
export function isExpired({ expiresAt }: Pick<ShortUrl, 'expiresAt'>, now: () => Date): boolean {
  return expiresAt !== undefined && expiresAt <= now().toISOString();
}
