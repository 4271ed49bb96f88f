import type { Context } from 'koa';
import { phrase } from '../../lib/phrase.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import { type CookieName, cookieName, listCookies, removeCookies, setCookie } from './cookies.ts';

/** The session's name in the contract; over TLS browsers have it as `__Host-sessionId`. */
const SESSION: CookieName = 'sessionId';

/**
 * Returns a cookie; undefined where there is none. Throws ServiceError 400, which removes them, for several with that name: one is
 * somebody else's, and nobody can tell which.
 */
export function readCookie(ctx: Context, name: CookieName): string | undefined {
  return readOnly(ctx, cookieName(ctx, name));
}

/**
 * Returns the token in the cookie of a session, for the API: programs may send it by its name in the contract over TLS, too, since no
 * page makes them carry a cookie. Throws ServiceError 400 for several.
 */
export function readSessionCookie(ctx: Context): string | undefined {
  return readCookie(ctx, SESSION) ?? (ctx.secure && isProgram(ctx) ? readOnly(ctx, SESSION) : undefined);
}

/** Sets the cookie of a session; for programs, which may look for it, by its name in the contract, too. */
export function setSessionCookie(ctx: Context, token: string, seconds: number): void {
  if (ctx.secure && isProgram(ctx)) setCookie(ctx, SESSION, { value: token, seconds });
  setCookie(ctx, cookieName(ctx, SESSION), { value: token, seconds });
}

/** Removes the cookie of a session, by both names that programs may have it by. */
export function removeSessionCookie(ctx: Context): void {
  for (const name of new Set([cookieName(ctx, SESSION), SESSION])) setCookie(ctx, name, { value: '', seconds: 0 });
}

/** Checks whether a request comes from no browser: over TLS these say from where it comes, and forms of older ones do, too. */
function isProgram(ctx: Context): boolean {
  return ctx.get('Sec-Fetch-Site') === '' && ctx.get('Origin') === '';
}

function readOnly(ctx: Context, fullName: string): string | undefined {
  const [value, second] = listCookies(ctx, fullName);
  if (second === undefined) return value || undefined;
  throw new ServiceError(
    'two-cookies',
    phrase`This request has the cookie "${fullName}" more than once: another site of this domain may have set one. Both are removed now; reload the page and log in again. If you see this again, remove the cookies of this site in your browser`,
    { headers: { 'Set-Cookie': removeCookies([fullName], ctx) } },
  );
}
