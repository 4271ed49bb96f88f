import type { Session } from '../../data/records/session.ts';
import type { User } from '../../data/records/user.ts';
import { isUnwritable } from './held-sessions.ts';
import type { Asker } from './passwords.ts';
import { createToken, hashToken, MAX_TOKEN_LENGTH } from './tokens.ts';
import { type Accounts, findByAccount } from './users.ts';

/** Why an attempt to log in is refused. */
type LoginRefusal =
  /** No such account, or not its password: which one is not told. */
  | { readonly kind: 'wrong' }
  /** The password is right, but the account is disabled. */
  | { readonly kind: 'disabled' };

/** The result of an attempt to log in. */
export type LoginOutcome =
  | { readonly kind: 'done'; readonly user: User; readonly token: string; readonly session: Session }
  | LoginRefusal;

/** The result of a password's check, which begins no session. */
export type PasswordOutcome =
  | { readonly kind: 'done'; readonly user: User; readonly isOutdated: boolean }
  | LoginRefusal;

/** An account, its password and who sends them. */
export interface LoginAttempt {
  readonly account: string;
  readonly password: string;
  readonly asker?: Asker;
}

/** Sessions of one user at a time; the oldest are removed. */
export const MAX_SESSIONS = 50;
/** Sessions that have expired and are kept: the clock may be ahead, and they are valid again when it is set right. */
export const KEPT_EXPIRED = 1_000;
const DAY_MS = 86_400_000;
const MAX_TRIES = 3;

/**
 * Logs a user in. An account that does not exist takes as long as a wrong password. A password that was hashed with weaker
 * parameters than today's is hashed again. Throws DataError `busy`.
 */
export async function logIn(accounts: Accounts, attempt: LoginAttempt): Promise<LoginOutcome> {
  const { store } = accounts;
  const { password, asker } = attempt;
  for (let i = 0; i < MAX_TRIES; i++) {
    const outcome = await verifyPassword(accounts, attempt);
    if (outcome.kind !== 'done') return outcome;
    const { user, isOutdated } = outcome;
    const current = isOutdated ? await renewHash(accounts, user, { password, asker }) : user;
    const { token, session } = await addSession(accounts, user.uid);
    // Whoever changed the password or disabled the account meanwhile has ended all sessions but this one.
    const now = await store.users.find(user.uid);
    if (now && !now.isDisabled && now.passwordHash === current.passwordHash) {
      return { kind: 'done', user: now, token, session };
    }
    await store.sessions.remove(session.tokenHash);
  }
  return { kind: 'wrong' };
}

/** Checks an account's password as `logIn` does, and changes nothing. Throws DataError `busy`. */
export async function verifyPassword(
  { store, passwords }: Pick<Accounts, 'store' | 'passwords'>,
  { account, password, asker }: LoginAttempt,
): Promise<PasswordOutcome> {
  const user = await findByAccount(store, account);
  const { isRight, isOutdated } = await passwords.verify(password, user?.passwordHash, asker);
  if (!user || !isRight) return { kind: 'wrong' };
  return user.isDisabled ? { kind: 'disabled' } : { kind: 'done', user, isOutdated };
}

/** Returns the user of a session's token; undefined when it is unknown or expired, or its user is disabled. */
export async function findBySession(
  { store, now }: Pick<Accounts, 'store' | 'now'>,
  token: string,
): Promise<User | undefined> {
  if (token === '' || token.length > MAX_TOKEN_LENGTH) return undefined;
  const session = await store.sessions.find(hashToken(token));
  if (!session || session.expiresAt <= now().toISOString()) return undefined;
  return findEnabledUser(store, session.uid);
}

/** Returns a user; undefined when they are unknown or disabled. */
export async function findEnabledUser(
  { users }: Pick<Accounts['store'], 'users'>,
  uid: string,
): Promise<User | undefined> {
  const user = await users.find(uid);
  return user?.isDisabled === false ? user : undefined;
}

async function renewHash(
  { store, passwords }: Accounts,
  user: User,
  { password, asker }: { readonly password: string; readonly asker: Asker | undefined },
): Promise<User> {
  const passwordHash = await passwords.hash(password, asker);
  return store.users
    .change(user.uid, (one) => (one.passwordHash === user.passwordHash ? { ...one, passwordHash } : one))
    .catch((error: unknown) => {
      // The next login tries again.
      if (isUnwritable(error)) return user;
      throw error;
    });
}

/** Begins a session of a user, who has shown that they may, and records when. */
export async function addSession(
  { store, now, tokenDays }: Pick<Accounts, 'store' | 'now' | 'tokenDays'>,
  uid: string,
): Promise<{ readonly token: string; readonly session: Session }> {
  const { raw, hash } = createToken('dbs_');
  const created = now();
  const expires = new Date(created.getTime() + tokenDays * DAY_MS);
  const session = { tokenHash: hash, uid, createdAt: created.toISOString(), expiresAt: expires.toISOString() };
  // Other failures to write keep nobody out; whether the session may be held in memory is the store's to say.
  const unlessFull = (error: unknown): void => {
    if (!isUnwritable(error)) throw error;
  };
  await store.sessions.prune(session.createdAt, KEPT_EXPIRED).catch(unlessFull);
  await Promise.all([
    store.sessions.add(session, { most: MAX_SESSIONS }),
    store.users.change(uid, (user) => ({ ...user, lastLoginAt: session.createdAt })).catch(unlessFull),
  ]);
  return { token: raw, session };
}
