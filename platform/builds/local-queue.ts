import { type Build, hasEnded } from '../../data/records/build.ts';
import { createKeyedQueue } from '../../lib/keyed-queue.ts';
import { repositoryOwner } from '../../lib/repository-address.ts';
import type { BuildLogs } from './build-logs.ts';
import { findPace } from './build-pace.ts';
import { createBuildPlaces, type PlaceSettings } from './build-places.ts';
import { type BuildQueue, type BuildRequest, decide, mayExist, replaces, retry, supersededBy } from './build-queue.ts';
import { CANCELLED, PROJECT_REMOVED, STOPPED } from './build-reasons.ts';
import { type BuildWork, createBuildRunner, type Running } from './build-runner.ts';
import { createBuildWatchers } from './build-watchers.ts';
import { findAnswered } from './find-answered.ts';
import type { QueueStore } from './queue-store.ts';
import { createWaitingList } from './waiting-list.ts';

/*
 * Owners of repositories take turns, and the projects of each. One project runs one build at a time, since builds publish
 * to one folder; requests for one project are decided one after the other (`requests`), so that two for the same ref see
 * each other. A build is `queued` in the store before it is in `waiting`, and `running` in the store before its work begins.
 * What an earlier process left is in `waiting` before anything is asked of the queue, started or not (`loadWaiting`).
 */

/**
 * Creates the queue of a service that is one process. `run` builds and returns the outcome; it must not throw for errors of a
 * project's repository.
 */
