import { z } from 'zod';
import type { Image } from '../records/image.ts';
import { joinKey } from './join-key.ts';
import { createSortedIndex, type SortedIndex } from './sorted-index.ts';
import { createTable, type Table } from './table.ts';

/** Images by `joinKey(market, date)`. */
export interface ImageTable extends Table<Image> {
  /** Groups are named by market; in the order of days. */
  readonly byMarket: SortedIndex<Image>;
}

const schema = z.object({
  market: z.string().min(1),
  date: z.string().regex(/^\d{8}$/),
  urlbase: z.string().min(1),
  title: z.string(),
  copyright: z.string(),
});

/** Creates an empty table of images. */
export function createImageTable(): ImageTable {
  const byMarket = createSortedIndex<Image>({ groupOf: ({ market }) => market, orderOf: ({ date }) => date });
  const table = createTable<Image>({
    collection: 'images',
    kind: { kind: 'image', schema },
    keyOf: ({ market, date }) => joinKey(market, date),
    indexes: [byMarket],
  });
  return { ...table, byMarket };
}
