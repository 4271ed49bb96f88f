import { z } from 'zod';
import type { Usage } from '../records/usage.ts';
import { joinKey } from './join-key.ts';
import { createSortedIndex, type SortedIndex } from './sorted-index.ts';
import { createTable, type Table } from './table.ts';

/** Usage by `joinKey(module, subject)`. */
export interface UsageTable extends Table<Usage> {
  /** Groups are named by day. */
  readonly byDay: SortedIndex<Usage>;
  /** Counters of networks; groups are named by day. */
  readonly networks: SortedIndex<Usage>;
  /** By the networks that networks lie in, the narrowest ones first; groups are named by `joinKey(day, network)`. */
  readonly inside: readonly SortedIndex<Usage>[];
}

/** A network lies in at most so many that count. */
const LEVELS = [0, 1];
const schema = z.object({
  module: z.string().min(1),
  subject: z.string().min(1),
  day: z.string().min(1),
  count: z.number(),
  recent: z.array(z.number()),
  within: z.array(z.string()),
});

/** Creates an empty table of usage. */
export function createUsageTable(): UsageTable {
  const keyOf = ({ module, subject }: Usage): string => joinKey(module, subject);
  const byDay = createSortedIndex<Usage>({ groupOf: ({ day }) => day, orderOf: keyOf });
  const networks = createSortedIndex<Usage>({
    groupOf: ({ subject, day }) => (subject.startsWith('net:') ? day : undefined),
    orderOf: keyOf,
  });
  const inside = LEVELS.map((level) =>
    createSortedIndex<Usage>({
      groupOf: ({ day, within }) => (within[level] === undefined ? undefined : joinKey(day, within[level])),
      orderOf: keyOf,
    }),
  );
  const table = createTable<Usage>({
    collection: 'usage',
    kind: { kind: 'usage', schema },
    keyOf,
    indexes: [byDay, networks, ...inside],
  });
  return { ...table, byDay, networks, inside };
}
