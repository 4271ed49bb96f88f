import { setTimeout } from 'node:timers/promises';
import type { Build } from '../../../data/records/build.ts';
import type { Project } from '../../../data/records/project.ts';
import { hasCode } from '../../../lib/system-error.ts';
import { describePublished, type ProjectChange } from '../build-findings.ts';
import type { BuildLogs } from '../build-logs.ts';
import {
  NO_VERSION,
  NOT_BEGUN,
  NOT_NOW,
  NOT_PUBLISHED,
  PROJECT_REMOVED,
  PUT_BACK,
  STILL_THERE,
  STOPPED,
} from '../build-reasons.ts';
import type { BuildOutcome } from '../run-build.ts';
import { codeOf, endFor } from '../whose-fault.ts';
import { findOrigin, isByPerson, type QueueStore } from './build-queue.ts';
import { crashed } from './build-states.ts';

/** A build that runs. */
export interface Running {
  readonly build: Build;
  readonly controller: AbortController;
  /** Why it was told to stop. */
  end: 'cancelled' | 'interrupted' | 'put back' | undefined;
  /** The rest of the work is not worth beginning again. */
  isPublished: boolean;
}

/** Does the work of a build; must not throw for errors of a project's repository. */
export type BuildWork = (
  build: Build,
  context: {
    readonly project: Project;
    /** A person asks for it, see `isByPerson`. */
    readonly isAsked: boolean;
    readonly signal: AbortSignal;
    readonly log: (line: string) => void;
    /** Returns whether the build may publish; to be asked right before, where it is there. */
    readonly mayPublish?: (() => Promise<boolean>) | undefined;
    /** Returns whether a build that is stored so may publish, as `SiteStorage.publish` asks; missing where `mayPublish` is. */
    readonly isCurrent?: ((stored: Build | undefined) => boolean) | undefined;
    /** To be called when the site is published. */
    readonly onPublished: () => void;
  },
) => Promise<BuildOutcome>;

/** Delay before retrying a failed write. */
const RETRY_MS = 1_000;
/** Limit of ended builds that are kept per project. */
const KEPT_BUILDS = 200;

/**
 * Returns a function that runs a build that has begun in the store to its end, or until it is put back, with log and records;
 * returns the record.
 */
export function createBuildRunner(options: {
  readonly store: QueueStore;
  readonly logs: BuildLogs;
  readonly work: BuildWork;
  /** Stores how a build ended, and what it has changed in its project; returns the record. */
  readonly finish: (build: Build, values: Partial<Build>, changeProject?: ProjectChange) => Promise<Build>;
  /** Returns whether a build that is stored so may publish; undefined where nobody else can have begun it again. */
  readonly isCurrent?: (stored: Build | undefined) => boolean;
  /** Called for a build that failed for no fault of its repository, before it is put back; and with '' for one that did not. */
  readonly onDeferred: (reason: string) => void;
  /** Returns whether the queue is stopping. */
  readonly isStopping: () => boolean;
  readonly onError: (error: unknown) => void;
  readonly now: () => Date;
}): (run: Running) => Promise<Build> {
  const { store, logs, finish, isCurrent, isStopping, onDeferred, onError, now } = options;
  return async (run) => {
    const { build } = run;
    const { id, project } = build;
    const log = await logs.open(project, id);
    try {
      const outcome = await attempt(build, run, log.write);
      const { values, changeProject } = await conclude(build, run, outcome);
      log.write(describe(values));
      // Before the log is closed: whoever follows it learns that it goes on.
      if (values.status === 'queued') return await insist(() => finish(build, values));
      await log.close();
      const ended = await insist(() => finish(build, { ...values, finishedAt: now().toISOString() }, changeProject));
      await logs.remove(project, await store.builds.prune(project, KEPT_BUILDS));
      return ended;
    } finally {
      await log.close();
    }
  };

  /**
   * Does what must not fail with the store: while it refuses or is busy, the build waits. A stopping server gives up; the
   * next one finds the build unchanged. So does a build that has been interrupted, where its signal is given.
   */
  async function insist<T>(make: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let isFirst = true; ; isFirst = false) {
      try {
        return await make();
      } catch (error) {
        if (!hasCode(error, 'unwritable', 'busy') || isStopping() || signal?.aborted) throw error;
        if (isFirst) onError(error);
        await setTimeout(RETRY_MS);
      }
    }
  }

  async function attempt(build: Build, run: Running, log: (line: string) => void): Promise<BuildOutcome> {
    const onPublished = (): void => {
      run.isPublished = true;
    };
    try {
      // A store that is away says neither yes nor no.
      const { signal } = run.controller;
      const mayPublish = isCurrent && (() => insist(async () => isCurrent(await store.builds.find(build.id)), signal));
      const project = await insist(() => store.projects.find(build.project), signal);
      if (!project) return { status: 'cancelled', reason: String(PROJECT_REMOVED) };
      const isAsked = isByPerson(await insist(() => findOrigin(build, store.builds), signal));
      return await options.work(build, { project, isAsked, signal, log, mayPublish, isCurrent, onPublished });
    } catch (error) {
      onError(error);
      const end = endFor(codeOf(error), String(run.isPublished ? NOT_PUBLISHED : NOT_BEGUN));
      return end.status === 'deferred' ? { ...end, reason: String(NOT_NOW) } : end;
    }
  }

  async function conclude(build: Build, run: Running, outcome: BuildOutcome): Promise<Conclusion> {
    const { end } = run;
    const isBack = end === 'put back';
    if (outcome.status === 'cancelled' && isBack) {
      return { values: { status: 'queued', reason: String(PUT_BACK), startedAt: '' } };
    }
    const isDeferred = outcome.status === 'deferred';
    if (outcome.status !== 'cancelled') onDeferred(isDeferred ? outcome.reason : '');
    if (outcome.status !== 'passing') {
      const { reason, isUnsure, isCrash } = outcome;
      if (end === 'interrupted') return { values: { status: end, reason: String(STOPPED) } };
      if (end === 'cancelled') return { values: { status: end, reason } };
      if (outcome.status !== 'deferred') return { values: { status: outcome.status, reason, isUnsure } };
      return { values: { status: 'queued', reason, startedAt: '', ...(isCrash && crashed(build, now())) } };
    }
    const { versions, result, failing } = outcome;
    await insist(() => logs.writeProblems(build.project, build.id, outcome.problems));
    const changeProject = describePublished(build, { versions, failing });
    const built = versions.find(({ ref }) => ref === build.ref);
    const reason = outcome.isLeftOut ? String(NO_VERSION) : '';
    const values = { status: 'passing', result, commit: built?.oid ?? build.commit, reason } as const;
    // The reported deletion was wrong or late: the ref was built like any other.
    const isBuilt = build.kind === 'remove' && built !== undefined;
    return { values: isBuilt ? { ...values, kind: 'build', reason: String(STILL_THERE) } : values, changeProject };
  }
}

interface Conclusion {
  readonly values: Partial<Build>;
  readonly changeProject?: ProjectChange;
}

function describe({ status, reason }: Partial<Build>): string {
  if (status === 'passing') return 'Passing';
  return `${status === 'failing' ? 'Failing' : status === 'queued' ? 'Put back' : 'Ended'}: ${reason}`;
}
