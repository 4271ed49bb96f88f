import { randomInt } from 'node:crypto';
import { DataError } from '../../data/data-error.ts';
import type { User } from '../../data/records/user.ts';
import type { Store } from '../../data/store.ts';
import { phrase } from '../../lib/phrase.ts';
import { type Asker, checkNewPassword, type Passwords } from './passwords.ts';

/** Store, clock and passwords of the operations on accounts. */
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
  options: { readonly isOfficial?: boolean; readonly asker?: Asker; readonly drawUid?: () => string } = {},
): Promise<User> {
  const account = parseAccount(text, options);
  await checkNewPassword(password, account);
  const passwordHash = await passwords.hash(password, options.asker);
  const { drawUid = createUid } = options;
  for (let i = 0; i < MAX_TRIES; i++) {
    const uid = drawUid();
    const createdAt = now().toISOString();
    const user = {
      uid,
      account,
      passwordHash,
      isOperator,
      isVerified: false,
      isDisabled: false,
      createdAt,
      areShortUrlsDisabled: undefined,
      lastLoginAt: undefined,
    };
    try {
      await store.users.add(user);
      return user;
    } catch (error) {
      const isUidTaken = error instanceof DataError && error.code === 'taken' && (await store.users.find(uid));
      if (!isUidTaken || (await store.users.findByAccount(account))) throw error;
    }
  }
  throw new DataError('taken', phrase`No free uid was found; try again`);
}

/**
 * Disables a user, who can no longer log in, or enables them again. Their sessions end either way, so that no earlier
 * token is valid once they are back. `withShortUrls` disables their short URLs, too, until the user is enabled. Throws
 * DataError `not-found`.
 */
export async function disableUser(
  { store }: Pick<Accounts, 'store'>,
  uid: string,
  {
    isDisabled = true,
    withShortUrls = false,
  }: { readonly isDisabled?: boolean; readonly withShortUrls?: boolean } = {},
): Promise<User> {
  return endSessions(store, uid, () =>
    store.users.change(uid, (user) => {
      const areShortUrlsDisabled = (isDisabled && (withShortUrls || user.areShortUrlsDisabled)) || undefined;
      const isSame = user.isDisabled === isDisabled && user.areShortUrlsDisabled === areShortUrlsDisabled;
      return isSame ? user : { ...user, isDisabled, areShortUrlsDisabled };
    }),
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
  const user = await store.users.find(uid);
  if (user) await checkNewPassword(password, user.account);
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
/** Scripts that are in use today, by UAX #31. */
const SCRIPTS =
  'Arabic Armenian Bengali Bopomofo Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Hangul Han Hebrew ' +
  'Hiragana Kannada Katakana Khmer Lao Latin Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan';
/** Scripts that are written together; the level "highly restrictive" of UTS #39. */
const TOGETHER = ['Latin Han Hiragana Katakana', 'Latin Han Bopomofo', 'Latin Han Hangul', ...SCRIPTS.split(' ')];
const WRITTEN_TOGETHER = TOGETHER.map((names) => {
  const scripts = names.split(' ').map((name) => `\\p{scx=${name}}`);
  return new RegExp(`^[\\p{sc=Common}\\p{sc=Inherited}${scripts.join('')}]+$`, 'u');
});
/** Names that programs take for something else. */
const NEVER = new Set(['anonymous', 'constructor', 'false', 'nobody', 'none', 'null', 'true', 'undefined']);
/** Names that only the operator assigns. */
const OFFICIAL = new Set(
  (
    'abuse admin administrator api billing contact docbuild help hostmaster info mail official operator owner postmaster ' +
    'root security service staff support sysadmin system webmaster www ' +
    'администратор админ модератор поддержка служба 管理员 管理員 管理者 系统管理员 系統管理員 系统 系統 官方 客服 客户服务 ' +
    '技术支持 技術支援 支持 帮助 运营 运营者 運營 站长 站長 版主 财务 安全 公告 联系我们 关于我们'
  )
    .split(' ')
    .map(bareName),
);
/**
 * Letters of phonetic notation and of historic spellings: no name is written with them, and many look like capitals. And those that
 * are not seen at all, such as the fillers of Hangul.
 */
const ODD_LETTERS = /[\u1D00-\u1DBF\u2C60-\u2C7F\uA720-\uA7FF\uAB30-\uAB6F\p{Default_Ignorable_Code_Point}]/u;

/**
 * Returns what is left of a name without all that is seen as punctuation, a stain or nothing beside its letters: `admin.`, `ad-min`,
 * `adminʼ`, `admin̲` and `admin一` pass for `admin`.
 */
function bareName(name: string): string {
  return name.normalize('NFKD').replace(/[._@+\p{M}\p{Lm}\p{Default_Ignorable_Code_Point}一丨丶丿亅ㄧ-]/gu, '');
}

/** Returns a text that names an account in one spelling: NFKC, so that no full-width `ａｄｍｉｎ` passes for another, and lower case. */
export function foldAccount(text: string): string {
  return text.slice(0, MAX_TEXT_LENGTH).trim().normalize('NFKC').toLowerCase().normalize('NFKC');
}

/** Returns the user of an account, in whatever spelling. */
export function findByAccount({ users }: Pick<Store, 'users'>, text: string): Promise<User | undefined> {
  return users.findByAccount(foldAccount(text));
}

/**
 * Returns an account as it is stored: NFKC, lower case, 2 to 64 characters, letters and digits of one script or of scripts
 * that are written together, after the first one also `. _ - @ +`. Official names such as `admin` are for the operator to
 * assign. Throws DataError `invalid`.
 */
export function parseAccount(text: string, { isOfficial = false }: { readonly isOfficial?: boolean } = {}): string {
  const account = foldAccount(text);
  const { length } = [...account];
  if (length < MIN_LENGTH || length > MAX_LENGTH || text.length > MAX_TEXT_LENGTH) {
    throw new DataError('invalid', phrase`An account must have ${MIN_LENGTH} to ${MAX_LENGTH} characters`);
  }
  if (!PATTERN.test(account) || ODD_LETTERS.test(account)) {
    const message = phrase`An account must have letters and digits, and ".", "_", "-", "@" and "+" after the first`;
    throw new DataError('invalid', message);
  }
  if (!WRITTEN_TOGETHER.some((scripts) => scripts.test(account))) {
    throw new DataError('invalid', phrase`An account must not mix letters of several scripts, since some look alike`);
  }
  const bare = bareName(account);
  if (NEVER.has(bare) || (OFFICIAL.has(bare) && !isOfficial)) {
    throw new DataError('invalid', phrase`Account "${account}" is reserved; choose another`);
  }
  return account;
}
