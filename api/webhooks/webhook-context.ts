import type { Build, BuildCause } from '../../../data/records/build.ts';
import type { Project } from '../../../data/records/project.ts';
import type { Store } from '../../../data/store.ts';
import type { KeyedQueue } from '../../../lib/keyed-queue.ts';
import type { DeliveryLog } from './delivery-log.ts';

/** What takes requests for builds; the build queue is one. */
export interface BuildRequester {
  request(request: {
    readonly project: string;
    readonly ref: string;
    readonly commit: string;
    readonly cause: BuildCause;
  }): Promise<Build>;
  /** Takes a version whose ref is gone out of the site; gives undefined when it is not published. */
  removeVersion(project: string, ref: string): Promise<Build | undefined>;
}

/** What webhooks work with; one for each server. */
export interface WebhookContext {
  readonly store: Pick<Store, 'projects' | 'builds' | 'deliveries'>;
  readonly queue: BuildRequester;
  /** Tells whether the project's `excluded_branch` names a ref. */
  readonly isExcluded: (project: Project, ref: string) => boolean;
  readonly log: DeliveryLog;
  /** Calls of one project are handled one after the other, so that each sees what the one before led to. */
  readonly serial: KeyedQueue;
  readonly now: () => Date;
}
