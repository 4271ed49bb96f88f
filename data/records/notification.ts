import * as z from 'zod';
import { defineCollection, joinKey, type RecordOf } from '../collection.ts';
import { type Database, type Step, tx } from '../transaction.ts';
import { checkProject, projects } from './project.ts';

const schema = z.object({
  project: z.string().min(1),
  /** Full name of the branch or tag; '' = all of them, whose build failed. */
  ref: z.string(),
  /** Identifies the notification for its receiver, however often it is sent. */
  id: z.string().min(1),
  /** How the version was found; one that was always fine has no record. */
  state: z.enum(['failing', 'mended']),
  /** The build that found it so. */
  build: z.string(),
  /** ISO 8601, UTC. */
  at: z.string(),
  errors: z.number(),
  /** The first errors, with file and line. */
  messages: z.array(z.string()),
  /** `none`: nobody was to be told; `dropped`: too many waited. */
  delivery: z.enum(['none', 'waiting', 'delivered', 'failed', 'dropped']),
  attempts: z.number(),
  /** When it is sent, or sent again; '' unless it waits. */
  nextAt: z.string(),
  /** Why the last attempt failed; '' = it did not. */
  failure: z.string(),
});

/** The last change of a version from passing to failing or back, and whether somebody was told. */
export interface Notification extends RecordOf<typeof schema> {}

export const notifications = defineCollection({
  name: 'notifications',
  isExpendable: true,
  singular: 'notification',
  schema,
  keyOf: ({ project, ref }) => joinKey(project, ref),
  indexes: {
    byProject: { groupOf: ({ project }) => project, orderOf: ({ at, ref }) => `${at} ${ref}` },
    /** Versions that fail, by project. */
    failing: {
      groupOf: ({ project, state }) => (state === 'failing' ? project : undefined),
      orderOf: ({ at, ref }) => `${at} ${ref}`,
    },
    /** Versions that were mended, of which nobody is to be told any more, by project. */
    settled: {
      groupOf: ({ project, state, delivery }) => (state === 'mended' && delivery !== 'waiting' ? project : undefined),
      orderOf: ({ at, ref }) => `${at} ${ref}`,
    },
    waiting: {
      groupOf: ({ delivery }) => (delivery === 'waiting' ? '' : undefined),
      orderOf: ({ nextAt, project, ref }) => `${nextAt} ${joinKey(project, ref)}`,
    },
    waitingByProject: {
      groupOf: ({ project, delivery }) => (delivery === 'waiting' ? project : undefined),
      orderOf: ({ ref }) => ref,
    },
  },
  owner: { collection: projects, index: 'byProject' },
});

/** Most versions of a project that are remembered as failing, and as mended; the oldest are forgotten. */
const KEPT_FAILING = 2_000;
const KEPT_SETTLED = 50;

/** Notifications that wait to be sent. */
export interface WaitingCounts {
  readonly ofProject: number;
  readonly inAll: number;
}

/** Creates the notifications' part of a store. */
export function createNotificationStore(database: Database) {
  const { byProject, failing, waiting } = notifications.indexes;
  return {
    find: (project: string, ref: string) => database.read(tx.get(notifications, joinKey(project, ref))),
    /** Returns notifications of a project, newest first. */
    list: ({ project, limit }: { readonly project: string; readonly limit: number }) =>
      database.read(tx.list(byProject, project, { limit, isDescending: true })),
    /** Returns those of versions that fail, oldest first. */
    listFailing: (project: string) => database.read(tx.list(failing, project)),
    /** Returns those of all projects that wait to be sent, the next one first. */
    listWaiting: () => database.read(tx.list(waiting, '')),
    /**
     * Puts what `change` returns in the place of a version's notification and returns it; undefined removes it. `change` gets
     * the notification, and how many others wait. Throws `not-found` for an unknown project.
     */
    async change(
      project: string,
      ref: string,
      change: (old: Notification | undefined, waiting: WaitingCounts) => Notification | undefined,
    ) {
      const [record] = await database.transact(() => changeAll(project, [ref], (_, ...given) => change(...given)));
      return record;
    },
    /** Does the same for several versions of a project, all or none; returns their notifications in the order of `refs`. */
    changeAll: (
      project: string,
      refs: readonly string[],
      change: (ref: string, old: Notification | undefined, waiting: WaitingCounts) => Notification | undefined,
    ) => database.transact(() => changeAll(project, refs, change)),
  };
}

function* changeAll(
  project: string,
  refs: readonly string[],
  change: (ref: string, old: Notification | undefined, waiting: WaitingCounts) => Notification | undefined,
): Step<readonly (Notification | undefined)[]> {
  const { failing, settled, waiting, waitingByProject } = notifications.indexes;
  yield* checkProject(project);
  let ofProject = yield* tx.count(waitingByProject, project);
  let inAll = yield* tx.count(waiting, '');
  const records: (Notification | undefined)[] = [];
  for (const ref of refs) {
    const key = joinKey(project, ref);
    const old = yield* tx.get(notifications, key);
    const own = old?.delivery === 'waiting' ? 1 : 0;
    const given = change(ref, old, { ofProject: ofProject - own, inAll: inAll - own });
    const record = given && given !== old ? notifications.parse({ ...given, project, ref }) : given;
    records.push(record);
    if (record === old) continue;
    if (record) yield* tx.put(notifications, record);
    else yield* tx.remove(notifications, key);
    const added = (record?.delivery === 'waiting' ? 1 : 0) - own;
    ofProject += added;
    inAll += added;
  }
  yield* removeOldest(failing, project, KEPT_FAILING);
  yield* removeOldest(settled, project, KEPT_SETTLED);
  return records;
}

function* removeOldest(index: typeof notifications.indexes.failing, project: string, keep: number): Step<void> {
  const surplus = (yield* tx.count(index, project)) - keep;
  if (surplus > 0) yield* tx.removeAll(notifications, yield* tx.list(index, project, { limit: surplus }));
}
