import type { Context } from 'koa';
import type { Session } from '../../data/records/session.ts';
import { SESSION_COOKIE } from '../http/callers.ts';

/** Hands a session's token to a browser: for this host alone, out of reach of scripts, not sent by other sites' forms. */
export function setSessionCookie(
  ctx: Context,
  { token, session, isSecure }: { readonly token: string; readonly session: Session; readonly isSecure: boolean },
): void {
  const seconds = Math.round((Date.parse(session.expiresAt) - Date.parse(session.createdAt)) / 1000);
  ctx.append('Set-Cookie', formatCookie(token, seconds, isSecure));
}

/** Takes the token back. */
export function clearSessionCookie(ctx: Context, isSecure: boolean): void {
  ctx.append('Set-Cookie', formatCookie('', 0, isSecure));
}

/** Koa's own refuses `Secure` behind a proxy that it knows nothing of. */
function formatCookie(value: string, seconds: number, isSecure: boolean): string {
  const parts = [`${SESSION_COOKIE}=${value}`, 'Path=/', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Lax'];
  return [...parts, ...(isSecure ? ['Secure'] : [])].join('; ');
}
