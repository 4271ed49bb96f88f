import type { KeyStore, SessionStore, UserStore } from './store/account-stores.ts';
import type { BuildStore, DeliveryStore, ProjectStore } from './store/project-stores.ts';
import type { BlockStore, QuotaStore } from './store/quota-stores.ts';
import type { ImageStore, InclusionStore, ShortUrlStore } from './store/utility-stores.ts';

export type * from './store/account-stores.ts';
export type * from './store/project-stores.ts';
export type * from './store/quota-stores.ts';
export type * from './store/utility-stores.ts';

/**
 * All that is remembered. Every method may wait for a disk or a network; a change is there for good when its promise
 * resolves, and lost altogether when it rejects. `change` functions may be called more than once, must not wait, and give
 * a new record. Adapters: JSON files by lowdb, memory; each runs the contract suite in `test/data/`.
 */
export interface Store {
  readonly projects: ProjectStore;
  readonly builds: BuildStore;
  readonly deliveries: DeliveryStore;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly keys: KeyStore;
  readonly quotas: QuotaStore;
  readonly blocks: BlockStore;
  readonly images: ImageStore;
  readonly inclusions: InclusionStore;
  readonly shortUrls: ShortUrlStore;
  /** Waits for changes under way, then gives up files and locks. */
  close(): Promise<void>;
}
