import { createHash, randomUUID } from 'node:crypto';
import { createBoundedMap } from '../../lib/bounded-map.ts';

/** Does what a form asks for once, however often it is sent: a double click must not book a payment twice. */
export interface Once {
  /** Returns what a form carries in the field `once`. */
  createId(): string;
  /** Does the work for the first form with these fields and this id; the others get its outcome. Failures may be tried again. */
  run<T>(owner: string, fields: ReadonlyMap<string, string>, work: () => Promise<T>): Promise<T>;
}

const MAX_KNOWN = 10_000;

/** Creates it; what was done is remembered in memory, the last 10,000 forms. */
export function createOnce(): Once {
  const known = createBoundedMap<string, Promise<unknown>>({ maxEntries: MAX_KNOWN });
  return {
    createId: () => randomUUID(),
    run<T>(owner: string, fields: ReadonlyMap<string, string>, work: () => Promise<T>): Promise<T> {
      if (!fields.get('once')) return work();
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
