import { createHmac, randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import type { User } from '../../data/records/user.ts';
import type { Phrase } from '../../lib/phrase.ts';
import { phrase } from '../../lib/phrase.ts';
import { isSameSecret } from '../../lib/secrets.ts';
import { findBySession } from '../../platform/accounts/sessions.ts';
import { hashToken } from '../../platform/accounts/tokens.ts';
import type { Accounts } from '../../platform/accounts/users.ts';
import { ServiceError, toServiceError } from '../../platform/failures/service-error.ts';
import { readForm } from '../http/bodies.ts';
import type { Callers } from '../http/callers.ts';
import { cookieName, setCookie } from '../http/cookies.ts';
import { FAILURE } from '../http/errors.ts';
import { readCookie } from '../http/session-cookie.ts';

/** Fields of a form of the console. */
export type ConsoleForm = ReadonlyMap<string, string>;

/** Somebody who is logged in by the cookie. */
export interface Visitor {
  readonly user: User;
  /** The key of the session in the store. */
  readonly tokenHash: string;
  /** The token itself, which no other visitor has. */
  readonly token: string;
  readonly formToken: FormToken;
}

/** Hidden fields that every form of a session contains. */
export interface FormToken {
  readonly token: string;
  /** The account in whose name the form is carried out; '' for visitors who are not logged in. */
  readonly account: string;
}

/** Cookie of visitors who are not logged in; the token of their forms belongs to it. */
const FORM_COOKIE = 'controlForm';
const FORM_COOKIE_SECONDS = 86_400;
/** Fields with the token and the account. */
const TOKEN_FIELD = 'form';
const ACCOUNT_FIELD = 'as';

/** Returns the visitor of the console; undefined for one who is not logged in. */
export async function findVisitor(
  ctx: Context,
  accounts: Pick<Accounts, 'store' | 'now'>,
): Promise<Visitor | undefined> {
  const token = readCookie(ctx, 'sessionId') ?? '';
  const user = await findBySession(accounts, token);
  return user && { user, token, tokenHash: hashToken(token), formToken: createFormToken(token, user.account) };
}

/** Returns the form token of a visitor who is not logged in; sets the cookie that it belongs to where it is missing. */
export function openFormCookie(ctx: Context): FormToken {
  const known = findFormCookie(ctx);
  if (known !== undefined) return known;
  const secret = randomBytes(24).toString('base64url');
  setCookie(ctx, cookieName(ctx, FORM_COOKIE), { value: secret, seconds: FORM_COOKIE_SECONDS });
  return createFormToken(secret, '');
}

/** Returns the token that a form must contain; undefined without the cookie, so that no form fits. */
export function findFormCookie(ctx: Context): FormToken | undefined {
  const secret = readCookie(ctx, FORM_COOKIE) ?? '';
  return /^[\w-]{32}$/.test(secret) ? createFormToken(secret, '') : undefined;
}

/** Derives a form token from a secret of the browser, which it does not reveal, and the account that the form is shown to. */
function createFormToken(secret: string, account: string): FormToken {
  return {
    token: createHmac('sha256', secret).update(`docbuild console form\n${account}`).digest('base64url'),
    account,
  };
}

/**
 * Returns the fields of a form that was shown to its sender. Throws ServiceError 403 for pages of other sites, for a form that was shown
 * to another account, and for one without the right token.
 */
export async function readCheckedForm(
  ctx: Context,
  callers: Callers,
  expected: FormToken | undefined,
): Promise<ConsoleForm> {
  callers.checkOrigin(ctx);
  const form = await readForm(ctx);
  if (expected === undefined || !isSameSecret(form.get(TOKEN_FIELD) ?? '', expected.token)) {
    const shownTo = form.get(ACCOUNT_FIELD) ?? '';
    if (expected && shownTo !== '' && shownTo !== expected.account) {
      throw new ServiceError(
        'other-account',
        phrase`This form was opened as "${shownTo}", and you are "${expected.account}" now, so nothing was done. Log out and in again if that is not you`,
      );
    }
    throw new ServiceError('form-token', phrase`This form has expired; go back, reload the page and submit it again`);
  }
  return form;
}

/**
 * Returns the message of a form that failed, and sets status and headers of the answer. Rethrows what its sender cannot fix,
 * so that it is logged.
 */
export function presentFormError(ctx: Context, error: unknown): string | Phrase {
  const { status, code, headers, wording } = toServiceError(error);
  if (status >= 500 && code !== 'busy') throw error;
  ctx.status = status;
  ctx.state[FAILURE] = code;
  ctx.set({ ...(headers as Record<string, string | string[]>) });
  return wording;
}
