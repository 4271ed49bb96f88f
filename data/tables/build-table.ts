import { z } from 'zod';
import { defineCollection, joinKey } from '../collection.ts';
import { type Build, hasEnded } from '../records/build.ts';
import { projects } from '../records/project.ts';

const count = z.number();
const schema = z.object({
  id: z.string().min(1),
  project: z.string().min(1),
  kind: z.enum(['build', 'remove', 'refresh']),
  ref: z.string(),
  cause: z.enum(['command', 'api', 'webhook', 'restart', 'start']),
  status: z.enum(['queued', 'running', 'passing', 'failing', 'cancelled', 'superseded', 'interrupted']),
  commit: z.string(),
  reason: z.string(),
  requests: count,
  retryOf: z.string(),
  createdAt: z.string(),
  startedAt: z.string(),
  finishedAt: z.string(),
  result: z
    .object({
      versions: count,
      languages: count,
      pages: count,
      rendered: count,
      reused: count,
      warnings: count,
      bytes: count,
      ms: count,
      fetchMs: count,
    })
    .optional(),
});

const orderOf = ({ id }: Build): string => id;
const isFinished = ({ kind, status }: Build): boolean =>
  kind === 'build' && (status === 'passing' || status === 'failing');
const isRemoval = ({ kind, status }: Build): boolean => kind === 'remove' && status === 'passing';

/** Builds; all groups in the order of ids, which is that of creation. */
export const builds = defineCollection({
  name: 'builds',
  singular: 'build',
  schema,
  keyOf: orderOf,
  indexes: {
    byProject: { groupOf: ({ project }) => project, orderOf },
    byRef: { groupOf: ({ project, ref }) => joinKey(project, ref), orderOf },
    byCommit: { groupOf: ({ project, ref, commit }) => joinKey(project, ref, commit), orderOf },
    /** Builds of kind `build` that passed or failed, by project. */
    finishedByProject: { groupOf: (build) => (isFinished(build) ? build.project : undefined), orderOf },
    /** The same, and removals of refs that passed, by project and ref. */
    finishedByRef: {
      groupOf: (build) => (isFinished(build) || isRemoval(build) ? joinKey(build.project, build.ref) : undefined),
      orderOf,
    },
    /** Queued and running ones. */
    open: { groupOf: ({ status }) => (hasEnded(status) ? undefined : ''), orderOf },
    ended: { groupOf: ({ status }) => (hasEnded(status) ? '' : undefined), orderOf },
  },
  owner: { collection: projects, index: 'byProject' },
});
