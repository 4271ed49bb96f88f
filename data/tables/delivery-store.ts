import type { DeliveryStore } from '../store.ts';
import { changeRecord } from './change-record.ts';
import { checkProject } from './check-project.ts';
import type { Commit } from './edits.ts';
import { joinKey } from './join-key.ts';
import type { Tables } from './tables.ts';
import { toLimit } from './to-limit.ts';

/** Creates the deliveries' part of a store. */
export function createDeliveryStore(
  { deliveries, projects }: Tables,
  commit: Commit,
  check: () => void,
): DeliveryStore {
  return {
    async find(project, id) {
      check();
      return deliveries.get(joinKey(project, id));
    },
    async list({ project, limit }) {
      check();
      return deliveries.byProject.before(project, undefined, toLimit(limit));
    },
    async add(delivery) {
      const record = deliveries.parse(delivery);
      const key = deliveries.keyOf(record);
      return await commit((edits) => {
        checkProject(projects, record.project);
        if (deliveries.get(key)) return false;
        edits.set(deliveries, key, record);
        return true;
      });
    },
    change: (project, id, change) =>
      commit((edits) => {
        const missing = `Delivery "${id}" to project "${project}" does not exist`;
        return changeRecord(edits, deliveries, { key: joinKey(project, id), change, missing });
      }),
    prune: (project, keep) =>
      commit((edits) => {
        const all = deliveries.byProject.group(project);
        const old = all.slice(0, Math.max(0, all.length - toLimit(keep)));
        for (const delivery of old) edits.set(deliveries, deliveries.keyOf(delivery), undefined);
      }),
  };
}
