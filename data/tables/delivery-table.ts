import { z } from 'zod';
import type { Delivery } from '../records/delivery.ts';
import { joinKey } from './join-key.ts';
import { createSortedIndex, type SortedIndex } from './sorted-index.ts';
import { createTable, type Table } from './table.ts';

/** Deliveries by `joinKey(project, id)`. */
export interface DeliveryTable extends Table<Delivery> {
  /** Groups are named by project; in the order of `receivedAt`, then of ids. */
  readonly byProject: SortedIndex<Delivery>;
}

const schema = z.object({
  project: z.string().min(1),
  id: z.string().min(1),
  service: z.enum(['github', 'gitee', 'unknown']),
  event: z.string(),
  receivedAt: z.string(),
  status: z.number(),
  answer: z.string(),
  build: z.string(),
  action: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('build'), ref: z.string(), commit: z.string() }),
      z.object({ kind: z.literal('remove'), ref: z.string() }),
    ])
    .optional(),
});

/** Creates an empty table of deliveries. */
export function createDeliveryTable(): DeliveryTable {
  const byProject = createSortedIndex<Delivery>({
    groupOf: ({ project }) => project,
    // Without the Z, times with and without fractions of a second sort as they should.
    orderOf: ({ receivedAt, id }) => `${receivedAt.replace(/Z$/, '')} ${id}`,
  });
  const complete = (delivery: Delivery): Delivery => ({ ...delivery, action: delivery.action });
  const table = createTable<Delivery>({
    collection: 'deliveries',
    kind: { kind: 'delivery', schema, complete },
    keyOf: ({ project, id }) => joinKey(project, id),
    indexes: [byProject],
  });
  return { ...table, byProject };
}
