import * as z from 'zod';
import { defineCollection, type RecordOf } from '../collection.ts';
import { type Database, tx } from '../transaction.ts';
import { checkProject, projects } from './project.ts';

const schema = z.object({
  project: z.string().min(1),
  /** When its repository is asked for its branches and tags next; ISO 8601, UTC, as all times here. */
  nextAt: z.string(),
  /** When it answered last; '' = never. */
  answeredAt: z.string(),
  /** Attempts that failed since. */
  failures: z.number(),
  /** Why the last attempt failed; '' = it did not. */
  failure: z.string(),
  /** Marks of what the repository had then and readers did not: no build is requested for these again. Absent before the first answer. */
  seen: z.array(z.string()).optional(),
});

/** When the repository of a project is compared with what is published, and what was found the last time. */
export interface Poll extends RecordOf<typeof schema> {}

export const polls = defineCollection({
  name: 'polls',
  isExpendable: true,
  singular: 'poll',
  schema,
  keyOf: ({ project }) => project,
  indexes: {
    byProject: { groupOf: ({ project }) => project, orderOf: ({ project }) => project },
    /** The next one first. */
    inTurn: { groupOf: () => '', orderOf: ({ nextAt, project }) => `${nextAt} ${project}` },
  },
  owner: { collection: projects, index: 'byProject' },
});

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_INTERVAL_MS = 30 * 86_400_000;

/**
 * Returns the interval that a project's `poll` says, ms, from a minute to 30 days: `5m`, `1h`, `7d`; `Infinity` for `off`, undefined for '',
 * as often as the server does it; NaN for what says none.
 */
export function readPollInterval(text: string): number | undefined {
  if (text === '') return undefined;
  if (text === 'off') return Number.POSITIVE_INFINITY;
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS_MS[unit] ?? Number.NaN);
  return ms > 0 && ms <= MAX_INTERVAL_MS ? ms : Number.NaN;
}

/** Creates the polls' part of a store. */
export function createPollStore(database: Database) {
  const { inTurn } = polls.indexes;
  return {
    find: (project: string) => database.read(tx.get(polls, project)),
    /** Returns those of projects, in their order; undefined for those that have none. */
    findAll: (names: readonly string[]) => database.read(tx.getAll(polls, names)),
    /** Returns those that are due before a time (ISO 8601), the next one first. */
    listDue: ({ before, limit }: { readonly before: string; readonly limit: number }) =>
      database.read(tx.list(inTurn, '', { before, limit })),
    /** Puts what `change` returns in the place of a project's poll and returns it; undefined removes it. Throws `not-found` for an unknown project. */
    change: (project: string, change: (old: Poll | undefined) => Poll | undefined) =>
      database.transact(function* () {
        yield* checkProject(project);
        const old = yield* tx.get(polls, project);
        const given = change(old);
        if (given === old) return old;
        if (given) return yield* tx.put(polls, polls.parse({ ...given, project }));
        yield* tx.remove(polls, project);
        return undefined;
      }),
  };
}
