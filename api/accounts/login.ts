import type { Context } from 'koa';
import { DataError } from '../../data/data-error.ts';
import { addSession, type LoginOutcome, logIn } from '../../platform/accounts/sessions.ts';
import { type Accounts, createUser, foldAccount } from '../../platform/accounts/users.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { ApiError } from '../http/errors.ts';
import { createBackoff } from './login-backoff.ts';

/** Credentials for a login or a registration. */
interface Credentials {
  readonly account: string;
  readonly password: string;
}

/**
 * Logs a user in. Throws ApiError 401 for a wrong account or password, 403 for a disabled account, 429 for an account or a
 * source that fails too often, 503 when too many logins run at once.
 */
export type Login = (ctx: Context, credentials: Credentials) => Promise<NewLogin>;

/** A user and a session that has just begun. */
export type NewLogin = Omit<Extract<LoginOutcome, { kind: 'done' }>, 'kind'>;

/** Creates an account for anyone, if the operator permits it. */
export interface Registration {
  /** Throws ApiError 403 where registration is off. */
  check(): void;
  /** Creates the account and logs in. Throws the same, ApiError 429 for a source that registers too often, and DataError like `createUser`. */
  register(ctx: Context, credentials: Credentials): Promise<NewLogin>;
}

const HOUR_MS = 3_600_000;
const LOGINS_BY_ACCOUNT = { free: 10, firstMs: 1000, mostMs: 60_000, forgetMs: HOUR_MS };
const LOGINS_BY_SOURCE = { free: 20, firstMs: 1000, mostMs: HOUR_MS / 4, forgetMs: HOUR_MS };
const REGISTRATIONS_BY_SOURCE = { free: 5, firstMs: 60_000, mostMs: HOUR_MS, forgetMs: 2 * HOUR_MS };
/** Longest part of an account that attempts are counted by; no account is that long. */
const MAX_KEY_LENGTH = 200;

/** Creates the login, which the API and the console share so that attempts are counted together. */
export function createLogin(accounts: Accounts, sourceOf: (ctx: Context) => string): Login {
  const nowMs = (): number => accounts.now().getTime();
  const byAccount = createBackoff(LOGINS_BY_ACCOUNT, nowMs);
  const bySource = createBackoff(LOGINS_BY_SOURCE, nowMs);
  return async (ctx, { account, password }) => {
    const source = sourceOf(ctx);
    const name = foldAccount(account.slice(0, MAX_KEY_LENGTH));
    checkWait(Math.max(byAccount.waitMs(name), bySource.waitMs(source)));
    byAccount.count(name);
    bySource.count(source);
    const outcome = await hashOrRefuse(
      () => logIn(accounts, { account, password }),
      () => {
        byAccount.forgive(name);
        bySource.forgive(source);
      },
    );
    if (outcome.kind === 'wrong') throw new ApiError(401, 'wrong-login', 'Account or password is wrong');
    byAccount.forget(name);
    // Only one attempt: otherwise one account of one's own would be enough to continue forever.
    bySource.forgive(source);
    if (outcome.kind === 'disabled') throw new ApiError(403, 'disabled', 'This account is disabled; ask the operator');
    return outcome;
  };
}

/** Creates the registration, which the API and the console share so that attempts are counted together. */
export function createRegistration(
  settings: Settings,
  accounts: Accounts,
  sourceOf: (ctx: Context) => string,
): Registration {
  const bySource = createBackoff(REGISTRATIONS_BY_SOURCE, () => accounts.now().getTime());
  const check = (): void => {
    if (settings.current().auth.registration) return;
    throw new ApiError(403, 'registration-off', 'Registration is off; ask the operator for an account');
  };
  return {
    check,
    async register(ctx, credentials) {
      check();
      const source = sourceOf(ctx);
      checkWait(bySource.waitMs(source));
      bySource.count(source);
      const forgive = (): void => bySource.forgive(source);
      try {
        const user = await hashOrRefuse(() => createUser(accounts, credentials), forgive);
        return { user, ...(await addSession(accounts, user.uid)) };
      } catch (error) {
        // Choosing an invalid name does no harm, but asking for many existing accounts may be an attempt to collect them.
        if (error instanceof DataError && error.code === 'invalid') forgive();
        throw error;
      }
    },
  };
}

/** Throws ApiError 429 for a caller that has to wait. */
function checkWait(waitMs: number): void {
  if (waitMs <= 0) return;
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  throw new ApiError(429, 'too-many', `Too many attempts; try again in ${seconds} s`, {
    headers: { 'Retry-After': String(seconds) },
  });
}

/**
 * Runs work that hashes a password. Where too many hashes are waiting, calls `onBusy` and throws ApiError 503 with
 * `Retry-After`.
 */
async function hashOrRefuse<T>(work: () => Promise<T>, onBusy: () => void): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof DataError && cause.code === 'busy')) throw cause;
    onBusy();
    throw new ApiError(503, 'overloaded', cause.message, { cause, expose: true, headers: { 'Retry-After': '2' } });
  }
}
