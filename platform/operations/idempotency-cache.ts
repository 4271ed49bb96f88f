import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataError } from '../../data/data-error.ts';
import type { ShortTermMemory } from '../../data/short-term-memory.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { phrase } from '../../lib/phrase.ts';

/** Runs the work of a form once, however often and to whichever node it is sent: a double click must not book a payment twice. */
export interface IdempotencyCache {
  /** Returns a value for the field `submission` of a form. */
  createId(): string;
  /** Runs the work for the first form with these fields; equal ones get its result, which is JSON. Failures may be retried. */
  run<T>(owner: string, fields: ReadonlyMap<string, string>, work: () => Promise<T>): Promise<T>;
}

const MAX_KNOWN = 10_000;
const LIFETIME_MS = 86_400_000;
/** How long work may take; a node that dies meanwhile leaves it so long as being done. */
const WORK_MS = 60_000;
const POLL_MS = 100;
/** Stands for the result while the work is being done. */
const PENDING = '';

/** Creates a cache of the last 10,000 forms of this process, and of those of a day in a memory that nodes may share. */
export function createIdempotencyCache(memory: ShortTermMemory): IdempotencyCache {
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
      const outcome = runOnce(memory, `form ${key}`, work);
      known.set(key, outcome);
      outcome.catch(() => known.delete(key));
      return outcome;
    },
  };
}

/** Runs work unless another node does, or has done so: then returns its result. Throws DataError `busy` where that takes too long. */
async function runOnce<T>(memory: ShortTermMemory, key: string, work: () => Promise<T>): Promise<T> {
  for (const start = performance.now(); performance.now() - start < WORK_MS; await sleep(POLL_MS)) {
    const found = await memory.claim(key, PENDING, WORK_MS);
    if (found === undefined) return await finish(memory, key, work);
    if (found !== PENDING) return JSON.parse(found) as T;
  }
  throw new DataError('busy', phrase`The same form is being worked on; try again in a moment`);
}

async function finish<T>(memory: ShortTermMemory, key: string, work: () => Promise<T>): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await memory.take(key).catch(() => {});
    throw error;
  }
  // It is done, whatever others hear of it.
  await memory.put(key, JSON.stringify(result), LIFETIME_MS).catch(() => {});
  return result;
}
