import type { Context, Next } from 'koa';
import { type Phrase, phrase } from '../../lib/phrase.ts';
import { parseCookies, removeCookies } from './cookies.ts';
import { FAILURE, type Failure, sendFailure } from './errors.ts';
import { languageOf, translate } from './language.ts';
import { sendPage } from './pages.ts';

/** Those of the service have less than 1 KB. */
const MAX_COOKIE_BYTES = 16_000;

/** Returns what whoever sends too many cookies is told. */
export function tooManyCookies(): Phrase {
  return phrase`Your browser sends more than 16 KB of cookies, which other sites of this domain may have left. They are being removed: reload the page, more than once if need be, and log in again. If that does not help, remove the cookies of this site in your browser`;
}

/**
 * Refuses requests with too many cookies, and removes these: over TLS all of them at once (`Clear-Site-Data`), otherwise the
 * largest. A page on a neighbouring host can set so many that proxies refuse whatever the browser asks for. What does not look at
 * cookies need not ask this.
 */
export async function refuseLargeCookies(ctx: Context, next: Next): Promise<void> {
  const { cookie } = ctx.req.headers;
  if (cookie === undefined || cookie.length <= MAX_COOKIE_BYTES) return next();
  const largest = parseCookies(cookie).toSorted((one, other) => other.value.length - one.value.length);
  ctx.status = 431;
  ctx.state[FAILURE] = 'too-many-cookies';
  const message = translate(tooManyCookies(), languageOf(ctx));
  const failure: Failure = { status: 431, code: 'too-many-cookies', message, extra: {}, isOwn: false };
  if (ctx.accepts('json', 'html') === 'html') sendPage(ctx, 'error.njk', failure);
  else sendFailure(ctx, failure);
  ctx.set({
    'Cache-Control': 'no-store',
    'Clear-Site-Data': '"cookies"',
    'Set-Cookie': [...removeCookies([...new Set(largest.map(({ name }) => name))], ctx)],
  });
}
