import { DataError } from '../../data/data-error.ts';
import { type Build, type BuildCause, hasEnded } from '../../data/records/build.ts';
import { createBuildId } from '../../data/records/build-id.ts';
import { createKeyedQueue } from '../../lib/keyed-queue.ts';
import type { BuildLogs } from './build-logs.ts';
import { type BuildWork, createBuildRunner, type Running, STOPPED } from './build-runner.ts';
import { createBuildWatchers } from './build-watchers.ts';
import type { QueueStore } from './queue-store.ts';
import { createWaitingList } from './waiting-list.ts';

/** What to build. */
export interface BuildRequest {
  readonly project: string;
  /** Full name of the branch or tag; '' = all of them. */
  readonly ref: string;
  /** Commit that the request is about; '' = whatever the ref leads to. */
  readonly commit: string;
  readonly cause: BuildCause;
  readonly kind?: Build['kind'];
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
  /** Cancels a queued or running build; returns its record, even if it had ended before. */
  cancel(id: string): Promise<Build | undefined>;
  /** Cancels all builds of a project, waits for them, and removes it before another build can be requested. */
  removeProject(project: string, remove: () => Promise<unknown>): Promise<void>;
  /** Returns the build once it has ended, or its current state when the queue stops. */
  waitFor(id: string): Promise<Build | undefined>;
  /** Loads the builds that an earlier process left, then starts builds. */
  start(): Promise<void>;
  /** Starts no more builds and interrupts those that run; queued builds stay for the next process. */
  stop(): Promise<void>;
  /** Starts as many builds as the concurrency allows; called when it grows. */
  wake(): void;
  /** Returns whether the queue starts no more builds. */
  isStopping(): boolean;
  readonly counts: () => { readonly waiting: number; readonly running: number };
}

/** Too many builds of a project are queued; the same request may succeed later. */
export class QueueFullError extends DataError {
  constructor(project: string) {
    super('busy', `Project "${project}" has ${MAX_WAITING} builds waiting; try again later`);
  }
}

/** Limit of queued builds per project, against a flood of requests for new refs. */
const MAX_WAITING = 500;

/*
 * The states of a build. Only the arrows exist; what has ended never changes again.
 *
 *                          ┌── request() for the same ref joins: more `requests`, the newer commit
 *                          ▼
 *     request() ──────► queued ───── its turn ─────► running ─────► passing | failing
 *     removeVersion()      │                            │
 *                          ├─► superseded               ├─► cancelled     cancel(), removeProject()
 *                          │   by a build of all refs,  │
 *                          │   or by a removal          └─► interrupted   the process ended: by stop() or a crash the
 *                          └─► cancelled                                  record stays `running`, start() of the next one
 *                              cancel(), removeProject()                  ends it and requests it again, but only once
 *
 * Projects take turns. One project runs one build at a time, since builds publish to one folder; requests for one project
 * are decided one after the other (`requests`), so that two for the same ref see each other. A build
 * is `queued` in the store before it is in `waiting`, and `running` in the store before its work begins.
 */

