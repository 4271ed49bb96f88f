import type { InclusionStore } from '../store.ts';
import type { Commit } from './edits.ts';
import { joinKey } from './join-key.ts';
import type { Tables } from './tables.ts';
import { toLimit } from './to-limit.ts';

/** Creates the inclusions' part of a store. */
export function createInclusionStore({ inclusions }: Tables, commit: Commit, check: () => void): InclusionStore {
  return {
    async find(engine, url) {
      check();
      return inclusions.get(joinKey(engine, url));
    },
    async put(inclusion) {
      const record = inclusions.parse(inclusion);
      await commit((edits) => edits.set(inclusions, inclusions.keyOf(record), record));
    },
    remove: (engine, url) => commit((edits) => edits.set(inclusions, joinKey(engine, url), undefined)),
    prune: ({ keep, before }) =>
      commit((edits) => {
        const all = inclusions.byTime.group('');
        const surplus = all.length - toLimit(keep);
        const old: string[] = [];
        for (const [place, inclusion] of all.entries()) {
          if (place >= surplus && inclusion.foundAt >= before) break;
          old.push(inclusions.keyOf(inclusion));
        }
        for (const key of old) edits.set(inclusions, key, undefined);
      }),
  };
}
