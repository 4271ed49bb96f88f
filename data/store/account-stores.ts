import type { ApiKey } from '../records/api-key.ts';
import type { Session } from '../records/session.ts';
import type { User } from '../records/user.ts';

export interface UserStore {
  find(uid: string): Promise<User | undefined>;
  /** `account` as `parseAccount` gives it. */
  findByAccount(account: string): Promise<User | undefined>;
  /** Gives users in the order of their accounts, those behind `after` (an account). */
  list(page: { readonly after?: string; readonly limit: number }): Promise<readonly User[]>;
  /** Throws `taken` for a uid or account that another user has. */
  add(user: User): Promise<void>;
  /** Changes one user and gives them as they are now. Throws `not-found`, `taken` (account). */
  change(uid: string, change: (user: User) => User): Promise<User>;
}

export interface SessionStore {
  /** Gives a session, also one that has expired and was not pruned yet. */
  find(tokenHash: string): Promise<Session | undefined>;
  /** Gives the sessions of a user, the oldest first. */
  listOf(uid: string): Promise<readonly Session[]>;
  /** Adds a session; where the user has more than `most` (at least 1) then, the oldest others go. Throws `taken`. */
  add(session: Session, limit: { readonly most: number }): Promise<void>;
  /** Removes a session; gives false where there was none. */
  remove(tokenHash: string): Promise<boolean>;
  /** Removes all sessions of a user and gives their number. */
  removeAllOf(uid: string): Promise<number>;
  /** Removes the sessions that have expired at this moment (ISO 8601, UTC) and gives their number. */
  prune(now: string): Promise<number>;
}

export interface KeyStore {
  find(id: string): Promise<ApiKey | undefined>;
  findByHash(hash: string): Promise<ApiKey | undefined>;
  /** Gives the keys of a user, the oldest first. */
  listOf(uid: string): Promise<readonly ApiKey[]>;
  /**
   * Adds a key; gives false, and changes nothing, where its owner has `most` keys already, however many are added at once.
   * Throws `taken` for an id or hash that another key has.
   */
  add(key: ApiKey, limit: { readonly most: number }): Promise<boolean>;
  /** Changes one key, but not its owner, and gives it as it is now. Throws `not-found`, `taken` (hash). */
  change(id: string, change: (key: ApiKey) => ApiKey): Promise<ApiKey>;
  /** Removes a key; gives it, or undefined where there was none. */
  remove(id: string): Promise<ApiKey | undefined>;
}
