import { z } from 'zod';
import type { ShortUrl } from '../records/short-url.ts';
import { joinKey } from './join-key.ts';
import { createSortedIndex, type SortedIndex } from './sorted-index.ts';
import { createTable, type Table } from './table.ts';

/** Short URLs by code in lower case. */
export interface ShortUrlTable extends Table<ShortUrl> {
  /** One group, ''; in the order of `createdAt`, then of codes. */
  readonly all: SortedIndex<ShortUrl>;
  /** Groups are named by uid; in the same order. */
  readonly byUser: SortedIndex<ShortUrl>;
  /** Those with a code made here; groups, of one at most, are named by `joinKey(uid, longUrl)`. */
  readonly byTarget: SortedIndex<ShortUrl>;
  /** Gives the place of a short URL in the order of `all` and `byUser`. */
  readonly orderOf: (shortUrl: ShortUrl) => string;
}

const schema = z.object({
  code: z.string().min(1),
  longUrl: z.string().min(1),
  uid: z.string().min(1),
  isCustom: z.boolean(),
  isDisabled: z.boolean(),
  createdAt: z.string(),
});

/** Creates an empty table of short URLs. */
export function createShortUrlTable(): ShortUrlTable {
  const keyOf = ({ code }: ShortUrl): string => code.toLowerCase();
  const orderOf = ({ createdAt, code }: ShortUrl): string => `${createdAt} ${code.toLowerCase()}`;
  const indexes = {
    all: createSortedIndex<ShortUrl>({ groupOf: () => '', orderOf }),
    byUser: createSortedIndex<ShortUrl>({ groupOf: ({ uid }) => uid, orderOf }),
    byTarget: createSortedIndex<ShortUrl>({
      groupOf: ({ uid, longUrl, isCustom }) => (isCustom ? undefined : joinKey(uid, longUrl)),
      orderOf,
    }),
  };
  const table = createTable<ShortUrl>({
    collection: 'short-urls',
    kind: { kind: 'short URL', schema },
    keyOf,
    indexes: Object.values(indexes),
  });
  return { ...table, ...indexes, orderOf };
}
