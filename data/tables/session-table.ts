import { z } from 'zod';
import type { Session } from '../records/session.ts';
import { createSortedIndex, type SortedIndex } from './sorted-index.ts';
import { createTable, type Table } from './table.ts';

/** Sessions by the hash of their token. */
export interface SessionTable extends Table<Session> {
  /** Groups are named by uid, the oldest first. */
  readonly byUser: SortedIndex<Session>;
  /** One group, '', those that expire first in front. */
  readonly byExpiry: SortedIndex<Session>;
}

const schema = z.object({
  tokenHash: z.string().min(1),
  uid: z.string().min(1),
  createdAt: z.string(),
  expiresAt: z.string(),
});

/** Creates an empty table of sessions. */
export function createSessionTable(): SessionTable {
  const byUser = createSortedIndex<Session>({
    groupOf: ({ uid }) => uid,
    orderOf: ({ createdAt, tokenHash }) => `${createdAt} ${tokenHash}`,
  });
  const byExpiry = createSortedIndex<Session>({
    groupOf: () => '',
    orderOf: ({ expiresAt, tokenHash }) => `${expiresAt} ${tokenHash}`,
  });
  const indexes = { byUser, byExpiry };
  const table = createTable<Session>({
    collection: 'sessions',
    kind: { kind: 'session', schema },
    keyOf: ({ tokenHash }) => tokenHash,
    indexes: Object.values(indexes),
  });
  return { ...table, ...indexes };
}
