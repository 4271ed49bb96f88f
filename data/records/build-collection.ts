import * as z from 'zod';
import { defineCollection, joinKey, type RecordOf } from '../collection.ts';
import { projects } from './project.ts';

const count = z.number();
const result = z.object({
  versions: count,
  languages: count,
  pages: count,
  rendered: count,
  reused: count,
  /** Absent from builds of earlier releases. */
  errors: count.optional(),
  /** The first of them, with file and line, up to 300 characters; absent where there is none, and from builds of earlier releases. */
  firstError: z.string().optional(),
  warnings: count,
  bytes: count,
  /** Duration of the engine's work, and of fetching in it. */
  ms: count,
  fetchMs: count,
});
const schema = z.object({
  /** Sorts by time of creation, see `createBuildId`. */
  id: z.string().min(1),
  project: z.string().min(1),
  /** `remove` removes a version whose ref is gone from the site; `refresh` publishes all of them again. */
  kind: z.enum(['build', 'remove', 'refresh']),
  /** Full name of the branch or tag; '' = all of them. */
  ref: z.string(),
  /** Who requested it. */
  cause: z.enum(['command', 'console', 'api', 'webhook', 'restart', 'start']),
  /** The last five are ends; a build that has ended never changes again. */
  status: z.enum(['queued', 'running', 'passing', 'failing', 'cancelled', 'superseded', 'interrupted']),
  /** Commit that was requested, then the one that was built; '' = not known. */
  commit: z.string(),
  /** Why it ended as it did: error with file and line; of a queued one, why it was put back; '' = nothing to say. */
  reason: z.string(),
  /** Requests that this build answers, the first one included. */
  requests: count,
  /** The schedule of its project has requested it; `cause` is `start` then, which earlier releases know. */
  isScheduled: z.boolean().optional(),
  /** The build that was interrupted and is run again by this one; '' = none. */
  retryOf: z.string(),
  /** ISO 8601, UTC; '' = not yet. */
  createdAt: z.string(),
  startedAt: z.string(),
  finishedAt: z.string(),
  /** What was built; undefined unless passing. */
  result: result.optional(),
  /** Of several nodes the one that runs it, and why it is to be cancelled ('' = it is not); undefined where it does not run. */
  run: z.object({ node: count, cancel: z.string() }).optional(),
});

/** One building of a project's version, or of all its versions. */
export interface Build extends RecordOf<typeof schema> {}
export type BuildStatus = Build['status'];
export type BuildCause = Build['cause'];
/** Counts of a build that passed. */
export interface BuildResult extends RecordOf<typeof result> {}

/** Returns whether a build with this status will never change again. */
export function hasEnded(status: BuildStatus): boolean {
  return status !== 'queued' && status !== 'running';
}

/** Returns whether a build says how its ref stands: it passed or failed. */
export function isVerdict({ kind, status }: Build): boolean {
  return kind === 'build' && (status === 'passing' || status === 'failing');
}

/** Returns whether a build has removed its ref. */
export function isRemoval({ kind, status }: Build): boolean {
  return kind === 'remove' && status === 'passing';
}

const orderOf = ({ id }: Build): string => id;

/** All groups are in the order of ids, which is that of creation. */
export const builds = defineCollection({
  name: 'builds',
  singular: 'build',
  schema,
  keyOf: orderOf,
  indexes: {
    byProject: { groupOf: ({ project }) => project, orderOf },
    byRef: { groupOf: ({ project, ref }) => joinKey(project, ref), orderOf },
    /** Verdicts by project. */
    verdicts: { groupOf: (build) => (isVerdict(build) ? build.project : undefined), orderOf },
    /** Verdicts and removals by project and ref. */
    refVerdicts: {
      groupOf: (build) => (isVerdict(build) || isRemoval(build) ? joinKey(build.project, build.ref) : undefined),
      orderOf,
    },
    /** Queued and running ones of a project. */
    openByProject: { groupOf: ({ project, status }) => (hasEnded(status) ? undefined : project), orderOf },
    /** Queued and running ones. */
    open: { groupOf: ({ status }) => (hasEnded(status) ? undefined : ''), orderOf },
    ended: { groupOf: ({ status }) => (hasEnded(status) ? '' : undefined), orderOf },
    byStatus: { groupOf: ({ status }) => status, orderOf },
    /** Those of a ref, whatever their project. */
    byRefName: { groupOf: ({ ref }) => ref, orderOf },
  },
  owner: { collection: projects, index: 'byProject' },
});
