import { isVersionRef } from '../../builder/index.ts';
import { DataError } from '../../data/data-error.ts';
import type { Build, BuildCause } from '../../data/records/build.ts';
import { createBuildId } from '../../data/records/build-id.ts';
import type { Project } from '../../data/records/project.ts';
import { phrase } from '../../lib/phrase.ts';
import { allVersions, checkedForRemoval, newerCommit } from './build-reasons.ts';

/** What to build. */
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
}

/** Queued and running builds. Every result is on disk before it is returned. */
export interface BuildQueue {
  /**
   * Requests a build. A request for a ref that is queued joins that build; one for a ref that is being built waits for
   * its end. A `webhook` that names the commit that was built last, or is being built, is answered with that build,
   * whether it passed or failed; a person (`command`, `api`) gets a new one. Throws `QueueFullError`.
   */
  request(request: BuildRequest): Promise<Build>;
  /**
   * Requests the removal of a version whose ref is reported as deleted. If the remote still has the ref, it is built instead.
   * Returns undefined when the version is neither published nor about to be.
   */
  removeVersion(project: string, ref: string): Promise<Build | undefined>;
  /** Cancels a queued or running build, also one that an earlier process left; returns its record, even if it had ended before. */
  cancel(id: string): Promise<Build | undefined>;
  /** Cancels all builds of a project, waits for them, and removes it before another build can be requested. */
  removeProject(project: string, remove: () => Promise<unknown>): Promise<void>;
  /** Returns the build once it has ended, or its current state when the queue stops. */
  waitFor(id: string): Promise<Build | undefined>;
  /** Goes on with the builds that an earlier process left, except those of projects that are gone, then starts builds. */
  start(): Promise<void>;
  /** Starts no more builds and interrupts those that run; queued builds stay for the next process. */
  stop(): Promise<void>;
  /** Starts as many builds as there are places; called when there are more. */
  wake(): void;
  /** Returns whether the queue starts no more builds. */
  isStopping(): boolean;
  /** Counts what waits, and what this process runs. */
  counts(): Promise<{ readonly waiting: number; readonly running: number }>;
}

/** Too many builds of a project are queued; the same request may succeed later. */
export class QueueFullError extends DataError {
  constructor(project: string) {
    super('busy', phrase`Project "${project}" has ${MAX_WAITING} builds waiting; try again later`);
  }
}

/** Limit of queued builds per project, against a flood of requests for new refs. */
export const MAX_WAITING = 500;

/*
 * The states of a build. Only the arrows exist; what has ended never changes again.
 *
 *                          ┌── request() for the same ref joins: more `requests`, the newer commit
 *                          │
 *                          │  ┌────── put back ──────────┐   it takes long, or may, and others could be built quickly
 *                          ▼  ▼                          │
 *     request() ──────► queued ───── its turn ─────► running ─────► passing | failing
 *     removeVersion()      │                            │
 *                          ├─► superseded               ├─► cancelled     cancel(), removeProject()
 *                          │   by a build of all refs,  │
 *                          │   by a removal, or if it   └─► interrupted   the process ended: by stop() or a crash the
 *                          │   is put back, by a newer                    record stays `running`, start() of the next one
 *                          │   one of the same ref                        ends it and requests it again, but only once
 *                          │
 *                          └─► cancelled   cancel(), removeProject()
 */

/** What a request leads to. */
export interface Decision {
  /** The build that answers it. */
  readonly build: Build;
  /** It joined a build that waits. */
  readonly isJoined: boolean;
  /** Builds that wait whose work it does. */
  readonly superseded: readonly Build[];
}

/** Decides what a request leads to among the builds of its project that wait. Throws `QueueFullError`. */
export function decide(request: BuildRequest, waiting: readonly Build[], time: Date): Decision {
  const { project, ref, commit, cause, kind = 'build', isScheduled } = request;
  const same = waiting.find((build) => build.ref === ref && build.kind === kind);
  if (same) {
    const build = {
      ...same,
      requests: same.requests + 1,
      commit: commit === '' ? same.commit : commit,
      ...(isByPerson(same) ? {} : { cause, isScheduled }),
    };
    return { build, isJoined: true, superseded: [] };
  }
  const isForAll = ref === '' && kind === 'build';
  // A build of all refs replaces the queued ones.
  if (!isForAll && waiting.length >= MAX_WAITING) throw new QueueFullError(project);
  const build = newBuild({ project, ref, commit, cause, kind, isScheduled }, time);
  return { build, isJoined: false, superseded: waiting.filter((other) => replaces(build, other)) };
}

/**
 * Returns whether a ref that is reported as deleted may be published, or about to be: `running` is the build of its project
 * that runs, `waiting` those that wait.
 */
export function mayExist(
  ref: string,
  {
    project,
    running,
    waiting,
  }: {
    readonly project: Project | undefined;
    readonly running: Build | undefined;
    readonly waiting: readonly Build[];
  },
): boolean {
  // A build of all refs may have seen the ref before it was deleted.
  if (running?.kind === 'build' && (running.ref === ref || running.ref === '')) return true;
  if (waiting.some((build) => build.kind === 'build' && build.ref === ref)) return true;
  return [...(project?.versions ?? []), ...(project?.failing ?? [])].some((one) => one.ref === ref);
}

/** Returns the build that runs an interrupted one again: that is done once, and not if another one of its ref waits. */
export function retry(
  { id, project, ref, commit, kind, retryOf }: Build,
  waiting: readonly Build[],
  time: Date,
): Build | undefined {
  if (retryOf !== '' || waiting.some((build) => build.ref === ref && build.kind === kind)) return undefined;
  return newBuild({ project, ref, commit, kind, cause: 'restart', isScheduled: undefined, retryOf: id }, time);
}

/** Returns whether a build does the work of another one of its project that was requested before. */
export function replaces(newer: Build, older: Build): boolean {
  if (newer.ref === '' && newer.kind === 'build') return !isForMore(older);
  return newer.ref === older.ref && (newer.kind === older.kind || newer.kind === 'remove');
}

/**
 * A build of all versions takes in no branch that is none by its name. Who may use the console or the command gets it all the same;
 * through the API anybody may ask, for any number of refs.
 */
function isForMore({ ref, kind, cause }: Build): boolean {
  const isOperator = cause === 'command' || cause === 'console';
  return isOperator && kind === 'build' && ref !== '' && !isVersionRef({ name: ref, kind: 'branch' }, undefined);
}

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

/** Returns why a build ended whose work another one does. */
export function supersededBy({ id, kind, ref }: Build): string {
  if (kind === 'remove') return String(checkedForRemoval(id));
  return String(ref === '' ? allVersions(id) : newerCommit(id));
}

/** Returns the record of a build that has just been requested. */
function newBuild(
  values: Pick<Build, 'project' | 'ref' | 'commit' | 'cause' | 'kind' | 'isScheduled'> & { readonly retryOf?: string },
  time: Date,
): Build {
  return {
    retryOf: '',
    ...values,
    id: createBuildId(time.getTime()),
    status: 'queued',
    reason: '',
    requests: 1,
    createdAt: time.toISOString(),
    startedAt: '',
    finishedAt: '',
    result: undefined,
    run: undefined,
  };
}
