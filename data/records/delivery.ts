import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { phrase } from '../../lib/phrase.ts';
import { defineCollection, joinKey, type RecordOf } from '../collection.ts';
import { type Database, type Step, tx } from '../transaction.ts';
import { checkProject, projects } from './project.ts';

const action = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('build'), ref: z.string(), commit: z.string() }),
  z.object({ kind: z.literal('remove'), ref: z.string() }),
]);
const schema = z.object({
  project: z.string().min(1),
  /** The sender's id (`X-GitHub-Delivery` …), else one made here. */
  id: z.string().min(1),
  /** Id of the code host; `unknown`: refused, since no header names one that is known. */
  service: z.string().regex(/^[a-z]+$/),
  event: z.string(),
  /** ISO 8601, UTC. */
  receivedAt: z.string(),
  /** HTTP status of the response. */
  status: z.number(),
  /** For people: the effect of the call, or why it had none. */
  answer: z.string(),
  /** Id of the build it led to; '' = none. */
  build: z.string(),
  /** The requested action; undefined for calls that request nothing. */
  action: action.optional(),
});

/** A webhook call as it arrived, so that the operator can see why nothing was built, and replay it. */
export interface Delivery extends RecordOf<typeof schema> {}
/** A call that has led to nothing yet. */
export type NewDelivery = Omit<Delivery, 'build'>;
/** The action that a webhook requests. */
export type DeliveryAction = RecordOf<typeof action>;

export const deliveries = defineCollection({
  name: 'deliveries',
  isExpendable: true,
  singular: 'delivery',
  schema,
  keyOf: ({ project, id }) => joinKey(project, id),
  indexes: {
    byProject: {
      groupOf: ({ project }) => project,
      orderOf: ({ receivedAt, id }) => `${withoutZone(receivedAt)} ${id}`,
    },
  },
  owner: { collection: projects, index: 'byProject' },
});

/** Without the Z, times with and without fractions of a second sort as they should. */
function withoutZone(iso: string): string {
  return iso.replace(/Z$/, '');
}

/** Records of a project about a delivery that comes in. */
export interface KnownDelivery {
  /** The one that was sent before with this id and requested the same. */
  readonly earlier: Delivery | undefined;
  /** Under which it is kept: GitLab before 17.4 gives the refs of one push one id, of which the first keeps it. */
  readonly id: string;
}

/** Looks up a delivery that comes in. */
export function* findKnown({ project, id, action }: NewDelivery): Step<KnownDelivery> {
  const first = yield* tx.get(deliveries, joinKey(project, id));
  if (!first || isDeepStrictEqual(first.action, action)) return { earlier: first, id };
  const hash = createHash('sha256')
    .update(JSON.stringify(action ?? {}))
    .digest('base64url');
  const own = `${id}.${hash.slice(0, 12)}`;
  return { earlier: yield* tx.get(deliveries, joinKey(project, own)), id: own };
}

/** Creates the deliveries' part of a store. */
export function createDeliveryStore(database: Database) {
  const { byProject } = deliveries.indexes;
  return {
    find: (project: string, id: string) => database.read(tx.get(deliveries, joinKey(project, id))),
    /** Returns deliveries to a project, newest first. */
    list: ({ project, limit }: { readonly project: string; readonly limit: number }) =>
      database.read(tx.list(byProject, project, { limit, isDescending: true })),
    /**
     * Adds a delivery, in the place of the one that was sent before with its id and requested the same, unless only that led to
     * a build. Throws `not-found`.
     */
    async add(delivery: Delivery) {
      const record = deliveries.parse(delivery);
      return await database.transact(function* () {
        yield* checkProject(record.project);
        const { id, earlier } = yield* findKnown(record);
        if (earlier && earlier.build !== '' && record.build === '') return earlier;
        return yield* tx.put(deliveries, id === record.id ? record : deliveries.parse({ ...record, id }));
      });
    },
    /** Changes one delivery and returns it as it is now. Throws `not-found`. */
    change: (project: string, id: string, change: (delivery: Delivery) => Delivery) =>
      database.transact(() =>
        tx.change(deliveries, {
          key: joinKey(project, id),
          change,
          missing: phrase`Delivery "${id}" to project "${project}" does not exist`,
        }),
      ),
    /**
     * Removes deliveries of a project, except the newest `keep`. Those that were received after `nowIso`, while the clock was
     * ahead, are no newer than the others and go first.
     */
    prune: (project: string, keep: number, nowIso?: string) =>
      database.transact(function* () {
        let surplus = (yield* tx.count(byProject, project)) - (keep > 0 ? Math.floor(keep) : 0);
        if (nowIso !== undefined && surplus > 0) {
          const ahead = yield* tx.list(byProject, project, { after: `${withoutZone(nowIso)} ~`, limit: surplus });
          surplus -= yield* tx.removeAll(deliveries, ahead);
        }
        yield* tx.removeAll(deliveries, yield* tx.list(byProject, project, { limit: surplus }));
      }),
  };
}

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;
