import * as z from 'zod';
import { defineCollection, joinKey, type RecordOf } from '../collection.ts';
import { type Database, tx } from '../transaction.ts';

const schema = z.object({
  /** The search engine that was asked; see the contract for which is which. */
  engine: z.enum(['alpha', 'beta']),
  /** The URL in its comparable form: without what does not tell pages apart. */
  url: z.string().min(1),
  /** When the engine last said so. ISO 8601, UTC, with milliseconds. */
  foundAt: z.string().min(1),
});

/** A URL that a search engine was found to have indexed. */
export interface Inclusion extends RecordOf<typeof schema> {}

/** The search engines that are asked. */
export type EngineName = Inclusion['engine'];

export const inclusions = defineCollection({
  name: 'inclusions',
  isExpendable: true,
  singular: 'inclusion',
  schema,
  keyOf: ({ engine, url }) => joinKey(engine, url),
  indexes: {
    byTime: { groupOf: () => '', orderOf: ({ engine, url, foundAt }) => `${foundAt} ${joinKey(engine, url)}` },
  },
});

/** Creates the inclusions' part of a store. */
export function createInclusionStore(database: Database) {
  const { byTime } = inclusions.indexes;
  return {
    /** `url` in its comparable form. */
    find: (engine: EngineName, url: string) => database.read(tx.get(inclusions, joinKey(engine, url))),
    /** Replaces the record of this engine and URL, or adds it. */
    async put(inclusion: Inclusion) {
      const record = inclusions.parse(inclusion);
      await database.transact(() => tx.put(inclusions, record));
    },
    /** Removes the record of this engine and URL, if there is one. */
    async remove(engine: EngineName, url: string) {
      await database.transact(() => tx.remove(inclusions, joinKey(engine, url)));
    },
    /** Removes records found before a time (ISO 8601, UTC, with milliseconds), and all but the `keep` newest of both engines. */
    prune: ({ keep, before }: { readonly keep: number; readonly before: string }) =>
      database.transact(function* () {
        yield* tx.removeAll(inclusions, yield* tx.list(byTime, '', { before }));
        const surplus = (yield* tx.count(byTime, '')) - (keep > 0 ? Math.floor(keep) : 0);
        yield* tx.removeAll(inclusions, yield* tx.list(byTime, '', { limit: surplus }));
      }),
  };
}

export type InclusionStore = ReturnType<typeof createInclusionStore>;
