import { DataError } from '../../../data/data-error.ts';
import type { Build, BuildCause, BuildStore } from '../../../data/records/build.ts';
import type { NewDelivery } from '../../../data/records/delivery.ts';
import type { Project } from '../../../data/records/project.ts';
import type { Turns } from '../../../data/turns.ts';
import { phrase } from '../../../lib/phrase.ts';

export interface BuildRequest {
  readonly project: string;
  /** Full name of the branch or tag; '' = all of them. */
  readonly ref: string;
  /** Commit that the request is about; '' = whatever the ref leads to. */
  readonly commit: string;
  readonly cause: BuildCause;
  readonly kind?: Build['kind'];
  /** The schedule of the project requests it. */
  readonly isScheduled?: boolean;
  /** The webhook call that requests it, which is recorded with it. */
  readonly delivery?: NewDelivery | undefined;
}

/** Queued and running builds. Every result is on disk before it is returned. */
export interface BuildQueue {
  /**
   * Requests a build. A request for a ref that is queued joins that build; one for a ref that is being built waits for
   * its end. A `webhook` that names the commit that was built last, or is being built, is answered with that build,
   * whether it passed or failed, unless that is not sure; so is a `poll`; a person (`command`, `api`) gets a new one. A `delivery` that
   * was sent before is answered with the build that it led to, whatever was built since. Throws `QueueFullError`.
   */
  request(request: BuildRequest): Promise<Build>;
  /**
   * Requests the removal of a version whose ref is reported as deleted. If the remote still has the ref, it is built instead.
   * Returns undefined when the version is neither published nor about to be; then no `delivery` is recorded.
   */
  removeVersion(project: string, ref: string, delivery?: NewDelivery): Promise<Build | undefined>;
  /** Cancels a queued or running build, also one that an earlier process left; returns its record, even if it had ended before. */
  cancel(id: string): Promise<Build | undefined>;
  /** Cancels all builds of a project, waits for them, and removes it before another build can be requested. */
  removeProject(project: string, remove: () => Promise<unknown>): Promise<void>;
  /** Returns the build once it has ended, or its current state when the queue stops. */
  waitFor(id: string): Promise<Build | undefined>;
  /** Goes on with the builds that an earlier process left, except those of projects that are gone, then starts builds. */
  start(): Promise<void>;
  /** Starts no more builds, for good, and waits until those that run have ended, for up to so long, ms. */
  drain(limitMs: number): Promise<void>;
  /** Starts no more builds and interrupts those that run; queued builds stay for the next process. */
  stop(): Promise<void>;
  /** Starts as many builds as there are places; called when there are more. */
  wake(): void;
  /** Returns whether the queue starts no more builds. */
  isStopping(): boolean;
  /** Counts what waits, and what this process runs; `oldestMs` is how long the build has waited that was requested first, 0 = none waits. */
  counts(): Promise<{ readonly waiting: number; readonly running: number; readonly oldestMs: number }>;
}

/** The part of a `Store` that the queue uses. */
export interface QueueStore {
  readonly projects: {
    find(name: string): Promise<Project | undefined>;
    change(name: string, change: (project: Project) => Project): Promise<Project>;
  };
  readonly builds: {
    find(id: string): Promise<Build | undefined>;
    /** Newest first. */
    list(query: { readonly project: string; readonly ref?: string; readonly limit: number }): Promise<readonly Build[]>;
    listOpen(): Promise<readonly Build[]>;
    countQueued(): Promise<number>;
    findOldestQueued(): Promise<Build | undefined>;
    change(id: string, change: (build: Build) => Build): Promise<Build>;
    changeOpen: BuildStore['changeOpen'];
    prune(project: string, keep: number): Promise<readonly string[]>;
  };
  readonly turns: Turns;
}

/** Too many builds of a project are queued; the same request may succeed later. */
export class QueueFullError extends DataError {
  constructor(project: string) {
    super('busy', phrase`Project "${project}" has ${MAX_WAITING} builds waiting; try again later`);
  }
}

/** Limit of queued builds per project, against a flood of requests for new refs. */
export const MAX_WAITING = 500;

/** Causes of builds that people request. */
const PERSONAL: ReadonlySet<BuildCause> = new Set(['command', 'console', 'api']);

/** Returns whether a person requested a build: then its branch is published whatever it is called. */
export function isByPerson({ cause }: Pick<Build, 'cause'>): boolean {
  return PERSONAL.has(cause);
}

/** Returns the build that was requested first, where this one runs an interrupted one again. */
export async function findOrigin(
  build: Build,
  builds: { find(id: string): Promise<Build | undefined> },
): Promise<Build> {
  return (build.retryOf !== '' && (await builds.find(build.retryOf))) || build;
}
