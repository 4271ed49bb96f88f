import type { Context } from 'koa';
import { ApiError } from '../http/errors.ts';
import { makeShortUrl } from './make-short-url.ts';
import { readTexts } from './read-texts.ts';
import type { ServiceHosts } from './service-hosts.ts';
import type { ShortUrlContext } from './short-url-context.ts';

/** Creates the answer to `Action=shorten`: a short URL for a long one. */
export function createShorten(context: ShortUrlContext, hosts: ServiceHosts): (ctx: Context) => Promise<void> {
  const { baseUrl, identify } = context;
  return async (ctx) => {
    const { user } = await identify(ctx, ['session-header', 'session-cookie']).catch(refuseForeign);
    if (!user) throw fail401('Login is needed to shorten URLs');
    const fields = await readTexts(ctx, ['long_url', 'jid']);
    const input = { uid: user.uid, longUrl: fields.get('long_url') ?? '', jid: fields.get('jid') };
    const { code } = await makeShortUrl(ctx, input, { ...context, hosts });
    ctx.body = { code: 0, msg: null, data: { short_url: `${baseUrl}/t/${code}`, shorten: code } };
  };
}

function fail401(message: string): ApiError {
  return new ApiError(401, 'login', message, { headers: { 'WWW-Authenticate': 'Token' } });
}

/** Browsers send the cookie along with forms of any page, and say which page's: here that is as good as no login. */
function refuseForeign(error: unknown): never {
  const isForeign = error instanceof ApiError && error.code === 'foreign-origin';
  throw isForeign ? fail401('A page of another site cannot use your login') : error;
}
