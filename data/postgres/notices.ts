import * as z from 'zod';
import type { BuildChange } from '../nodes.ts';
import { blocks } from '../records/block.ts';
import { type Build, builds } from '../records/build.ts';
import { projects } from '../records/project.ts';
import type { Query } from '../transaction.ts';

/** A node's message to others about changes that it has made; PostgreSQL delivers it when they are committed. */
export interface Notice {
  /** Who tells it. */
  readonly node: number;
  /** Keys of projects. */
  readonly projects: readonly string[];
  readonly hasBlocks: boolean;
  readonly builds: readonly BuildChange[];
  /** There is more than a notice can hold: everything may have changed. */
  readonly isAll: boolean;
}

const schema: z.ZodType<Notice> = z.object({
  node: z.int(),
  projects: z.array(z.string()),
  hasBlocks: z.boolean(),
  builds: z.array(z.object({ id: z.string(), project: z.string(), status: z.custom<Build['status']>() })),
  isAll: z.boolean(),
});

/** PostgreSQL takes less than 8,000 bytes. */
const MAX_BYTES = 7_900;

/** Returns the notice of changes as text; undefined where nobody needs to know. */
export function writeNotice(node: number, changes: readonly Query[]): string | undefined {
  const changed = { projects: new Set<string>(), hasBlocks: false, builds: new Map<string, BuildChange>() };
  for (const query of changes) {
    if (query.kind !== 'put' && query.kind !== 'remove') continue;
    if (query.collection === blocks) changed.hasBlocks = true;
    const key = query.kind === 'put' ? query.collection.keyOf(query.record) : query.key;
    if (query.collection === projects) changed.projects.add(key);
    if (query.collection === builds && query.kind === 'put') {
      const { id, project, status } = query.record as Build;
      changed.builds.set(id, { id, project, status });
    }
  }
  if (!changed.hasBlocks && changed.projects.size + changed.builds.size === 0) return undefined;
  const notice: Notice = {
    node,
    projects: [...changed.projects],
    hasBlocks: changed.hasBlocks,
    builds: [...changed.builds.values()],
    isAll: false,
  };
  const text = JSON.stringify(notice);
  if (Buffer.byteLength(text) <= MAX_BYTES) return text;
  return JSON.stringify({ ...notice, projects: [], builds: [], isAll: true });
}

/** Returns what a notice says: that of another release, that everything may have changed. */
export function readNotice(text: string | undefined): Notice {
  try {
    return schema.parse(JSON.parse(text ?? ''));
  } catch {
    return { node: 0, projects: [], hasBlocks: false, builds: [], isAll: true };
  }
}
