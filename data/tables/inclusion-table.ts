import { z } from 'zod';
import type { Inclusion } from '../records/inclusion.ts';
import { joinKey } from './join-key.ts';
import { createSortedIndex, type SortedIndex } from './sorted-index.ts';
import { createTable, type Table } from './table.ts';

/** Inclusions by `joinKey(engine, url)`. */
export interface InclusionTable extends Table<Inclusion> {
  /** One group, '', in the order of `foundAt`. */
  readonly byTime: SortedIndex<Inclusion>;
}

const schema = z.object({
  engine: z.enum(['alpha', 'beta']),
  url: z.string().min(1),
  foundAt: z.string().min(1),
});

/** Creates an empty table of inclusions. */
export function createInclusionTable(): InclusionTable {
  const keyOf = ({ engine, url }: Inclusion): string => joinKey(engine, url);
  const byTime = createSortedIndex<Inclusion>({
    groupOf: () => '',
    orderOf: (inclusion) => `${inclusion.foundAt} ${keyOf(inclusion)}`,
  });
  const table = createTable<Inclusion>({
    collection: 'inclusions',
    kind: { kind: 'inclusion', schema },
    keyOf,
    indexes: [byTime],
  });
  return { ...table, byTime };
}
