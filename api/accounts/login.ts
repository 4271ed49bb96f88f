import type { Context } from 'koa';
import type { Attempt, AttemptCounter } from '../../data/attempts.ts';
import { DataError } from '../../data/data-error.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { parseNetwork, widenNetwork } from '../../lib/ip-address.ts';
import { phrase } from '../../lib/phrase.ts';
import { trimCharacters } from '../../lib/trim-characters.ts';
import { isUnwritable } from '../../platform/accounts/held-sessions.ts';
import { findKnownDevice } from '../../platform/accounts/known-devices.ts';
import {
  addSession,
  type LoginAttempt,
  logIn,
  type PasswordOutcome,
  verifyPassword,
} from '../../platform/accounts/sessions.ts';
import { type Accounts, createUser, findByAccount, foldAccount } from '../../platform/accounts/users.ts';
import type { Audit } from '../../platform/audit/audit.ts';
import { DEFAULT_LIMIT_SETTINGS, type LimitSettings } from '../../platform/config/limit-settings.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { ServiceError } from '../../platform/failures/service-error.ts';
import { readForm } from '../http/bodies.ts';
import { actorOf, type BegunSession, type Callers, readDevice } from '../http/callers.ts';

/** Credentials for a login or a registration. */
interface Credentials {
  readonly account: string;
  readonly password: string;
}

/**
 * Logs a user in. Throws ServiceError 401 for a wrong account or password, 403 for a disabled account, 429 for an account or a
 * source that fails too often, 503 when too many logins run at once.
 */
export type Login = (ctx: Context, credentials: Credentials) => Promise<BegunSession>;

/** Checks a password that is given again, and begins no session. Throws like `Login`, with which its attempts count. */
type CheckPassword = (ctx: Context, credentials: Credentials) => Promise<void>;

/** The ways to show a password, whose attempts are counted together. */
export interface PasswordGate {
  readonly login: Login;
  readonly checkPassword: CheckPassword;
  /** Returns whether a request is a login, at the path of the API, of somebody who has logged in from the same browser before. */
  readonly isKnownLogin: (ctx: Context) => Promise<boolean>;
}

/** Path of the API's login. */
export const LOGIN = '/api/user/login';

/** Creates an account for anyone, if the operator permits it. */
export interface Registration {
  /** Throws ServiceError 403 where registration is off. */
  check(): void;
  /** Creates the account and logs in. Throws the same, ServiceError 429 for a source that registers too often, DataError like `createUser`. */
  register(ctx: Context, credentials: Credentials): Promise<BegunSession>;
}

const HOUR_MS = 3_600_000;
const LOGINS_BY_ACCOUNT = { firstMs: 1000, mostMs: 60_000, forgetMs: HOUR_MS };
const LOGINS_BY_SOURCE = { firstMs: 1000, mostMs: HOUR_MS / 4, forgetMs: HOUR_MS };
const REGISTRATIONS_BY_SOURCE = { firstMs: 60_000, mostMs: HOUR_MS, forgetMs: 2 * HOUR_MS };
/** Addresses from which a user has logged in are known for so long, until the process ends. */
const ADDRESS_MS = 30 * 24 * HOUR_MS;
const MAX_ADDRESSES = 50_000;
/** Longest part of an account that attempts are counted by; no account is that long. */
const MAX_KEY_LENGTH = 200;

