import type { Collection } from './collection.ts';
import { DataError } from './data-error.ts';
import { apiKeys, createKeyStore } from './records/api-key.ts';
import {
  type AuditEntry,
  audit,
  createAuditStore,
  type RecordingDatabase,
  recordChanges,
} from './records/audit-entry.ts';
import { blocks, createBlockStore } from './records/block.ts';
import { builds, createBuildStore } from './records/build.ts';
import { createDeliveryStore, deliveries } from './records/delivery.ts';
import { createImageStore, images } from './records/image.ts';
import { createInclusionStore, inclusions } from './records/inclusion.ts';
import { ledger } from './records/ledger-entry.ts';
import { createLimitStore, limits } from './records/limit.ts';
import { createNotificationStore, notifications } from './records/notification.ts';
import { createOutboxStore, publications, purges } from './records/outbox-entry.ts';
import { createPollStore, polls } from './records/poll.ts';
import { createProjectStore, projects } from './records/project.ts';
import { createQuotaStore } from './records/quota.ts';
import { createRedirectStore, redirects } from './records/redirects.ts';
import { createSessionStore, sessions } from './records/session.ts';
import { createShortUrlStore, shortUrls } from './records/short-url.ts';
import { usage } from './records/usage.ts';
import { createUserStore, users } from './records/user.ts';
import type { Database } from './transaction.ts';
import type { Turns } from './turns.ts';

/** The parts of a store and the collections they keep, in the order in which adapters open these. */
const PARTS = {
  projects: { keeps: [projects], create: createProjectStore },
  builds: { keeps: [builds], create: createBuildStore },
  deliveries: { keeps: [deliveries], create: createDeliveryStore },
  notifications: { keeps: [notifications], create: createNotificationStore },
  users: { keeps: [users], create: createUserStore },
  sessions: { keeps: [sessions], create: createSessionStore },
  keys: { keeps: [apiKeys], create: createKeyStore },
  quotas: { keeps: [usage, ledger], create: createQuotaStore },
  blocks: { keeps: [blocks], create: createBlockStore },
  images: { keeps: [images], create: createImageStore },
  inclusions: { keeps: [inclusions], create: createInclusionStore },
  shortUrls: { keeps: [shortUrls], create: createShortUrlStore },
  redirects: { keeps: [redirects], create: createRedirectStore },
  audit: { keeps: [audit], create: createAuditStore },
  purges: { keeps: [purges], create: (database: Database) => createOutboxStore(database, purges) },
  publications: {
    keeps: [publications],
    create: (database: Database) => createOutboxStore(database, publications),
  },
  limits: { keeps: [limits], create: createLimitStore },
  polls: { keeps: [polls], create: createPollStore },
};

/** All collections. */
export const COLLECTIONS: readonly Collection<unknown>[] = Object.values(PARTS).flatMap(
  ({ keeps }): readonly Collection<unknown>[] => keeps,
);

/**
 * The parts of a store, one for each kind of record. Every method may wait for a disk or a network; a change is durable when its
 * promise resolves, and lost altogether when it rejects. `change` functions may be called more than once, must not wait,
 * and return a new record. Adapters: JSON files by lowdb, PostgreSQL, memory; each runs the contract suite in `test/data/`.
 */
export type Records = { readonly [Name in keyof typeof PARTS]: ReturnType<(typeof PARTS)[Name]['create']> };

/** Records whose first change takes an entry of the audit log along, in the same transaction: both last or neither does. */
export interface RecordingStore extends Records, Pick<RecordingDatabase, 'hasRecorded'> {}

/** All stored data. */
export interface Store extends Records {
  /** Builds that wait, in the order of their turns. */
  readonly turns: Turns;
  /** Returns the records for what the entry describes. Throws DataError `invalid` for an entry that cannot be kept. */
  recording(entry: AuditEntry): RecordingStore;
  /** Waits for changes in progress, then releases files and locks. */
  close(): Promise<void>;
}

/** Creates the store of an adapter, which is asked nothing once it is closed. */
export function createStore(adapter: Database & Pick<Store, 'turns' | 'close'>): Store {
  let closing: Promise<void> | undefined;
  const refuse = (): Promise<never> => Promise.reject(new DataError('unwritable', 'The store is closed'));
  const database: Database = {
    read: (step) => (closing ? refuse() : adapter.read(step)),
    transact: (step) => (closing ? refuse() : adapter.transact(step)),
  };
  return {
    ...createRecords(database),
    turns: adapter.turns,
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
  return Object.fromEntries(Object.entries(PARTS).map(([name, { create }]) => [name, create(database)])) as Records;
}
