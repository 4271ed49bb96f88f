import type { Store } from '../../data/store.ts';
import { createKey, type NewKey, type PresentedKey, presentKey } from '../accounts/api-keys.ts';
import {
  type Accounts,
  changePassword,
  createUser,
  disableUser,
  foldAccount,
  type PresentedUser,
  presentUser,
  verifyUser,
} from '../accounts/users.ts';
import type { Quotas } from '../quotas/quotas.ts';

/** A user in a list. */
export interface ListedUser extends PresentedUser {
  /** How many they have. */
  readonly shortUrls: number;
  /** The monthly tier that runs now. */
  readonly plan: 'free' | number;
}

/** What an operator can do with accounts. */
export interface UserOperations {
  /** Also permits official names such as `admin`. */
  createUser(input: {
    readonly account: string;
    readonly password: string;
    readonly isOperator?: boolean;
  }): Promise<PresentedUser>;
  /**
   * Returns users by account, up to `limit` (1,000 at most) after `after` (an account); with `search` the one with this uid,
   * before those whose accounts begin with it.
   */
  listUsers(input: {
    readonly search?: string;
    readonly after?: string;
    readonly limit?: number;
  }): Promise<readonly ListedUser[]>;
  /** Ends all sessions, too. `withShortUrls` disables the user's short URLs until the user is enabled. */
  disableUser(input: {
    readonly uid: string;
    readonly isDisabled: boolean;
    readonly withShortUrls?: boolean;
  }): Promise<PresentedUser>;
  verifyUser(input: { readonly uid: string; readonly isVerified: boolean }): Promise<PresentedUser>;
  /** Ends all sessions, too. */
  changePassword(input: { readonly uid: string; readonly password: string }): Promise<PresentedUser>;
  /** Returns the key itself with its record, this one time. */
  createKey(input: NewKey): Promise<{ readonly key: string; readonly info: PresentedKey }>;
}

const MAX_USERS = 1000;
/** The one module that is paid for. */
const MODULE = 'inclusion';

/** Creates the operations on accounts. */
export function createUserOperations({
  accounts,
  store,
  quotas,
}: {
  readonly accounts: Accounts;
  readonly store: Pick<Store, 'users' | 'shortUrls'>;
  readonly quotas: Pick<Quotas, 'findPlans'>;
}): UserOperations {
  const { users, shortUrls } = store;
  return {
    createUser: async (input) => presentUser(await createUser(accounts, input, { isOfficial: true })),
    async listUsers({ search = '', after, limit = MAX_USERS }) {
      const text = search.trim();
      const page = { prefix: foldAccount(text), limit: Math.min(limit, MAX_USERS) };
      const named = after === undefined && /^\d{10}$/.test(text) ? await users.find(text) : undefined;
      const found = await users.list({ ...page, ...(after !== undefined && { after }) });
      const all = named ? [named, ...found.filter(({ uid }) => uid !== named.uid)] : found;
      const uids = all.map(({ uid }) => uid);
      const [counts, plans] = await Promise.all([shortUrls.countOfUsers(uids), quotas.findPlans(MODULE, uids)]);
      return all.map((user, i) => ({ ...presentUser(user), shortUrls: counts[i]!, plan: plans[i]! }));
    },
    disableUser: async ({ uid, ...how }) => presentUser(await disableUser(accounts, uid, how)),
    verifyUser: async ({ uid, isVerified }) => presentUser(await verifyUser(accounts, uid, isVerified)),
    changePassword: async ({ uid, password }) => presentUser(await changePassword(accounts, uid, password)),
    async createKey(input) {
      const { key, raw } = await createKey(accounts, input);
      return { key: raw, info: presentKey(key) };
    },
  };
}