/** Creates the login and the check of passwords, which the API and the console share so that attempts are counted together. */
export function createLogin(
  accounts: Accounts,
  context: Pick<Callers, 'sourceOf' | 'addressOf'> & {
    readonly audit: Pick<Audit, 'record' | 'addAttempt'>;
    readonly attempts: AttemptCounter;
    /** How many attempts are free; default: the usual ones. */
    readonly limits?: () => LimitSettings;
    /** Is told which failed login could not be recorded. */
    readonly onError: (error: unknown) => void;
  },
): PasswordGate {
  const { sourceOf, audit, attempts, limits = () => DEFAULT_LIMIT_SETTINGS, onError } = context;
  const nowMs = (): number => accounts.now().getTime();
  /** Returns whether something happened lately; not where the clock was set back since. */
  const isWithin = (ms: number, atMs: number | undefined): boolean =>
    atMs !== undefined && Math.abs(nowMs() - atMs) < ms;
  /** Users with where they have logged in from, and when. */
  const addresses = createBoundedMap<string, number>({ maxEntries: MAX_ADDRESSES });
  /** When customers have sent a wrong password; when many passwords wait, others do not wait behind theirs. */
  const failedSites = createBoundedMap<string, number>({ maxEntries: MAX_ADDRESSES });
  const attempt = async <Outcome extends { readonly kind: PasswordOutcome['kind'] }>(
    ctx: Context,
    { account, password }: Credentials,
    { action, work }: { action: string; work: (accounts: Accounts, attempt: LoginAttempt) => Promise<Outcome> },
  ): Promise<Extract<Outcome, { readonly kind: 'done' }>> => {
    const source = sourceOf(ctx);
    const site = siteOf(source);
    const name = foldAccount(account.slice(0, MAX_KEY_LENGTH));
    const user = await findByAccount(accounts.store, account);
    const device = user && findKnownDevice(readDevice(ctx), user);
    const ownDevice = device === undefined ? undefined : `${user?.uid} ${device}`;
    const address = `${user?.uid} ${source}`;
    // Whoever attacks an account, or shares an address with somebody who does, does not slow down its known devices.
    const { logins_per_account, logins_per_address, logins_per_network } = limits();
    const byAccount = { ...LOGINS_BY_ACCOUNT, free: logins_per_account };
    const counts: readonly Count[] = ownDevice
      ? [{ kind: 'device', key: ownDevice, limit: byAccount, isReset: true }]
      : [
          { kind: 'account', key: name, limit: byAccount, isReset: true },
          // Otherwise one account of one's own would be enough to continue forever.
          { kind: 'source', key: source, limit: { ...LOGINS_BY_SOURCE, free: logins_per_address }, isReset: false },
          { kind: 'site', key: site, limit: { ...LOGINS_BY_SOURCE, free: logins_per_network }, isReset: false },
        ];
    refuseWait(await attempts.count(counts), 'logins');
    const isKnown = ownDevice !== undefined || (user !== undefined && isWithin(ADDRESS_MS, addresses.get(address)));
    const standing = isKnown ? 'known' : isWithin(HOUR_MS, failedSites.peek(site)) ? 'failed' : 'new';
    const asker = { standing, name: ownDevice ?? source } as const;
    const event = user?.isOperator ? { actor: actorOf(ctx, user, context), action } : undefined;
    const input = { account, password, asker };
    const outcome = await hashOrRefuse(
      () =>
        event
          ? audit
              .record(event, (store) => work({ ...accounts, store }, input))
              .catch((error: unknown) => {
                // Whoever could make room would have to stay out. The server's log has it instead.
                if (!isUnwritable(error)) throw error;
                const { name, from } = event.actor;
                onError(
                  new Error(`Cannot enter into the audit log: ${action} of "${name}" from ${from}`, { cause: error }),
                );
                return work(accounts, input);
              })
          : work(accounts, input),
      () => attempts.forgive(counts),
    );
    // Nobody waits for it: how long an answer takes does not tell who is an operator.
    if (event && outcome.kind !== 'done') audit.addAttempt(event).catch(onError);
    if (outcome.kind === 'wrong' && ownDevice === undefined) failedSites.set(site, nowMs());
    if (outcome.kind === 'wrong') throw new ServiceError('wrong-login', phrase`Account or password is wrong`);
    await attempts.forget(counts.filter(({ isReset }) => isReset));
    await attempts.forgive(counts.filter(({ isReset }) => !isReset));
    if (outcome.kind === 'disabled')
      throw new ServiceError('account-disabled', phrase`This account is disabled; ask the operator`);
    addresses.set(address, nowMs());
    return outcome as Extract<Outcome, { readonly kind: 'done' }>;
  };
  return {
    login: (ctx, credentials) => attempt(ctx, credentials, { action: 'logIn', work: logIn }),
    async isKnownLogin(ctx) {
      const device = readDevice(ctx);
      if (device === undefined || ctx.method !== 'POST' || trimCharacters(ctx.path.toLowerCase(), '/') !== LOGIN)
        return false;
      const account = (await readForm(ctx)).get('account') ?? '';
      const user = await findByAccount(accounts.store, account);
      return user !== undefined && findKnownDevice(device, user) !== undefined;
    },
    async checkPassword(ctx, credentials) {
      await attempt(ctx, credentials, { action: 'checkPassword', work: verifyPassword });
    },
  };
}

/** One of the ways in which an attempt counts. */
interface Count extends Attempt {
  /** A right password ends all waits of this kind; otherwise only this attempt is taken back. */
  readonly isReset: boolean;
}

/** Returns the network that one customer has: an IPv6 source is a /64, of which customers get 65,536 at once. */
function siteOf(source: string): string {
  const network = parseNetwork(source);
  return network?.version === 6 ? widenNetwork(network, 48).text : source;
}

/** Creates the registration, which the API and the console share so that attempts are counted together. */
export function createRegistration(
  settings: Settings,
  accounts: Accounts,
  { sourceOf, attempts }: Pick<Callers, 'sourceOf'> & { readonly attempts: AttemptCounter },
): Registration {
  const check = (): void => {
    if (settings.current().auth.registration) return;
    throw new ServiceError('registration-off', phrase`Registration is off; ask the operator for an account`);
  };
  return {
    check,
    async register(ctx, credentials) {
      check();
      const source = sourceOf(ctx);
      const free = settings.current().limits.registrations_per_address;
      const counts = [{ kind: 'registration', key: source, limit: { ...REGISTRATIONS_BY_SOURCE, free } }];
      refuseWait(await attempts.count(counts), 'registrations');
      const forgive = (): Promise<void> => attempts.forgive(counts);
      const asker = { standing: 'new', name: source } as const;
      try {
        const user = await hashOrRefuse(() => createUser(accounts, credentials, { asker }), forgive);
        return { user, ...(await addSession(accounts, user.uid)) };
      } catch (error) {
        // Choosing an invalid name does no harm, but asking for many existing accounts may be an attempt to collect them.
        if (error instanceof DataError && error.code === 'invalid') await forgive();
        throw error;
      }
    },
  };
}

/** Throws ServiceError 429 for a caller that has to wait. */
function refuseWait(waitMs: number, limit: string): void {
  if (waitMs <= 0) return;
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  throw new ServiceError('too-many', phrase`Too many attempts; try again in ${seconds} s`, {
    headers: { 'Retry-After': String(seconds) },
    limit,
  });
}

/**
 * Runs work that hashes a password. Where too many hashes are waiting, calls `onBusy` and throws ServiceError 503 with
 * `Retry-After`.
 */
async function hashOrRefuse<T>(work: () => Promise<T>, onBusy: () => Promise<void>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof DataError && cause.code === 'busy')) throw cause;
    await onBusy();
    throw new ServiceError('overloaded', cause.wording, { cause, headers: { 'Retry-After': '2' } });
  }
}
