import { randomInt } from 'node:crypto';
import { DataError } from '../../data/data-error.ts';
import type { User } from '../../data/records/user.ts';
import type { Accounts } from './accounts.ts';
import { parseAccount } from './parse-account.ts';

/** A user to be. */
export interface NewUser {
  readonly account: string;
  readonly password: string;
  readonly isOperator?: boolean;
}

const MAX_TRIES = 10;

/**
 * Creates a user. `isOfficial` lets them have an official name such as `admin`. Throws DataError `invalid`, `taken` and
 * `busy`.
 */
export async function createUser(
  { store, passwords, now }: Pick<Accounts, 'store' | 'passwords' | 'now'>,
  { account: text, password, isOperator = false }: NewUser,
  options: { readonly isOfficial?: boolean; readonly createUid?: () => string } = {},
): Promise<User> {
  const account = parseAccount(text, options);
  const passwordHash = await passwords.hash(password);
  const { createUid: draw = createUid } = options;
  for (let i = 0; i < MAX_TRIES; i++) {
    const uid = draw();
    const createdAt = now().toISOString();
    const user = { uid, account, passwordHash, isOperator, isVerified: false, isDisabled: false, createdAt };
    try {
      await store.users.add(user);
      return user;
    } catch (error) {
      const isUidTaken = error instanceof DataError && error.code === 'taken' && (await store.users.find(uid));
      if (!isUidTaken || (await store.users.findByAccount(account))) throw error;
    }
  }
  throw new DataError('taken', 'No free uid was found; try again');
}

/** Draws a uid: 10 decimal digits, the first one not 0. */
export function createUid(): string {
  return String(randomInt(1_000_000_000, 10_000_000_000));
}
