import { randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import type { Callers } from '../http/callers.ts';
import { createFormToken } from './visitor.ts';

const NAME = 'controlForm';
const SECONDS = 86_400;

/** Returns the token for forms of those who are not logged in yet; it belongs to a cookie that is set where it is missing. */
export function openFormCookie(ctx: Context, callers: Callers): string {
  const known = findSecret(ctx);
  if (known !== undefined) return createFormToken(known);
  const secret = randomBytes(24).toString('base64url');
  const secure = callers.isSecure(ctx) ? '; Secure' : '';
  ctx.append('Set-Cookie', `${NAME}=${secret}; Path=/; Max-Age=${SECONDS}; HttpOnly; SameSite=Lax${secure}`);
  return createFormToken(secret);
}

/** Returns the token that a form has to carry; undefined where there is no cookie, so that none fits. */
export function findFormCookie(ctx: Context): string | undefined {
  const secret = findSecret(ctx);
  return secret === undefined ? undefined : createFormToken(secret);
}

function findSecret(ctx: Context): string | undefined {
  const value = ctx.cookies.get(NAME) ?? '';
  return /^[\w-]{32}$/.test(value) ? value : undefined;
}
