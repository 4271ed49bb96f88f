import * as z from 'zod';
import { defineCollection, joinKey, type RecordOf } from '../collection.ts';
import { type Database, type Step, tx } from '../transaction.ts';

const schema = z.object({
  /** Whose picture it is: `zh-CN`. */
  market: z.string().min(1),
  /** Local day in the market, `YYYYMMDD`. */
  date: z.string().regex(/^\d{8}$/),
  /** Path and beginning of the query of the picture's URL, without size: `/th?id=OHR.Name`. */
  urlbase: z.string().min(1),
  title: z.string(),
  copyright: z.string(),
});

/** The picture of a day. */
export interface Image extends RecordOf<typeof schema> {}

export const images = defineCollection({
  name: 'images',
  isExpendable: true,
  singular: 'image',
  schema,
  keyOf: ({ market, date }) => joinKey(market, date),
  indexes: { byMarket: { groupOf: ({ market }) => market, orderOf: ({ date }) => date } },
});

/** Creates the images' part of a store. */
export function createImageStore(database: Database) {
  const { byMarket } = images.indexes;
  return {
    /** `date` as `YYYYMMDD`. */
    find: (market: string, date: string) => database.read(tx.get(images, joinKey(market, date))),
    /** Returns the image of the latest day. */
    findNewest: (market: string) => database.read(tx.last(byMarket, market)),
    /** Returns the image at this place among all of a market: 0 is the earliest one, just below 1 the latest. */
    findAt: (market: string, share: number) => database.read(findAt(market, share)),
    /** Returns the days from this one on that have an image, in their order. */
    async listDates(market: string, from: string) {
      const later = await database.read(tx.list(byMarket, market, { from }));
      return later.map(({ date }) => date);
    },
    /** Adds images, all or none; days that have one keep it. Returns the days that were added. */
    async add(given: readonly Image[]) {
      const records = given.map((image) => images.parse(image));
      return await database.transact(function* () {
        const known = yield* tx.getAll(images, records.map(images.keyOf));
        const added = records.filter((_, i) => !known[i]);
        for (const image of added) yield* tx.put(images, image);
        return added.map(({ date }) => date);
      });
    },
    /** Adds images, all or none; days that have another one keep it, or with `isReplacing` lose it. */
    async import(given: readonly Image[], isReplacing: boolean) {
      const records = given.map((image) => images.parse(image));
      return await database.transact(function* () {
        const counts = { added: 0, replaced: 0, kept: 0, unchanged: 0 };
        const known = yield* tx.getAll(images, records.map(images.keyOf));
        for (const [i, image] of records.entries()) {
          const old = known[i];
          const outcome = !old ? 'added' : isSame(old, image) ? 'unchanged' : isReplacing ? 'replaced' : 'kept';
          counts[outcome]++;
          if (outcome === 'added' || outcome === 'replaced') yield* tx.put(images, image);
        }
        return counts;
      });
    },
  };
}

export type ImageStore = ReturnType<typeof createImageStore>;

function* findAt(market: string, share: number): Step<Image | undefined> {
  const { byMarket } = images.indexes;
  const count = yield* tx.count(byMarket, market);
  const skip = Math.max(0, Math.min(count - 1, Math.floor(share * count)));
  return (yield* tx.list(byMarket, market, { skip, limit: 1 }))[0];
}

function isSame(one: Image, other: Image): boolean {
  return one.urlbase === other.urlbase && one.title === other.title && one.copyright === other.copyright;
}
