import type { Context } from 'koa';
import { ApiError } from '../../api-error.ts';
import { makeShortUrl } from './make-short-url.ts';
import { readTexts } from './read-texts.ts';
import type { ServiceHosts } from './service-hosts.ts';
import type { ShortUrlContext } from './short-url-context.ts';

/** Creates the answer to `Action=shorten`: a short URL for a long one. */
export function createShorten(context: ShortUrlContext, hosts: ServiceHosts): (ctx: Context) => Promise<void> {
  const { baseUrl, identify } = context;
  return async (ctx) => {
    const { user } = await identify(ctx, ['session-header', 'session-cookie']);
    if (!user) throw fail401('Login is needed to shorten URLs');
    if (ctx.get('Authorization') === '' && isForeignPage(ctx, hosts)) {
      throw fail401('A page of another site cannot use your login');
    }
    const fields = await readTexts(ctx);
    const input = { uid: user.uid, longUrl: fields.get('long_url') ?? '', jid: fields.get('jid') };
    const { code } = await makeShortUrl(ctx, input, { ...context, hosts });
    ctx.body = { code: 0, msg: null, data: { short_url: `${baseUrl}/t/${code}`, shorten: code } };
  };
}

function fail401(message: string): ApiError {
  return new ApiError(401, 'login', message, { headers: { 'WWW-Authenticate': 'Token' } });
}

/** Browsers send the cookie along with forms of any page, and say which page's. */
function isForeignPage(ctx: Context, hosts: ServiceHosts): boolean {
  const origin = ctx.get('Origin');
  if (origin === '') return ctx.get('Sec-Fetch-Site') === 'cross-site';
  return !URL.canParse(origin) || !hosts.isService(new URL(origin), ctx);
}
