import type { LimitReport, Limits } from '../limits/limits.ts';

/** A limit in English, so that it can travel as JSON. */
export type ListedLimit = Omit<LimitReport, 'group' | 'title'> & { readonly group: string; readonly title: string };

/** What an operator can do with limits of rates. */
export interface LimitOperations {
  /** Returns all limits, and who meets them in the process that answers. */
  listLimits(input: object): Promise<readonly ListedLimit[]>;
  /**
   * Writes limits, by their keys, into the configuration file; null restores what holds without it. Returns the keys that take
   * effect after a restart. Throws DataError `invalid`, and `unwritable` where there is no file that this process may change.
   */
  setLimits(input: {
    readonly values: Readonly<Record<string, number | null>>;
  }): Promise<{ readonly waiting: readonly string[] }>;
}

/** Creates the operations. */
export function createLimitOperations({ rateLimits }: { readonly rateLimits: Limits }): LimitOperations {
  return {
    listLimits: async () =>
      rateLimits.list().map((limit) => ({ ...limit, group: String(limit.group), title: String(limit.title) })),
    async setLimits({ values }) {
      const entries = Object.entries(values).map(([key, value]) => [key, value ?? undefined] as const);
      return { waiting: await rateLimits.set(new Map(entries)) };
    },
  };
}
