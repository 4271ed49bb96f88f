import { z } from 'zod';
import { type Build, hasEnded } from '../records/build.ts';
import { joinKey } from './join-key.ts';
import { createSortedIndex, type SortedIndex } from './sorted-index.ts';
import { createTable, type Table } from './table.ts';

/** Builds by id, and by what is asked about them; all groups in the order of ids, which is that of creation. */
export interface BuildTable extends Table<Build> {
  /** Groups are named by project. */
  readonly byProject: SortedIndex<Build>;
  /** Groups are named by `joinKey(project, ref)`. */
  readonly byRef: SortedIndex<Build>;
  /** Groups are named by `joinKey(project, ref, commit)`. */
  readonly byCommit: SortedIndex<Build>;
  /** Builds of kind `build` that passed or failed, by project. */
  readonly finishedByProject: SortedIndex<Build>;
  /** The same, and removals of refs that passed, by `joinKey(project, ref)`. */
  readonly finishedByRef: SortedIndex<Build>;
  /** Queued and running ones; one group, ''. */
  readonly open: SortedIndex<Build>;
  /** All others; one group, ''. */
  readonly ended: SortedIndex<Build>;
}

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

/** Creates an empty table of builds. */
export function createBuildTable(): BuildTable {
  const orderOf = ({ id }: Build): string => id;
  const isFinished = ({ kind, status }: Build): boolean =>
    kind === 'build' && (status === 'passing' || status === 'failing');
  const isRemoval = ({ kind, status }: Build): boolean => kind === 'remove' && status === 'passing';
  const indexes = {
    byProject: createSortedIndex<Build>({ groupOf: ({ project }) => project, orderOf }),
    byRef: createSortedIndex<Build>({ groupOf: ({ project, ref }) => joinKey(project, ref), orderOf }),
    byCommit: createSortedIndex<Build>({
      groupOf: ({ project, ref, commit }) => joinKey(project, ref, commit),
      orderOf,
    }),
    finishedByProject: createSortedIndex<Build>({
      groupOf: (build) => (isFinished(build) ? build.project : undefined),
      orderOf,
    }),
    finishedByRef: createSortedIndex<Build>({
      groupOf: (build) => (isFinished(build) || isRemoval(build) ? joinKey(build.project, build.ref) : undefined),
      orderOf,
    }),
    open: createSortedIndex<Build>({ groupOf: ({ status }) => (hasEnded(status) ? undefined : ''), orderOf }),
    ended: createSortedIndex<Build>({ groupOf: ({ status }) => (hasEnded(status) ? '' : undefined), orderOf }),
  };
  const complete = (build: Build): Build => ({ ...build, result: build.result });
  const table = createTable<Build>({
    collection: 'builds',
    kind: { kind: 'build', schema, complete },
    keyOf: orderOf,
    indexes: Object.values(indexes),
  });
  return { ...table, ...indexes };
}
