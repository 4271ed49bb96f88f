import type { Context } from 'koa';
import type { Accounts } from '../../data/accounts/accounts.ts';
import { type LoginOutcome, logIn } from '../../data/accounts/log-in.ts';
import { ApiError } from '../http/errors.ts';
import { askGently } from './ask-gently.ts';
import { createSlowdown } from './create-slowdown.ts';

/** A login that was right. */
export type LoggedIn = LoginOutcome & { readonly kind: 'done' };

/**
 * Logs somebody in. Throws ApiError 401 for a wrong account or password, 403 for a disabled account, 429 for an account or
 * a source that fails too often, 503 when too many ask at once.
 */
export type Login = (
  ctx: Context,
  credentials: { readonly account: string; readonly password: string },
) => Promise<LoggedIn>;

const HOUR_MS = 3_600_000;
const BY_ACCOUNT = { free: 10, firstMs: 1000, mostMs: 60_000, forgetMs: HOUR_MS };
const BY_SOURCE = { free: 20, firstMs: 1000, mostMs: HOUR_MS / 4, forgetMs: HOUR_MS };
/** Longest part of an account that is counted by; no account is that long. */
const MAX_KEY_LENGTH = 200;

/** Creates the login that all ways in share, so that attempts are counted together. */
export function createLogin(accounts: Accounts, sourceOf: (ctx: Context) => string): Login {
  const nowMs = (): number => accounts.now().getTime();
  const byAccount = createSlowdown(BY_ACCOUNT, nowMs);
  const bySource = createSlowdown(BY_SOURCE, nowMs);
  return async (ctx, { account, password }) => {
    const source = sourceOf(ctx);
    const name = account.slice(0, MAX_KEY_LENGTH).trim().normalize('NFC').toLowerCase().normalize('NFC');
    const waitMs = Math.max(byAccount.waitMs(name), bySource.waitMs(source));
    if (waitMs > 0) throw slowDown(waitMs);
    byAccount.count(name);
    bySource.count(source);
    const outcome = await askGently(
      () => logIn(accounts, { account, password }),
      () => {
        byAccount.forgive(name);
        bySource.forgive(source);
      },
    );
    if (outcome.kind === 'wrong') throw new ApiError(401, 'wrong-login', 'Account or password is wrong');
    byAccount.forget(name);
    // Not all of them: one account of one's own would be enough to go on for ever.
    bySource.forgive(source);
    if (outcome.kind === 'disabled') throw new ApiError(403, 'disabled', 'This account is disabled; ask the operator');
    return outcome;
  };
}

/** Returns the error for somebody who has to wait. */
export function slowDown(waitMs: number): ApiError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new ApiError(429, 'too-many', `Too many attempts; try again in ${seconds} s`, {
    headers: { 'Retry-After': String(seconds) },
  });
}
