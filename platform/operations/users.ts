import { createKey, type NewKey, type PresentedKey, presentKey } from '../accounts/api-keys.ts';
import {
  type Accounts,
  changePassword,
  createUser,
  disableUser,
  type PresentedUser,
  presentUser,
  verifyUser,
} from '../accounts/users.ts';

/** What an operator can do with accounts. */
export interface UserOperations {
  /** Also permits official names such as `admin`. */
  createUser(input: {
    readonly account: string;
    readonly password: string;
    readonly isOperator?: boolean;
  }): Promise<PresentedUser>;
  /** Returns users by account, up to `limit` (1,000 at most) after `after` (an account). */
  listUsers(input: { readonly after?: string; readonly limit?: number }): Promise<readonly PresentedUser[]>;
  /** Ends all sessions, too. */
  disableUser(input: { readonly uid: string; readonly isDisabled: boolean }): Promise<PresentedUser>;
  verifyUser(input: { readonly uid: string; readonly isVerified: boolean }): Promise<PresentedUser>;
  /** Ends all sessions, too. */
  changePassword(input: { readonly uid: string; readonly password: string }): Promise<PresentedUser>;
  /** Returns the key itself with its record, this one time. */
  createKey(input: NewKey): Promise<{ readonly key: string; readonly info: PresentedKey }>;
}

const MAX_USERS = 1000;

/** Creates the operations on accounts. */
export function createUserOperations(accounts: Accounts): UserOperations {
  const { users } = accounts.store;
  return {
    createUser: async (input) => presentUser(await createUser(accounts, input, { isOfficial: true })),
    async listUsers({ after, limit = MAX_USERS }) {
      const page = await users.list({ ...(after !== undefined && { after }), limit: Math.min(limit, MAX_USERS) });
      return page.map(presentUser);
    },
    disableUser: async ({ uid, isDisabled }) => presentUser(await disableUser(accounts, uid, isDisabled)),
    verifyUser: async ({ uid, isVerified }) => presentUser(await verifyUser(accounts, uid, isVerified)),
    changePassword: async ({ uid, password }) => presentUser(await changePassword(accounts, uid, password)),
    async createKey(input) {
      const { key, raw } = await createKey(accounts, input);
      return { key: raw, info: presentKey(key) };
    },
  };
}
