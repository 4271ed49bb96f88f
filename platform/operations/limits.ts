import { phrase } from '../../lib/phrase.ts';
import type { LimitReport } from '../limits/limits.ts';
import { operation } from './operation.ts';

/** A limit in English, so that it can travel as JSON. */
export type ListedLimit = Omit<LimitReport, 'group' | 'title'> & { readonly group: string; readonly title: string };

/** Operations on limits of rates. */
export const limitOperations = {
  /** Returns all limits, and who meets them in the process that answers. */
  listLimits: operation(
    async (_: object, { rateLimits }): Promise<readonly ListedLimit[]> =>
      rateLimits.list().map((limit) => ({ ...limit, group: String(limit.group), title: String(limit.title) })),
    'none',
  ),
  /**
   * Sets limits, by their keys, in the configuration file where one process runs, otherwise in the database for all nodes; null
   * restores what holds without it. Returns the keys that take effect after a restart. Throws DataError `invalid` and `unwritable`.
   */
  setLimits: operation(
    async ({ values }: { readonly values: Readonly<Record<string, number | null>> }, { rateLimits, by }) => {
      const entries = Object.entries(values).map(([key, value]) => [key, value ?? undefined] as const);
      return { waiting: await rateLimits.set(new Map(entries), by) };
    },
    {
      title: phrase`set limits`,
      describe: ({ values }) => ({ details: Object.keys(values).join(', ') }),
      isFirst: true,
    },
  ),
};
