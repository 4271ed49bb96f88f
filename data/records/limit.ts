import * as z from 'zod';
import { defineCollection, type RecordOf } from '../collection.ts';
import { type Database, tx } from '../transaction.ts';

const schema = z.object({
  /** By their keys in the configuration: `limits.changes_per_minute`. */
  set: z.record(
    z.string().min(1),
    z.object({
      value: z.number().int().nonnegative(),
      /** Who set it, as the audit log names them. */
      by: z.string(),
      /** ISO 8601, UTC. */
      at: z.iso.datetime(),
    }),
  ),
});

/** The limits that hold instead of those of configurations: one record, so that several are set at once. */
export interface SetLimits extends RecordOf<typeof schema> {}
export type SetLimit = SetLimits['set'][string];

const KEY = 'all';

/** It has no index: nodes of an earlier version go on while one of this version makes its table. */
export const limits = defineCollection({
  name: 'limits',
  singular: 'set of limits',
  schema,
  keyOf: () => KEY,
  indexes: {},
});

/** Creates the limits' part of a store. */
export function createLimitStore(database: Database) {
  return {
    /** Returns the limits that are set, by their keys. */
    read: async (): Promise<SetLimits['set']> => (await database.read(tx.get(limits, KEY)))?.set ?? {},
    /** Sets limits by their keys, undefined takes one out; returns all that are set then. */
    change: (changes: ReadonlyMap<string, SetLimit | undefined>): Promise<SetLimits['set']> =>
      database.transact(function* () {
        const old = (yield* tx.get(limits, KEY))?.set ?? {};
        const kept = Object.entries(old).filter(([key]) => !changes.has(key));
        const added = [...changes].filter((entry): entry is [string, SetLimit] => entry[1] !== undefined);
        const set = Object.fromEntries([...kept, ...added]);
        return (yield* tx.put(limits, limits.parse({ set }))).set;
      }),
  };
}
