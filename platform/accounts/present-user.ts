import type { ApiKey } from '../../data/records/api-key.ts';
import type { User } from '../../data/records/user.ts';

/** A user as the operator sees them. */
export type PresentedUser = Omit<User, 'passwordHash'>;

/** A key as its owner sees it. */
export type PresentedKey = Omit<ApiKey, 'hash'>;

/** Gives a user without what is kept of the password. */
export function presentUser({ passwordHash: _, ...user }: User): PresentedUser {
  return user;
}

/** Gives a key without its hash. */
export function presentKey({ hash: _, ...key }: ApiKey): PresentedKey {
  return key;
}