/** Creates a queue. `run` builds and returns the outcome; it must not throw for errors of a project's repository. */
export function createBuildQueue(options: {
  readonly store: QueueStore;
  readonly logs: BuildLogs;
  /** Limit of concurrent builds; called before each one. */
  readonly concurrency: () => number;
  readonly run: BuildWork;
  readonly onChange?: (build: Build) => void;
  readonly onError: (error: unknown) => void;
  readonly now: () => Date;
}): BuildQueue {
  const { store, logs, now, onError } = options;
  const waiting = createWaitingList();
  const running = new Map<string, Running>();
  const watchers = createBuildWatchers(options.onChange);
  let isStarted = false;
  let isStopping = false;
  /** Requests for one project are taken one after the other, so that two for the same ref see each other. */
  const requests = createKeyedQueue();

  const change = async (id: string, values: Partial<Build>): Promise<Build> =>
    watchers.tell(await store.builds.change(id, (build) => (hasEnded(build.status) ? build : { ...build, ...values })));
  const runOne = createBuildRunner({
    ...{ store, logs, change, onError, now },
    work: options.run,
    isStopping: () => isStopping,
  });

  return {
    request: (request) => requests.run(request.project, () => take(request)),
    removeVersion: (project, ref) =>
      requests.run(project, async () => {
        const found = await store.projects.find(project);
        const due = waiting.list(project, ref).filter(({ kind }) => kind === 'build');
        const run = running.get(project);
        // A build of all refs may have seen the ref before it was deleted.
        const isBeingBuilt = run?.build.kind === 'build' && (run.build.ref === ref || run.build.ref === '');
        const isPublished = [...(found?.versions ?? []), ...(found?.failing ?? [])].some((one) => one.ref === ref);
        if (!isBeingBuilt && !isPublished && due.length === 0) return undefined;
        const removal = await take({ project, ref, commit: '', cause: 'webhook', kind: 'remove' });
        // The removal also checks the ref, and builds it if it still exists.
        for (const build of due)
          await end(build.id, 'superseded', `Build ${removal.id} checks whether the ref is gone`);
        return removal;
      }),
    cancel: (id) => end(id, 'cancelled', 'Cancelled'),
    removeProject: (project, remove) =>
      requests.run(project, async () => {
        for (const build of waiting.list(project)) await end(build.id, 'cancelled', 'The project was removed');
        const run = running.get(project);
        if (run) {
          run.end = 'cancelled';
          run.controller.abort();
          await run.ended;
        }
        await remove();
      }),
    waitFor: (id) => watchers.waitFor(id, () => store.builds.find(id)),
    async start() {
      const open = await store.builds.listOpen();
      for (const build of open) if (build.status === 'queued') waiting.add(build);
      for (const build of open) if (build.status === 'running') await runAgain(build);
      isStarted = true;
      beginMore();
    },
    async stop() {
      isStopping = true;
      await requests.idle();
      for (const run of running.values()) {
        run.end ??= 'interrupted';
        run.controller.abort();
      }
      await Promise.all([...running.values()].map(({ ended }) => ended));
      watchers.release();
    },
    wake: beginMore,
    isStopping: () => isStopping,
    counts: () => ({ waiting: waiting.size, running: running.size }),
  };

  async function take(request: BuildRequest): Promise<Build> {
    const { project, ref, commit, cause, kind = 'build' } = request;
    const same = waiting.list(project, ref).find((build) => build.kind === kind);
    if (same) {
      const values = { requests: same.requests + 1, commit: commit === '' ? same.commit : commit };
      const joined = watchers.tell(await store.builds.change(same.id, (build) => ({ ...build, ...values })));
      waiting.replace(joined);
      return joined;
    }
    const answered = cause === 'webhook' ? await findAnswered(request) : undefined;
    if (answered) return answered;
    const isForAll = ref === '' && kind === 'build';
    // A build of all refs replaces the queued ones.
    if (!isForAll && waiting.list(project).length >= MAX_WAITING) throw new QueueFullError(project);
    const build = newBuild({ project, ref, commit, cause, kind }, now());
    await store.builds.add(build);
    if (isForAll) {
      for (const single of waiting.list(project))
        await end(single.id, 'superseded', `Build ${build.id} builds all versions`);
    }
    waiting.add(build);
    watchers.tell(build);
    beginMore();
    return build;
  }

  /**
   * Returns the build that already answers a push of this commit: the newest of its ref, if it is of this commit and its
   * result is still published. A commit that returns, by a forced push or after a deletion, was built but is not
   * published; one that failed would fail again.
   */
  async function findAnswered({ project, ref, commit }: BuildRequest): Promise<Build | undefined> {
    const [newest] = commit === '' ? [] : await store.builds.list({ project, ref, limit: 1 });
    if (newest?.kind !== 'build' || newest.commit !== commit) return undefined;
    if (!hasEnded(newest.status) || newest.status === 'failing') return newest;
    if (newest.status !== 'passing') return undefined;
    const published = (await store.projects.find(project))?.versions.find((version) => version.ref === ref);
    if (published) return published.oid === commit ? newest : undefined;
    // It passed without documentation to publish, unless a later build of all refs found the ref deleted.
    const [ofAll] = await store.builds.list({ project, ref: '', limit: 1 });
    return ofAll === undefined || ofAll.id < newest.id ? newest : undefined;
  }

  /** A build that was running when its process ended is run again, but only once, and not if another one is queued. */
  async function runAgain({ id, project, ref, commit, kind, retryOf }: Build): Promise<void> {
    await change(id, { status: 'interrupted', reason: STOPPED, finishedAt: now().toISOString() });
    if (retryOf !== '' || waiting.list(project, ref).some((build) => build.kind === kind)) return;
    const again = newBuild({ project, ref, commit, kind, cause: 'restart', retryOf: id }, now());
    await store.builds.add(again);
    waiting.add(again);
    watchers.tell(again);
  }

  async function end(id: string, status: 'cancelled' | 'superseded', reason: string): Promise<Build | undefined> {
    if (waiting.remove(id)) return change(id, { status, reason, finishedAt: now().toISOString() });
    const run = [...running.values()].find(({ build }) => build.id === id);
    if (run) {
      run.end ??= 'cancelled';
      run.controller.abort();
      await run.ended;
    }
    return store.builds.find(id);
  }

  /** Projects take turns; two builds of one project never run at once, since they publish to one folder. */
  function beginMore(): void {
    while (isStarted && !isStopping && running.size < options.concurrency()) {
      const build = waiting.takeNext((project) => !running.has(project));
      if (!build) return;
      const run: Running = { build, controller: new AbortController(), end: undefined, ended: Promise.resolve() };
      running.set(build.project, run);
      run.ended = runOne(run)
        .catch(onError)
        .finally(() => {
          running.delete(build.project);
          beginMore();
        });
    }
  }
}

/** Returns the record of a build that has just been requested. */
function newBuild(
  values: Pick<Build, 'project' | 'ref' | 'commit' | 'cause' | 'kind'> & { readonly retryOf?: string },
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
  };
}
