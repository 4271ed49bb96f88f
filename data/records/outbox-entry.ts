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

/** That a receiver, such as a CDN, is to be told of a project's site. It outlives the project until then. */
export interface OutboxEntry extends RecordOf<typeof schema> {}

const define = <Name extends string>(name: Name, singular: string) =>
  defineCollection({
    name,
    isExpendable: true,
    singular,
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

/** Message to a CDN. */
export const purges = define('purges', 'purge');
/** Message to the receiver of events. */
export const publications = define('publications', 'publication');

/** The part of a store for one receiver. */
export interface OutboxStore extends ReturnType<typeof createOutboxStore> {}

/** Creates that part. */
export function createOutboxStore(database: Database, entries: ReturnType<typeof define>) {
  const { waiting } = entries.indexes;
  return {
    find: (project: string) => database.read(tx.get(entries, project)),
    /** Returns those that are to be sent, the next one first. */
    listWaiting: (page: { readonly limit: number }) => database.read(tx.list(waiting, '', page)),
    countWaiting: () => database.read(tx.count(waiting, '')),
    /** Puts what `change` returns in the place of a project's entry and returns it; undefined removes it. */
    change: (project: string, change: (old: OutboxEntry | undefined) => OutboxEntry | undefined) =>
      database.transact(function* () {
        const old = yield* tx.get(entries, project);
        const given = change(old);
        if (given === old) return old;
        if (given) return yield* tx.put(entries, entries.parse({ ...given, project }));
        yield* tx.remove(entries, project);
        return undefined;
      }),
  };
}
