import type { Context } from 'koa';
import { ApiError } from '../api-error.ts';
import { isAtHost } from '../routes/is-at-host.ts';

/**
 * Throws ApiError 403 for a request that a browser says comes from a page of somebody else: Origin and Sec-Fetch-Site, which
 * pages cannot set. `own` are the service's own origins besides the host that is asked. Programs send neither.
 */
export function checkOrigin(ctx: Context, own: ReadonlySet<string>): void {
  const origin = ctx.get('Origin');
  const site = ctx.get('Sec-Fetch-Site').toLowerCase();
  if (own.has(origin)) return;
  const isHere = origin === '' || isFrom(origin, ctx.host);
  // Sites of projects may be on neighbouring hosts: `same-site` is not enough.
  const isNear = site === '' || site === 'same-origin' || site === 'none';
  if (!isHere || !isNear)
    throw new ApiError(403, 'foreign-origin', 'This may not be asked for by pages of other sites');
}

function isFrom(origin: string, host: string): boolean {
  return /^https?:\/\/[^/@]+$/i.test(origin) && URL.canParse(origin) && isAtHost(new URL(origin), host.toLowerCase());
}
