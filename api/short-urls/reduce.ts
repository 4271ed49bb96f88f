import type { Context } from 'koa';
import { isCode } from '../../data/short-urls/parse-code.ts';
import { MAX_TARGET_LENGTH } from '../../data/short-urls/parse-target.ts';
import { ApiError } from '../http/errors.ts';
import { createTokenBuckets } from './create-token-buckets.ts';
import { findHost } from './find-host.ts';
import { readTexts } from './read-texts.ts';
import type { ServiceHosts } from './service-hosts.ts';
import type { ShortUrlContext } from './short-url-context.ts';

/** The redirect does not tell capitals from small letters either. */
const PREFIX = /^\/t\//i;

/** Creates the answer to `Action=reduction`: what a short URL leads to. */
export function createReduce(context: ShortUrlContext, hosts: ServiceHosts): (ctx: Context) => Promise<void> {
  const { store, settings, identify, now } = context;
  const buckets = createTokenBuckets(settings.current().utility.short_url.reductions_per_minute);
  return async (ctx) => {
    const { source } = await identify(ctx, []);
    const waitS = buckets.take(source, now().getTime());
    if (waitS > 0) {
      throw new ApiError(429, 'limited', `Too many reductions; ask again in ${waitS} s`, {
        headers: { 'Retry-After': `${waitS}` },
      });
    }
    const fields = await readTexts(ctx, ['short_url', 'short_string']);
    const code = readCode(fields, (text) => findCode(text, ctx, hosts));
    const shortUrl = isCode(code) ? await store.shortUrls.find(code) : undefined;
    if (!shortUrl) throw new ApiError(404, 'not-found', 'No such short URL');
    const { longUrl, uid, isDisabled } = shortUrl;
    const isBlocked = await context.isHostBlocked(findHost(new URL(longUrl)));
    const data = {
      long_url: longUrl,
      shorten: shortUrl.code,
      status: isDisabled ? '0' : '1',
      realname: (await context.isVerified(uid)) ? '1' : '0',
      safe: isBlocked ? '0' : '1',
    };
    if (isDisabled)
      throw new ApiError(410, 'disabled', 'The operator has disabled this short URL', { extra: { data } });
    ctx.body = { code: 0, msg: null, data };
  };
}

/** Returns the code that a request names, by itself or as part of a short URL. Throws 400 without one, and for two. */
function readCode(fields: ReadonlyMap<string, string>, findIn: (shortUrl: string) => string): string {
  const text = fields.get('short_string')?.trim() ?? '';
  const shortUrl = fields.get('short_url')?.trim() ?? '';
  const codes = [...(text === '' ? [] : [text]), ...(shortUrl === '' ? [] : [findIn(shortUrl)])];
  const [code] = codes;
  if (code === undefined) throw new ApiError(400, 'bad-request', 'Field "short_url" or "short_string" is missing');
  if (codes[1] !== undefined && codes[1].toLowerCase() !== code.toLowerCase()) {
    throw new ApiError(400, 'bad-request', 'Fields "short_url" and "short_string" name different short URLs');
  }
  return code;
}

/** Returns the code in a short URL; people leave out `https://`. Throws 400 for an address that is none of this service. */
function findCode(text: string, ctx: Context, hosts: ServiceHosts): string {
  const full = /^https?:\/\//i.test(text) ? text : `${ctx.protocol}://${text}`;
  if (text.length <= MAX_TARGET_LENGTH && URL.canParse(full)) {
    const url = new URL(full);
    const code = PREFIX.test(url.pathname) ? decode(url.pathname.replace(PREFIX, '').replace(/\/$/, '')) : '';
    if (code !== '' && !code.includes('/') && hosts.isService(url, ctx)) return code;
  }
  throw new ApiError(400, 'bad-request', 'Field "short_url" is no short URL of this service');
}

/** As the redirect does. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // no code has a percent sign in it
  }
}
