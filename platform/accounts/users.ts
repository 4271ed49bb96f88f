import { randomInt } from 'node:crypto';
import { DataError } from '../../data/data-error.ts';
import type { User } from '../../data/records/user.ts';
import type { Store } from '../../data/store.ts';
import type { Passwords } from './passwords.ts';

/** What every operation on accounts works with. */
export interface Accounts {
  readonly store: Pick<Store, 'users' | 'sessions' | 'keys'>;
  readonly passwords: Passwords;
  readonly now: () => Date;
  /** How long a login lasts. */
  readonly tokenDays: number;
}

/** A user to be created. */
export interface NewUser {
  readonly account: string;
  readonly password: string;
  readonly isOperator?: boolean;
}

/** A user as the operator sees them. */
export type PresentedUser = Omit<User, 'passwordHash'>;

const MAX_TRIES = 10;

/**
 * Creates a user. `isOfficial` allows an official name such as `admin`. Throws DataError `invalid`, `taken` and `busy`.
 */
export async function createUser(
  { store, passwords, now }: Pick<Accounts, 'store' | 'passwords' | 'now'>,
  { account: text, password, isOperator = false }: NewUser,
  options: { readonly isOfficial?: boolean; readonly drawUid?: () => string } = {},
): Promise<User> {
  const account = parseAccount(text, options);
  const passwordHash = await passwords.hash(password);
  const { drawUid = createUid } = options;
  for (let i = 0; i < MAX_TRIES; i++) {
    const uid = drawUid();
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

/**
 * Disables a user, who can no longer log in, or enables them again. Their sessions end either way, so that no earlier
 * token is valid once they are back. Throws DataError `not-found`.
 */
export async function disableUser({ store }: Pick<Accounts, 'store'>, uid: string, isDisabled = true): Promise<User> {
  return endSessions(store, uid, () =>
    store.users.change(uid, (user) => (user.isDisabled === isDisabled ? user : { ...user, isDisabled })),
  );
}

/** Records that the operator has verified a user's identity, or revokes it. Throws DataError `not-found`. */
export function verifyUser({ store }: Pick<Accounts, 'store'>, uid: string, isVerified = true): Promise<User> {
  return store.users.change(uid, (user) => (user.isVerified === isVerified ? user : { ...user, isVerified }));
}

/** Sets another password of a user and ends their sessions. Throws DataError `not-found`, `invalid`, `busy`. */
export async function changePassword(
  { store, passwords }: Pick<Accounts, 'store' | 'passwords'>,
  uid: string,
  password: string,
): Promise<User> {
  const passwordHash = await passwords.hash(password);
  return endSessions(store, uid, () => store.users.change(uid, (user) => ({ ...user, passwordHash })));
}

/** Returns a user without their password's hash. */
export function presentUser({ passwordHash: _, ...user }: User): PresentedUser {
  return user;
}

/** Ends sessions before the change, in case of a crash after it, and those that have begun meanwhile. */
async function endSessions(
  { sessions }: Pick<Accounts['store'], 'sessions'>,
  uid: string,
  change: () => Promise<User>,
): Promise<User> {
  await sessions.removeAllOf(uid);
  const user = await change();
  await sessions.removeAllOf(uid);
  return user;
}

/** Draws a uid: 10 decimal digits, the first one not 0. */
export function createUid(): string {
  return String(randomInt(1_000_000_000, 10_000_000_000));
}

const MIN_LENGTH = 2;
const MAX_LENGTH = 64;
/** Longest text that is normalized at all. */
const MAX_TEXT_LENGTH = 1_000;
const PATTERN = /^[\p{L}\p{Nd}][\p{L}\p{M}\p{Nd}._@+-]*$/u;
/** Letters of these scripts look alike, so that one name could pass for another. */
const SCRIPTS = [/\p{Script=Latin}/u, /\p{Script=Greek}/u, /\p{Script=Cyrillic}/u];
/** Names that programs take for something else. */
const NEVER = new Set(['anonymous', 'constructor', 'false', 'nobody', 'none', 'null', 'true', 'undefined']);
/** Names that only the operator assigns. */
const OFFICIAL = new Set(
  (
    'abuse admin administrator api billing contact docbuild help hostmaster info mail official operator owner postmaster ' +
    'root security service staff support sysadmin system webmaster www'
  ).split(' '),
);

/**
 * Returns an account as it is stored: NFC, lower case, 2 to 64 characters, letters and digits of any script, after the
 * first one also `. _ - @ +`. Official names such as `admin` are for the operator to assign. Throws DataError `invalid`.
 */
export function parseAccount(text: string, { isOfficial = false }: { readonly isOfficial?: boolean } = {}): string {
  const account = text.slice(0, MAX_TEXT_LENGTH).trim().normalize('NFC').toLowerCase().normalize('NFC');
  const { length } = [...account];
  if (length < MIN_LENGTH || length > MAX_LENGTH || text.length > MAX_TEXT_LENGTH) {
    throw new DataError('invalid', `An account must have ${MIN_LENGTH} to ${MAX_LENGTH} characters`);
  }
  if (!PATTERN.test(account)) {
    const message = 'An account must have letters and digits, and ".", "_", "-", "@" and "+" after the first';
    throw new DataError('invalid', message);
  }
  if (SCRIPTS.filter((script) => script.test(account)).length > 1) {
    throw new DataError('invalid', 'An account must not mix Latin, Greek and Cyrillic letters, which look alike');
  }
  if (NEVER.has(account) || (OFFICIAL.has(account) && !isOfficial)) {
    throw new DataError('invalid', `Account "${account}" is reserved; choose another`);
  }
  return account;
}
