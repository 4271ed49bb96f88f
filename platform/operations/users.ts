import { phrase } from '../../lib/phrase.ts';
import { createKey, type NewKey, presentKey } from '../accounts/api-keys.ts';
import {
  changePassword,
  createUser,
  disableUser,
  foldAccount,
  type PresentedUser,
  presentUser,
  verifyUser,
} from '../accounts/users.ts';
import { type OperationScope, operation } from './operation.ts';

/** A user in a list. */
export interface ListedUser extends PresentedUser {
  /** How many they have. */
  readonly shortUrls: number;
  /** The monthly tier that runs now. */
  readonly plan: 'free' | number;
}

const MAX_USERS = 1000;
/** The one module that is paid for. */
const MODULE = 'inclusion';

/** Operations on accounts. */
export const userOperations = {
  /** Also permits official names such as `admin`. */
  createUser: operation(
    async (input: { readonly account: string; readonly password: string; readonly isOperator?: boolean }, scope) =>
      presentUser(await createUser(accountsOf(scope), input, { isOfficial: true })),
    {
      title: phrase`create an account`,
      describe: ({ account, isOperator }) => ({ target: account, details: isOperator ? 'operator' : '' }),
    },
  ),
  /**
   * Returns users by account, up to `limit` (1,000 at most) after `after` (an account); with `search` the one with this uid,
   * before those whose accounts begin with it.
   */
  listUsers: operation(
    async (
      input: { readonly search?: string | undefined; readonly after?: string | undefined; readonly limit?: number },
      { store: { users, shortUrls }, quotas },
    ): Promise<readonly ListedUser[]> => {
      const { search = '', after, limit = MAX_USERS } = input;
      const text = search.trim();
      const page = { prefix: foldAccount(text), limit: Math.min(limit, MAX_USERS) };
      const named = after === undefined && /^\d{10}$/.test(text) ? await users.find(text) : undefined;
      const found = await users.list({ ...page, ...(after !== undefined && { after }) });
      const all = named ? [named, ...found.filter(({ uid }) => uid !== named.uid)] : found;
      const uids = all.map(({ uid }) => uid);
      const [counts, plans] = await Promise.all([shortUrls.countOfUsers(uids), quotas.findPlans(MODULE, uids)]);
      return all.map((user, i) => ({ ...presentUser(user), shortUrls: counts[i]!, plan: plans[i]! }));
    },
    'none',
  ),
  /** Ends all sessions, too. `withShortUrls` disables the user's short URLs until the user is enabled. */
  disableUser: operation(
    async (
      { uid, ...how }: { readonly uid: string; readonly isDisabled: boolean; readonly withShortUrls?: boolean },
      scope,
    ) => presentUser(await disableUser(accountsOf(scope), uid, how)),
    {
      title: phrase`disable or enable an account`,
      describe: ({ uid, isDisabled, withShortUrls }) => ({
        target: uid,
        details: isDisabled ? (withShortUrls ? 'with short URLs' : '') : 'enabled again',
      }),
    },
  ),
  verifyUser: operation(
    async ({ uid, isVerified }: { readonly uid: string; readonly isVerified: boolean }, scope) =>
      presentUser(await verifyUser(accountsOf(scope), uid, isVerified)),
    {
      title: phrase`verify an account`,
      describe: ({ uid, isVerified }) => ({ target: uid, details: isVerified ? '' : 'mark removed' }),
    },
  ),
  /** Ends all sessions, too. */
  changePassword: operation(
    async ({ uid, password }: { readonly uid: string; readonly password: string }, scope) =>
      presentUser(await changePassword(accountsOf(scope), uid, password)),
    { title: phrase`change a password`, describe: ({ uid }) => ({ target: uid }) },
  ),
  /** Returns the key itself with its record, this one time. */
  createKey: operation(
    async (input: NewKey, scope) => {
      const { key, raw } = await createKey(accountsOf(scope), input);
      return { key: raw, info: presentKey(key) };
    },
    {
      title: phrase`create a key`,
      describe: ({ uid, permission, name }) => ({ target: uid, details: [permission, name].join(' ').trim() }),
    },
  ),
};

function accountsOf({ accounts, store }: OperationScope) {
  return { ...accounts, store };
}
