import type { Store } from '../store.ts';
import { createBlockStore } from './block-store.ts';
import { createBuildStore } from './build-store.ts';
import { createDeliveryStore } from './delivery-store.ts';
import type { Commit } from './edits.ts';
import { createImageStore } from './image-store.ts';
import { createInclusionStore } from './inclusion-store.ts';
import { createKeyStore } from './key-store.ts';
import { createProjectStore } from './project-store.ts';
import { createQuotaStore } from './quota-store.ts';
import { createSessionStore } from './session-store.ts';
import { createShortUrlStore } from './short-url-store.ts';
import type { Tables } from './tables.ts';
import { createUserStore } from './user-store.ts';

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
    users: createUserStore(tables, commit, check),
    sessions: createSessionStore(tables, commit, check),
    keys: createKeyStore(tables, commit, check),
    quotas: createQuotaStore(tables, commit, check),
    blocks: createBlockStore(tables, commit, check),
    images: createImageStore(tables, commit, check),
    inclusions: createInclusionStore(tables, commit, check),
    shortUrls: createShortUrlStore(tables, commit, check),
    close,
  };
}
