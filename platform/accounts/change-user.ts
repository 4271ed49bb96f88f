import type { User } from '../../data/records/user.ts';
import type { Accounts } from './accounts.ts';

/**
 * Lets a user in no more, or again. Their sessions end either way, so that no token of before counts once they are back.
 * Throws DataError `not-found`.
 */
export async function disableUser({ store }: Pick<Accounts, 'store'>, uid: string, isDisabled = true): Promise<User> {
  return endingSessions(store, uid, () =>
    store.users.change(uid, (user) => (user.isDisabled === isDisabled ? user : { ...user, isDisabled })),
  );
}

/** Notes that the operator has checked who somebody is, or takes it back. Throws DataError `not-found`. */
export function verifyUser({ store }: Pick<Accounts, 'store'>, uid: string, isVerified = true): Promise<User> {
  return store.users.change(uid, (user) => (user.isVerified === isVerified ? user : { ...user, isVerified }));
}

/** Gives a user another password and ends their sessions. Throws DataError `not-found`, `invalid`, `busy`. */
export async function changePassword(
  { store, passwords }: Pick<Accounts, 'store' | 'passwords'>,
  uid: string,
  password: string,
): Promise<User> {
  const passwordHash = await passwords.hash(password);
  return endingSessions(store, uid, () => store.users.change(uid, (user) => ({ ...user, passwordHash })));
}

/** Ends the sessions before the change, lest a crash behind it leave them, and those that have begun meanwhile. */
async function endingSessions(
  { sessions }: Pick<Accounts['store'], 'sessions'>,
  uid: string,
  change: () => Promise<User>,
): Promise<User> {
  await sessions.removeAllOf(uid);
  const user = await change();
  await sessions.removeAllOf(uid);
  return user;
}
