import { z } from 'zod';
import type { Project } from '../records/project.ts';
import { repositoryKey } from '../records/repository-key.ts';
import { createSortedIndex, type SortedIndex } from './sorted-index.ts';
import { createTable, type Table } from './table.ts';

/** Projects by name, domain and repository. */
export interface ProjectTable extends Table<Project> {
  /** One group, '', in the order of names. */
  readonly byName: SortedIndex<Project>;
  /** Projects without a domain of their own are in no group. */
  readonly byDomain: SortedIndex<Project>;
  /** Groups are named by `repositoryKey`. */
  readonly byRepository: SortedIndex<Project>;
}

const schema = z.object({
  name: z.string().min(1),
  url: z.string(),
  latest: z.string(),
  single: z.boolean(),
  sourceDir: z.string(),
  lang: z.array(z.string()),
  secret: z.string(),
  showNav: z.boolean(),
  hideGit: z.boolean(),
  domain: z.string(),
  before: z.string(),
  after: z.string(),
  meta: z.record(z.string(), z.string()),
  createdAt: z.string(),
  versions: z.array(
    z.object({ ref: z.string(), kind: z.enum(['branch', 'tag', 'worktree']), oid: z.string(), builtAt: z.string() }),
  ),
});

/** Creates an empty table of projects. */
export function createProjectTable(): ProjectTable {
  const orderOf = ({ name }: Project): string => name;
  const byName = createSortedIndex<Project>({ groupOf: () => '', orderOf });
  const byDomain = createSortedIndex<Project>({ groupOf: ({ domain }) => domain || undefined, orderOf });
  const byRepository = createSortedIndex<Project>({ groupOf: ({ url }) => repositoryKey(url), orderOf });
  const indexes = { byName, byDomain, byRepository };
  const table = createTable<Project>({
    collection: 'projects',
    kind: { kind: 'project', schema },
    keyOf: orderOf,
    indexes: Object.values(indexes),
  });
  return { ...table, ...indexes };
}
