import { z } from 'zod';
import type { Block } from '../records/block.ts';
import { joinKey } from './join-key.ts';
import { createNetworkIndex, type NetworkIndex } from './network-index.ts';
import { createSortedIndex, type SortedIndex } from './sorted-index.ts';
import { createTable, type Table } from './table.ts';

/** Blocks by `joinKey(kind, target)`. */
export interface BlockTable extends Table<Block> {
  /** One group, '', in the order of `blockOrder`. */
  readonly all: SortedIndex<Block>;
  /** Those of sources. */
  readonly networks: NetworkIndex<Block>;
  /** Those that end, in the order of their ends; one group, ''. */
  readonly byEnd: SortedIndex<Block>;
  /** Those by `limit`, in the order of their ends; one group, ''. */
  readonly byLimit: SortedIndex<Block>;
}

const schema = z.object({
  kind: z.enum(['source', 'host']),
  target: z.string().min(1),
  by: z.enum(['operator', 'limit']),
  reason: z.string(),
  createdAt: z.iso.datetime(),
  until: z.union([z.literal(''), z.iso.datetime()]),
});

/** Gives what blocks are listed by. */
export function blockOrder({ kind, target }: Pick<Block, 'kind' | 'target'>): string {
  return `${kind} ${target}`;
}

/** Creates an empty table of blocks. */
export function createBlockTable(): BlockTable {
  const endOf = (block: Block): string => `${block.until} ${blockOrder(block)}`;
  const indexes = {
    all: createSortedIndex<Block>({ groupOf: () => '', orderOf: blockOrder }),
    networks: createNetworkIndex<Block>(({ kind, target }) => (kind === 'source' ? target : undefined)),
    byEnd: createSortedIndex<Block>({ groupOf: ({ until }) => (until === '' ? undefined : ''), orderOf: endOf }),
    byLimit: createSortedIndex<Block>({ groupOf: ({ by }) => (by === 'limit' ? '' : undefined), orderOf: endOf }),
  };
  const table = createTable<Block>({
    collection: 'blocks',
    kind: { kind: 'block', schema },
    keyOf: ({ kind, target }) => joinKey(kind, target),
    indexes: Object.values(indexes),
  });
  return { ...table, ...indexes };
}
