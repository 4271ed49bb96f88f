import * as z from 'zod';
import { phrase } from '../../lib/phrase.ts';
import { defineCollection, type RecordOf } from '../collection.ts';
import { DataError } from '../data-error.ts';
import { type Database, type Step, tx } from '../transaction.ts';

const schema = z.object({
  /** 10 decimal digits, the first one not 0; never changes, named in payments. */
  uid: z.string().min(1),
  /** Name to log in with, lower case. */
  account: z.string().min(1),
  /** scrypt hash with its parameters and salt. */
  passwordHash: z.string(),
  /** May use the operator's part of the console. */
  isOperator: z.boolean(),
  /** The operator has checked who this is; shown as `realname` of short URLs. */
  isVerified: z.boolean(),
  isDisabled: z.boolean(),
  /** ISO 8601, UTC. */
  createdAt: z.string(),
  /** Their short URLs lead nowhere, in addition to those that are disabled by themselves. */
  areShortUrlsDisabled: z.boolean().optional(),
  /** ISO 8601, UTC. Undefined: never, or not since this is recorded. */
  lastLoginAt: z.string().optional(),
});

/** Somebody who may log in. */
export interface User extends RecordOf<typeof schema> {}

export const users = defineCollection({
  name: 'users',
  singular: 'user',
  schema,
  keyOf: ({ uid }) => uid,
  indexes: {
    byAccount: { groupOf: ({ account }) => account, orderOf: ({ uid }) => uid },
    inOrder: { groupOf: () => '', orderOf: ({ account }) => account },
  },
});

export interface UserStore {
  find(uid: string): Promise<User | undefined>;
  /** `account` as it is stored: NFC, lower case. */
  findByAccount(account: string): Promise<User | undefined>;
  /** Returns users in the order of their accounts, those after `after` (an account), whose accounts begin with `prefix`. */
  list(page: { readonly prefix?: string; readonly after?: string; readonly limit: number }): Promise<readonly User[]>;
  /** Counts all users. */
  count(): Promise<number>;
  /** Throws `taken` for a uid or account that another user has. */
  add(user: User): Promise<void>;
  /** Changes one user and returns them as they are now. Throws `not-found`, `taken` (account). */
  change(uid: string, change: (user: User) => User): Promise<User>;
}

/** Creates the users' part of a store. */
export function createUserStore(database: Database): UserStore {
  return {
    find: (uid) => database.read(tx.get(users, uid)),
    findByAccount: (account) => database.read(tx.first(users.indexes.byAccount, account)),
    list({ prefix = '', after, limit }) {
      const isPast = after !== undefined && after >= prefix;
      // In the order of code units accounts with one prefix stand together; U+FFFF is in none.
      const range = { ...(isPast ? { after } : { from: prefix }), before: `${prefix}\uffff`, limit };
      return database.read(tx.list(users.indexes.inOrder, '', range));
    },
    count: () => database.read(tx.count(users.indexes.inOrder, '')),
    async add(user) {
      const record = users.parse(user);
      await database.transact(function* () {
        if (yield* tx.get(users, record.uid)) throw new DataError('taken', phrase`User "${record.uid}" already exists`);
        yield* checkAccount(record);
        yield* tx.put(users, record);
      });
    },
    change: (uid, change) =>
      database.transact(() =>
        tx.change(users, {
          key: uid,
          change,
          missing: phrase`User "${uid.slice(0, 50)}" does not exist`,
          check: checkAccount,
        }),
      ),
  };
}

function* checkAccount({ uid, account }: User): Step<void> {
  const owner = yield* tx.first(users.indexes.byAccount, account);
  if (owner && owner.uid !== uid) throw new DataError('taken', phrase`Account "${account}" already exists`);
}
