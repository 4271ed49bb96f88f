import * as z from 'zod';
import { defineCollection, type RecordOf } from '../collection.ts';
import { type Database, tx } from '../transaction.ts';

const schema = z.object({
  project: z.string().min(1),
  /** The site that readers got when this was requested last, see `SiteStorage.identify`. */
  site: z.string(),
  /** Addresses of the site, with a final slash: those that it has, and those that it had. */
  urls: z.array(z.string()),
  /** Goes up with each request, so that one that arrives while another one is sent is not taken for it. */
  requests: z.number(),
  /** When it was requested last; ISO 8601, UTC, as all times here. */
  at: z.string(),
  /** When it is sent, or sent again; '' = there is nothing to send. */
  nextAt: z.string(),
  /** How often it is to be delivered yet. */
  left: z.number(),
  /** Failures since it was requested last or delivered. */
  failures: z.number(),
  /** Why the last attempt failed; '' = it did not. */
  failure: z.string(),
  /** When it was delivered last; '' = never. */
  deliveredAt: z.string(),
});

/** A request to a CDN to forget pages of a project. It outlives the project until the CDN is told. */
export interface Purge extends RecordOf<typeof schema> {}

export const purges = defineCollection({
  name: 'purges',
  isExpendable: true,
  singular: 'purge',
  schema,
  keyOf: ({ project }) => project,
  indexes: {
    /** Those that are to be sent, the next one first. */
    waiting: {
      groupOf: ({ nextAt }) => (nextAt === '' ? undefined : ''),
      orderOf: ({ nextAt, project }) => `${nextAt} ${project}`,
    },
  },
});

/** Creates the purges' part of a store. */
export function createPurgeStore(database: Database) {
  const { waiting } = purges.indexes;
  return {
    find: (project: string) => database.read(tx.get(purges, project)),
    /** Returns those that are to be sent, the next one first. */
    listWaiting: (page: { readonly limit: number }) => database.read(tx.list(waiting, '', page)),
    countWaiting: () => database.read(tx.count(waiting, '')),
    /** Puts what `change` returns in the place of a project's purge and returns it; undefined removes it. */
    change: (project: string, change: (old: Purge | undefined) => Purge | undefined) =>
      database.transact(function* () {
        const old = yield* tx.get(purges, project);
        const given = change(old);
        if (given === old) return old;
        if (given) return yield* tx.put(purges, purges.parse({ ...given, project }));
        yield* tx.remove(purges, project);
        return undefined;
      }),
  };
}
