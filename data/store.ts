import type { Collection } from './collection.ts';
import { DataError } from './data-error.ts';
import { apiKeys, createKeyStore, type KeyStore } from './records/api-key.ts';
import {
  type AuditEntry,
  type AuditStore,
  audit,
  createAuditStore,
  type RecordingDatabase,
  recordChanges,
} from './records/audit-entry.ts';
import { type BlockStore, blocks, createBlockStore } from './records/block.ts';
import { type BuildStore, builds, createBuildStore } from './records/build.ts';
import { createDeliveryStore, type DeliveryStore, deliveries } from './records/delivery.ts';
import { createImageStore, type ImageStore, images } from './records/image.ts';
import { createInclusionStore, type InclusionStore, inclusions } from './records/inclusion.ts';
import { ledger } from './records/ledger-entry.ts';
import { createNotificationStore, type NotificationStore, notifications } from './records/notification.ts';
import { createProjectStore, type ProjectStore, projects } from './records/project.ts';
import { createPurgeStore, type PurgeStore, purges } from './records/purge.ts';
import { createQuotaStore, type QuotaStore } from './records/quota.ts';
import { createRedirectStore, type RedirectStore, redirects } from './records/redirects.ts';
import { createSessionStore, type SessionStore, sessions } from './records/session.ts';
import { createShortUrlStore, type ShortUrlStore, shortUrls } from './records/short-url.ts';
import { usage } from './records/usage.ts';
import { createUserStore, type UserStore, users } from './records/user.ts';
import type { Database } from './transaction.ts';

/** All collections, in the order in which adapters open them. */
export const COLLECTIONS: readonly Collection<unknown>[] = [
  projects,
  builds,
  deliveries,
  notifications,
  users,
  sessions,
  apiKeys,
  usage,
  ledger,
  blocks,
  images,
  inclusions,
  shortUrls,
  redirects,
  audit,
  purges,
];

/**
 * The parts of a store, one for each kind of record. Every method may wait for a disk or a network; a change is durable when its
 * promise resolves, and lost altogether when it rejects. `change` functions may be called more than once, must not wait,
 * and return a new record. Adapters: JSON files by lowdb, PostgreSQL, memory; each runs the contract suite in `test/data/`.
 */
export interface Records {
  readonly projects: ProjectStore;
  readonly builds: BuildStore;
  readonly deliveries: DeliveryStore;
  readonly notifications: NotificationStore;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly keys: KeyStore;
  readonly quotas: QuotaStore;
  readonly blocks: BlockStore;
  readonly images: ImageStore;
  readonly inclusions: InclusionStore;
  readonly shortUrls: ShortUrlStore;
  readonly redirects: RedirectStore;
  readonly purges: PurgeStore;
  readonly audit: AuditStore;
}

/** Records whose first change takes an entry of the audit log along, in the same transaction: both last or neither does. */
export interface RecordingStore extends Records, Pick<RecordingDatabase, 'hasRecorded'> {}

/** All stored data. */
export interface Store extends Records {
  /** Returns the records for what the entry describes. Throws DataError `invalid` for an entry that cannot be kept. */
  recording(entry: AuditEntry): RecordingStore;
  /** Waits for changes in progress, then releases files and locks. */
  close(): Promise<void>;
}

/** Creates the store of an adapter, which is asked nothing once it is closed. */
export function createStore(adapter: Database & Pick<Store, 'close'>): Store {
  let closing: Promise<void> | undefined;
  const refuse = (): Promise<never> => Promise.reject(new DataError('unwritable', 'The store is closed'));
  const database: Database = {
    read: (step) => (closing ? refuse() : adapter.read(step)),
    transact: (step) => (closing ? refuse() : adapter.transact(step)),
  };
  return {
    ...createRecords(database),
    recording(entry) {
      const recorder = recordChanges(database, entry);
      return { ...createRecords(recorder), hasRecorded: recorder.hasRecorded };
    },
    close() {
      closing ??= adapter.close();
      return closing;
    },
  };
}

function createRecords(database: Database): Records {
  return {
    projects: createProjectStore(database),
    builds: createBuildStore(database),
    deliveries: createDeliveryStore(database),
    notifications: createNotificationStore(database),
    users: createUserStore(database),
    sessions: createSessionStore(database),
    keys: createKeyStore(database),
    quotas: createQuotaStore(database),
    blocks: createBlockStore(database),
    images: createImageStore(database),
    inclusions: createInclusionStore(database),
    shortUrls: createShortUrlStore(database),
    redirects: createRedirectStore(database),
    purges: createPurgeStore(database),
    audit: createAuditStore(database),
  };
}
