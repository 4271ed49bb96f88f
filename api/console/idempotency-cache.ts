import { createHash, randomUUID } from 'node:crypto';
import { createBoundedMap } from '../../lib/bounded-map.ts';

/** Runs the work of a form once, however often it is sent: a double click must not book a payment twice. */
export interface IdempotencyCache {
  /** Returns a value for the field `submission` of a form. */
  createId(): string;
  /** Runs the work for the first form with these fields; equal ones get its result. Failures may be retried. */
  run<T>(owner: string, fields: ReadonlyMap<string, string>, work: () => Promise<T>): Promise<T>;
}

const MAX_KNOWN = 10_000;

/** Creates a cache of the last 10,000 forms in memory. */
export function createIdempotencyCache(): IdempotencyCache {
  const known = createBoundedMap<string, Promise<unknown>>({ maxEntries: MAX_KNOWN });
  return {
    createId: () => randomUUID(),
    run<T>(owner: string, fields: ReadonlyMap<string, string>, work: () => Promise<T>): Promise<T> {
      if (!fields.get('submission')) return work();
      const key = createHash('sha256')
        .update(JSON.stringify([owner, [...fields].sort()]))
        .digest('base64url');
      const before = known.get(key) as Promise<T> | undefined;
      if (before) return before;
      const outcome = work();
      known.set(key, outcome);
      outcome.catch(() => known.delete(key));
      return outcome;
    },
  };
}
