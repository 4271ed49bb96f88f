import * as z from 'zod';
import { defineCollection, type RecordOf } from '../collection.ts';
import { type Database, type Step, tx } from '../transaction.ts';

const schema = z.object({
  /** The code of a short URL, in lower case. */
  code: z.string().min(1),
  count: z.int().min(1),
});

/** How often a short URL has redirected somebody. */
export interface Redirects extends RecordOf<typeof schema> {}

/** They are apart from short URLs, since they change all the time. */
export const redirects = defineCollection({
  name: 'redirects',
  isExpendable: true,
  singular: 'number of redirects',
  schema,
  keyOf: ({ code }) => code,
  indexes: {},
});

/** Creates the part of a store that counts redirects. */
export function createRedirectStore(database: Database) {
  return {
    /** Returns how often each of these short URLs has redirected somebody, in their order. The case of letters does not matter. */
    count: (codes: readonly string[]) => database.read(count(codes)),
    /** Adds to the numbers of these codes, all at once or none. */
    add: (counts: ReadonlyMap<string, number>) =>
      database.transact(function* () {
        const more = new Map<string, number>();
        for (const [code, one] of counts) more.set(code.toLowerCase(), (more.get(code.toLowerCase()) ?? 0) + one);
        const codes = [...more.keys()];
        const known = yield* tx.getAll(redirects, codes);
        for (const [i, code] of codes.entries()) {
          const count = (known[i]?.count ?? 0) + more.get(code)!;
          yield* tx.put(redirects, redirects.parse({ ...known[i], code, count }));
        }
      }),
  };
}

export type RedirectStore = ReturnType<typeof createRedirectStore>;

function* count(codes: readonly string[]): Step<readonly number[]> {
  const keys = codes.map((code) => code.toLowerCase());
  return (yield* tx.getAll(redirects, keys)).map((known) => known?.count ?? 0);
}
