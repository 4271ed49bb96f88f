import type { Store } from '../store.ts';
import { createBuildStore } from './build-store.ts';
import { createDeliveryStore } from './delivery-store.ts';
import type { Commit } from './edits.ts';
import { createProjectStore } from './project-store.ts';
import type { Tables } from './tables.ts';

/** How an adapter keeps what happens to the tables. */
export interface Keeper {
  readonly commit: Commit;
  /** Throws once the store is closed. */
  readonly check: () => void;
  readonly close: () => Promise<void>;
}

/** Creates a store that answers from tables. Look-ups may show a change shortly before it is on disk. */
export function createStore(tables: Tables, { commit, check, close }: Keeper): Store {
  return {
    projects: createProjectStore(tables, commit, check),
    builds: createBuildStore(tables, commit, check),
    deliveries: createDeliveryStore(tables, commit, check),
    close,
  };
}
