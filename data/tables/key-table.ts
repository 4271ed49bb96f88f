import { z } from 'zod';
import type { ApiKey } from '../records/api-key.ts';
import { createSortedIndex, type SortedIndex } from './sorted-index.ts';
import { createTable, type Table } from './table.ts';

/** API keys by id, hash and owner. */
export interface KeyTable extends Table<ApiKey> {
  /** Groups are named by hash. */
  readonly byHash: SortedIndex<ApiKey>;
  /** Groups are named by uid, the oldest first. */
  readonly byUser: SortedIndex<ApiKey>;
}

const schema = z.object({
  id: z.string().min(1),
  uid: z.string().min(1),
  hash: z.string().min(1),
  prefix: z.string(),
  permission: z.enum(['read', 'write']),
  isDisabled: z.boolean(),
  createdAt: z.string(),
});

/** Creates an empty table of API keys. */
export function createKeyTable(): KeyTable {
  const byHash = createSortedIndex<ApiKey>({ groupOf: ({ hash }) => hash, orderOf: ({ id }) => id });
  const byUser = createSortedIndex<ApiKey>({
    groupOf: ({ uid }) => uid,
    orderOf: ({ createdAt, id }) => `${createdAt} ${id}`,
  });
  const indexes = { byHash, byUser };
  const table = createTable<ApiKey>({
    collection: 'keys',
    kind: { kind: 'key', schema },
    keyOf: ({ id }) => id,
    indexes: Object.values(indexes),
  });
  return { ...table, ...indexes };
}
