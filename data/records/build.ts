/** Where a build stands. The last five are ends; a build that has ended never changes again. */
export type BuildStatus = 'queued' | 'running' | 'passing' | 'failing' | 'cancelled' | 'superseded' | 'interrupted';

/** Who asked for a build. */
export type BuildCause = 'command' | 'api' | 'webhook' | 'restart' | 'start';

/** One building of a project's version, or of all its versions. */
export interface Build {
  /** Sorts by time of creation, see `createBuildId`. */
  readonly id: string;
  readonly project: string;
  /** `remove` takes a version whose ref is gone out of the site; `refresh` publishes all of them anew, unchanged. */
  readonly kind: 'build' | 'remove' | 'refresh';
  /** Full name of the branch or tag; '' = all of them. */
  readonly ref: string;
  readonly cause: BuildCause;
  readonly status: BuildStatus;
  /** Commit that was asked for, then the one that was built; '' = not known. */
  readonly commit: string;
  /** Why it ended as it did: error with file and line; '' = nothing to say. */
  readonly reason: string;
  /** Requests that this build answers, the first one included. */
  readonly requests: number;
  /** The build that was interrupted and is run again by this one; '' = none. */
  readonly retryOf: string;
  /** ISO 8601, UTC; '' = not yet. */
  readonly createdAt: string;
  readonly startedAt: string;
  readonly finishedAt: string;
  /** What was built; undefined unless passing. */
  readonly result: BuildResult | undefined;
}

/** Counts of a build that passed. */
export interface BuildResult {
  readonly versions: number;
  readonly languages: number;
  readonly pages: number;
  readonly rendered: number;
  readonly reused: number;
  readonly warnings: number;
  readonly bytes: number;
  /** Duration of the engine's work, and of fetching in it. */
  readonly ms: number;
  readonly fetchMs: number;
}

const ENDED: ReadonlySet<BuildStatus> = new Set(['passing', 'failing', 'cancelled', 'superseded', 'interrupted']);

/** Tells whether a build with this status will never change again. */
export function hasEnded(status: BuildStatus): boolean {
  return ENDED.has(status);
}