export function createLocalQueue(options: {
  readonly store: QueueStore;
  readonly logs: BuildLogs;
  /** Limits of concurrent builds; called before each decision. */
  readonly places: () => PlaceSettings;
  readonly run: BuildWork;
  readonly onChange?: (build: Build) => void;
  readonly onWarning: (message: string) => void;
  readonly onError: (error: unknown) => void;
  readonly now: () => Date;
}): BuildQueue {
  const { store, logs, now, onWarning, onError } = options;
  const waiting = createWaitingList();
  const running = new Map<string, Running>();
  const places = createBuildPlaces({ settings: options.places, onChange: beginMore, now });
  const watchers = createBuildWatchers(options.onChange);
  let isStarted = false;
  let isStopping = false;
  let loading: Promise<void> | undefined;
  /** Requests for one project are taken one after the other, so that two for the same ref see each other. */
  const requests = createKeyedQueue();
  const inTurn = <T>(project: string, work: () => Promise<T>): Promise<T> =>
    requests.run(project, async () => {
      await loadWaiting();
      return work();
    });

  const change = async (id: string, values: Partial<Build>): Promise<Build> =>
    watchers.tell(await store.builds.change(id, (build) => (hasEnded(build.status) ? build : { ...build, ...values })));
  const runOne = createBuildRunner({
    ...{ store, logs, onError, now },
    work: options.run,
    isStopping: () => isStopping,
    begin: ({ id }, values) => change(id, values),
    async finish(build, values, changeProject) {
      // A build that a stop interrupted stays `running`: the next process finds it as after a crash.
      if (values.status === 'interrupted') return build;
      if (changeProject) await store.projects.change(build.project, changeProject);
      return await change(build.id, values);
    },
  });

  return {
    request: (request) => inTurn(request.project, () => take(request)),
    removeVersion: (project, ref) =>
      inTurn(project, async () => {
        const context = {
          project: await store.projects.find(project),
          running: running.get(project)?.build,
          waiting: waiting.list(project),
        };
        if (!mayExist(ref, context)) return undefined;
        const due = waiting.list(project, ref).filter(({ kind }) => kind === 'build');
        const removal = await take({ project, ref, commit: '', cause: 'webhook', kind: 'remove' });
        // The removal also checks the ref, and builds it if it still exists.
        for (const build of due) await end(build.id, 'superseded', supersededBy(removal));
        return removal;
      }),
    async cancel(id) {
      await loadWaiting();
      return end(id, 'cancelled', String(CANCELLED));
    },
    removeProject: (project, remove) =>
      inTurn(project, async () => {
        // The one that runs comes last; while it is put back, it is among those that run or wait, perhaps among both.
        for (;;) {
          const build = waiting.list(project)[0] ?? running.get(project)?.build;
          if (!build) break;
          await end(build.id, 'cancelled', String(PROJECT_REMOVED));
        }
        places.forget(project);
        await remove();
      }),
    waitFor: (id) => watchers.waitFor(id, () => store.builds.find(id)),
    async start() {
      await loadWaiting();
      for (const { id, project } of await store.builds.listOpen()) {
        await requests.run(project, async () => {
          // It may have been cancelled or removed since.
          const build = await store.builds.find(id);
          if (!build || hasEnded(build.status) || running.get(project)?.build.id === id) return;
          if (!(await store.projects.find(project))) await endOrphan(build);
          else if (build.status === 'running') await runAgain(build);
        });
      }
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
    counts: async () => ({ waiting: waiting.size, running: running.size }),
  };

  async function take(request: BuildRequest): Promise<Build> {
    const { project, ref, kind = 'build' } = request;
    const isWaiting = waiting.list(project, ref).some((build) => build.kind === kind);
    const answered = !isWaiting && request.cause === 'webhook' ? await findAnswered(store, request) : undefined;
    if (answered) return answered;
    // What waits may have begun while the answer was looked up.
    const { build, isJoined } = decide(request, waiting.list(project), now());
    if (isJoined) {
      const { requests, commit, cause, isScheduled } = build;
      const joined = watchers.tell(
        await store.builds.change(build.id, (same) => ({ ...same, requests, commit, cause, isScheduled })),
      );
      waiting.replace(joined);
      return joined;
    }
    const owner = await getReady(build);
    await store.builds.add(build);
    // Only those that still wait: what has begun meanwhile is not to be interrupted.
    for (const other of waiting.list(project)) {
      if (replaces(build, other)) await end(other.id, 'superseded', supersededBy(build));
    }
    waiting.add(build, owner);
    watchers.tell(build);
    beginMore();
    return build;
  }

  /** Takes the builds that an earlier process left `queued` into `waiting`, once. */
  function loadWaiting(): Promise<void> {
    const load = async (): Promise<void> => {
      const left = (await store.builds.listOpen()).filter(({ status }) => status === 'queued');
      const owners = await Promise.all(left.map(getReady));
      for (const [at, build] of left.entries()) waiting.add(build, owners[at]!);
    };
    loading ??= load().catch((error: unknown) => {
      loading = undefined; // the next one who asks tries again
      throw error;
    });
    return loading;
  }

  /** Ends a build whose project the store does not have: an operator may have moved away what could not be read. */
  async function endOrphan({ id, project }: Build): Promise<void> {
    if (!(await end(id, 'cancelled', String(PROJECT_REMOVED)))) return;
    onWarning(`Ended build "${id}": its project "${project}" does not exist`);
  }

  /** A build that was running when its process ended is run again. */
  async function runAgain(build: Build): Promise<void> {
    const finishedAt = now().toISOString();
    const left = await change(build.id, { status: 'interrupted', reason: String(STOPPED), finishedAt, run: undefined });
    if (left.status !== 'interrupted') return; // it has just been cancelled
    const again = retry(build, waiting.list(build.project), now());
    if (!again) return;
    await store.builds.add(again);
    await wait(again);
    watchers.tell(again);
  }

  async function wait(build: Build): Promise<void> {
    waiting.add(build, await getReady(build));
  }

  /** Finds out what decides when it is the turn of a build: how long others took, and the owner, which is returned. */
  async function getReady(build: Build): Promise<string> {
    const pace = places.isKnown(build) ? undefined : await findPace(store, build, options.places().quickMs);
    const owner = repositoryOwner((await store.projects.find(build.project))?.url ?? '');
    // One that has ended meanwhile says more.
    if (pace && !places.isKnown(build)) places.learn(build, pace);
    return owner;
  }

  async function end(id: string, status: 'cancelled' | 'superseded', reason: string): Promise<Build | undefined> {
    // More than once where the build is put back meanwhile.
    for (;;) {
      if (waiting.remove(id)) return change(id, { status, reason, finishedAt: now().toISOString() });
      const run = [...running.values()].find(({ build }) => build.id === id);
      if (!run) return endLeft(id, { status, reason });
      run.end ??= 'cancelled';
      run.controller.abort();
      await run.ended;
    }
  }

  /** Ends a build that was running when an earlier process ended, if nobody has run it again; returns its record. */
  async function endLeft(id: string, values: Pick<Build, 'status' | 'reason'>): Promise<Build | undefined> {
    const build = await store.builds.find(id);
    if (isStarted || build?.status !== 'running') return build;
    return change(id, { ...values, finishedAt: now().toISOString(), run: undefined });
  }

  /** Owners and projects take turns; two builds of one project never run at once, since they publish to one folder. */
  function beginMore(): void {
    if (!isStarted || isStopping) return;
    for (;;) {
      const next = places.takeNext(waiting, isFree);
      if (!next) break;
      begin(next.build, next.owner);
    }
    makeRoom();
  }

  function begin(build: Build, owner: string): void {
    const run: Running = {
      ...{ build, end: undefined, isPublished: false },
      ...{ controller: new AbortController(), ended: Promise.resolve() },
    };
    running.set(build.project, run);
    places.enter(run);
    run.ended = runOne(run)
      .then(async (now) => {
        places.leave(run, now);
        if (now.status === 'queued') await putBack(now, owner);
      })
      .catch(onError)
      .finally(() => {
        places.leave(run, undefined);
        running.delete(build.project);
        beginMore();
      });
  }

  function isFree({ project }: Build): boolean {
    return !running.has(project);
  }

  /** Puts a build back for another one that waits, where it takes long, or may; one at a time. */
  function makeRoom(): void {
    if ([...running.values()].some(({ end }) => end === 'put back' || end === 'gave way')) return;
    const surplus = places.findSurplus(waiting, isFree);
    if (!surplus) return;
    surplus.run.end = surplus.end;
    surplus.run.controller.abort();
  }

  /** Lets a build wait again, unless one that was requested meanwhile does its work. */
  async function putBack(build: Build, owner: string): Promise<void> {
    const newer = waiting.list(build.project).find((other) => replaces(other, build));
    if (!newer) return waiting.add(build, owner);
    await change(build.id, { status: 'superseded', reason: supersededBy(newer), finishedAt: now().toISOString() });
  }
}
