import { createHmac } from 'node:crypto';
import type { Context } from 'koa';
import type { Accounts } from '../../data/accounts/accounts.ts';
import { findBySession } from '../../data/accounts/find-by-token.ts';
import { hashToken } from '../../data/accounts/tokens.ts';
import type { User } from '../../data/records/user.ts';
import { SESSION_COOKIE } from '../http/callers.ts';

/** Somebody who is logged in, by the cookie alone. */
export interface Visitor {
  readonly user: User;
  /** What the session is kept as. */
  readonly tokenHash: string;
  /** What all forms of this session carry. */
  readonly formToken: string;
}

/** Returns who looks at the console; undefined = nobody who is logged in. */
export async function findVisitor(
  ctx: Context,
  accounts: Pick<Accounts, 'store' | 'now'>,
): Promise<Visitor | undefined> {
  const token = ctx.cookies.get(SESSION_COOKIE) ?? '';
  const user = await findBySession(accounts, token);
  return user && { user, tokenHash: hashToken(token), formToken: createFormToken(token) };
}

/** Returns what forms carry that belong to a secret of the browser; the secret does not follow from it. */
export function createFormToken(secret: string): string {
  return createHmac('sha256', secret).update('docbuild console form').digest('base64url');
}
