import { z } from 'zod';
import type { User } from '../records/user.ts';
import { createSortedIndex, type SortedIndex } from './sorted-index.ts';
import { createTable, type Table } from './table.ts';

/** Users by uid and account. */
export interface UserTable extends Table<User> {
  /** One group, '', in the order of accounts. */
  readonly inOrder: SortedIndex<User>;
  /** Groups are named by account. */
  readonly byAccount: SortedIndex<User>;
}

const schema = z.object({
  uid: z.string().min(1),
  account: z.string().min(1),
  passwordHash: z.string(),
  isOperator: z.boolean(),
  isVerified: z.boolean(),
  isDisabled: z.boolean(),
  createdAt: z.string(),
});

/** Creates an empty table of users. */
export function createUserTable(): UserTable {
  const inOrder = createSortedIndex<User>({ groupOf: () => '', orderOf: ({ account }) => account });
  const byAccount = createSortedIndex<User>({ groupOf: ({ account }) => account, orderOf: ({ uid }) => uid });
  const indexes = { inOrder, byAccount };
  const table = createTable<User>({
    collection: 'users',
    kind: { kind: 'user', schema },
    keyOf: ({ uid }) => uid,
    indexes: Object.values(indexes),
  });
  return { ...table, ...indexes };
}
