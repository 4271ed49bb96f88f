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
  /** ISO 8601, UTC. Undefined: never. */
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

/** Creates the users' part of a store. */
export function createUserStore(database: Database) {
  return {
    find: (uid: string) => database.read(tx.get(users, uid)),
    /** `account` as it is stored: NFKC, lower case. */
    findByAccount: (account: string) => database.read(tx.first(users.indexes.byAccount, account)),
    /** Returns users in the order of their accounts, those after `after` (an account), whose accounts begin with `prefix`. */
    list({ prefix = '', after, limit }: { readonly prefix?: string; readonly after?: string; readonly limit: number }) {
      const isPast = after !== undefined && after >= prefix;
      // In the order of code units accounts with one prefix stand together; U+FFFF is in none.
      const range = { ...(isPast ? { after } : { from: prefix }), before: `${prefix}\uffff`, limit };
      return database.read(tx.list(users.indexes.inOrder, '', range));
    },
    /** Counts all users. */
    count: () => database.read(tx.count(users.indexes.inOrder, '')),
    /** Throws `taken` for a uid or account that another user has. */
    async add(user: User) {
      const record = users.parse(user);
      await database.transact(function* () {
        if (yield* tx.get(users, record.uid)) throw new DataError('taken', phrase`User "${record.uid}" already exists`);
        yield* checkAccount(record);
        yield* tx.put(users, record);
      });
    },
    /** Changes one user and returns them as they are now. Throws `not-found`, `taken` (account). */
    change: (uid: string, change: (user: User) => User) =>
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
