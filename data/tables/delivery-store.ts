import { joinKey } from '../collection.ts';
import type { Delivery } from '../records/delivery.ts';
import { checkProject } from '../records/project.ts';
import { type Database, tx } from '../transaction.ts';
import { deliveries } from './delivery-table.ts';

export interface DeliveryStore {
  find(project: string, id: string): Promise<Delivery | undefined>;
  /** Returns deliveries to a project, newest first. */
  list(query: { readonly project: string; readonly limit: number }): Promise<readonly Delivery[]>;
  /** Adds a delivery; returns false, and changes nothing, where the project has one of this id. Throws `not-found`. */
  add(delivery: Delivery): Promise<boolean>;
  /** Changes one delivery and returns it as it is now. Throws `not-found`. */
  change(project: string, id: string, change: (delivery: Delivery) => Delivery): Promise<Delivery>;
  /** Removes deliveries of a project, but the newest `keep`. */
  prune(project: string, keep: number): Promise<void>;
}

/** Creates the deliveries' part of a store. */
export function createDeliveryStore(database: Database): DeliveryStore {
  const { byProject } = deliveries.indexes;
  return {
    find: (project, id) => database.read(tx.get(deliveries, joinKey(project, id))),
    list: ({ project, limit }) => database.read(tx.list(byProject, project, { limit, isDescending: true })),
    async add(delivery) {
      const record = deliveries.parse(delivery);
      return await database.transact(function* () {
        yield* checkProject(record.project);
        if (yield* tx.get(deliveries, deliveries.keyOf(record))) return false;
        yield* tx.put(deliveries, record);
        return true;
      });
    },
    change: (project, id, change) =>
      database.transact(() =>
        tx.change(deliveries, {
          key: joinKey(project, id),
          change,
          missing: `Delivery "${id}" to project "${project}" does not exist`,
        }),
      ),
    prune: (project, keep) =>
      database.transact(function* () {
        const surplus = (yield* tx.count(byProject, project)) - (keep > 0 ? Math.floor(keep) : 0);
        yield* tx.removeAll(deliveries, yield* tx.list(byProject, project, { limit: surplus }));
      }),
  };
}
