import type { Build, BuildCause } from '../../data/records/build.ts';
import { hasEnded } from '../../data/records/build.ts';
import { createBuildId } from '../../data/records/build-id.ts';
import type { BuildLogs } from './build-logs.ts';
import type { QueueStore } from './queue-store.ts';
import type { BuildOutcome } from './run-build.ts';
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

/** Builds that wait and run. Every answer is on disk before it is given. */
export interface BuildQueue {
  /**
   * Asks for a build. A request for what waits already joins that build; one for what is running waits for its end. The
   * same commit of the same ref is not built again unless a person asks (`command`, `api`).
   */
  request(request: BuildRequest): Promise<Build>;
  /** Takes a version whose ref is gone out of the site; gives undefined when it is not published. */
  removeVersion(project: string, ref: string): Promise<Build | undefined>;
  /** Ends a build that waits or runs; gives it as it is then, also when it had ended before. */
  cancel(id: string): Promise<Build | undefined>;
  /** Ends all builds of a project that is going away, and waits for them. */
  cancelAll(project: string): Promise<void>;
  /** Gives the build once it has ended. */
  waitFor(id: string): Promise<Build | undefined>;
  /** Takes up what an earlier process left, then begins to build. */
  start(): Promise<void>;
  /** Begins no more builds and interrupts those that run; what waits stays for the next process. */
  stop(): Promise<void>;
  readonly counts: () => { readonly waiting: number; readonly running: number };
}

/** Told of every change of a build. */
export type BuildListener = (build: Build) => void;

interface Running {
  readonly build: Build;
  readonly controller: AbortController;
  end: 'cancelled' | 'interrupted' | undefined;
  readonly ended: Promise<void>;
}

/** Ended builds that are kept for each project. */
const KEPT_BUILDS = 200;

/** Creates a queue. `run` builds and says how it ended; it must not throw for what a project's repository does. */
export function createBuildQueue(options: {
  readonly store: QueueStore;
  readonly logs: BuildLogs;
  readonly concurrency: number;
  readonly run: (build: Build, context: { signal: AbortSignal; log: (line: string) => void }) => Promise<BuildOutcome>;
  readonly onChange?: BuildListener;
  readonly onError: (error: unknown) => void;
  readonly now: () => Date;
}): BuildQueue {
  const { store, logs, now, onError } = options;
  const waiting = createWaitingList();
  const running = new Map<string, Running>();
  const listeners = new Map<string, Set<(build: Build) => void>>();
  let isStarted = false;
  let isStopping = false;
  /** Requests are taken one after the other, so that two for the same ref see each other. */
  let last: Promise<unknown> = Promise.resolve();

  const tell = (build: Build): Build => {
    options.onChange?.(build);
    if (hasEnded(build.status)) {
      for (const listener of listeners.get(build.id) ?? []) listener(build);
      listeners.delete(build.id);
    }
    return build;
  };
  const change = async (id: string, values: Partial<Build>): Promise<Build> =>
    tell(await store.builds.change(id, (build) => (hasEnded(build.status) ? build : { ...build, ...values })));
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };

  return {
    request: (request) => inTurn(() => take(request)),
    removeVersion: (project, ref) =>
      inTurn(async () => {
        const found = await store.projects.find(project);
        for (const build of waiting.list(project, ref)) await end(build.id, 'cancelled', 'The ref was deleted');
        const run = running.get(project);
        const isBeingBuilt = run?.build.ref === ref && run.build.kind === 'build';
        if (!isBeingBuilt && !found?.versions.some((version) => version.ref === ref)) return undefined;
        return take({ project, ref, commit: '', cause: 'webhook', kind: 'remove' });
      }),
    cancel: (id) => end(id, 'cancelled', 'Cancelled'),
    async cancelAll(project) {
      await inTurn(async () => {
        for (const build of waiting.list(project)) await end(build.id, 'cancelled', 'The project was removed');
      });
      const run = running.get(project);
      if (!run) return;
      run.end = 'cancelled';
      run.controller.abort();
      await run.ended;
    },
    async waitFor(id) {
      const ended = new Promise<Build>((resolve) => {
        const set = listeners.get(id) ?? new Set();
        listeners.set(id, set.add(resolve));
      });
      const build = await store.builds.find(id);
      return build === undefined || hasEnded(build.status) ? build : ended;
    },
    async start() {
      for (const build of await store.builds.listOpen()) await takeUp(build);
      isStarted = true;
      beginMore();
    },
    async stop() {
      isStopping = true;
      await last;
      for (const run of running.values()) {
        run.end ??= 'interrupted';
        run.controller.abort();
      }
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
    counts: () => ({ waiting: waiting.size, running: running.size }),
  };

  async function take(request: BuildRequest): Promise<Build> {
    const { project, ref, commit, cause, kind = 'build' } = request;
    const same = waiting.list(project, ref).find((build) => build.kind === kind);
    if (same) {
      const values = { requests: same.requests + 1, commit: commit === '' ? same.commit : commit };
      const joined = tell(await store.builds.change(same.id, (build) => ({ ...build, ...values })));
      waiting.replace(joined);
      return joined;
    }
    if (commit !== '' && cause === 'webhook' && waiting.list(project, ref).length === 0) {
      const known = await store.builds.findByCommit(project, ref, commit);
      if (known?.status === 'running') return known;
      // A commit that comes back, by force or after a deletion, was built but is no longer what is published.
      const published = (await store.projects.find(project))?.versions.find((version) => version.ref === ref);
      if (known?.status === 'passing' && published?.oid === commit) return known;
    }
    const build = createBuild({ project, ref, commit, cause, kind });
    await store.builds.add(build);
    if (ref === '' && kind === 'build') {
      for (const single of waiting.list(project))
        await end(single.id, 'superseded', `Build ${build.id} builds all versions`);
    }
    waiting.add(build);
    tell(build);
    beginMore();
    return build;
  }

  function createBuild(
    values: Pick<Build, 'project' | 'ref' | 'commit' | 'cause' | 'kind'> & { retryOf?: string },
  ): Build {
    const time = now();
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

  /** A build left waiting waits again; one left running is run again, but only once. */
  async function takeUp(build: Build): Promise<void> {
    if (build.status === 'queued') {
      waiting.add(build);
      return;
    }
    const reason = 'The server was stopped while this build ran';
    await change(build.id, { status: 'interrupted', reason, finishedAt: now().toISOString() });
    if (build.retryOf !== '' || waiting.list(build.project, build.ref).length > 0) return;
    const { project, ref, commit, kind } = build;
    const again = createBuild({ project, ref, commit, kind, cause: 'restart', retryOf: build.id });
    await store.builds.add(again);
    waiting.add(again);
    tell(again);
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
    while (isStarted && !isStopping && running.size < options.concurrency) {
      const build = waiting.takeNext((project) => !running.has(project));
      if (!build) return;
      const controller = new AbortController();
      const run: Running = { build, controller, end: undefined, ended: Promise.resolve() };
      running.set(build.project, run);
      Object.assign(run, {
        ended: runOne(run)
          .catch(onError)
          .finally(() => {
            running.delete(build.project);
            beginMore();
          }),
      });
    }
  }

  async function runOne(run: Running): Promise<void> {
    const { id, project } = run.build;
    const log = logs.open(project, id);
    try {
      const build = await change(id, { status: 'running', startedAt: now().toISOString() });
      const outcome = await attempt(build, run, log.write);
      const finishedAt = now().toISOString();
      if (outcome.status === 'passing') {
        await store.projects.change(project, (known) => ({ ...known, versions: outcome.versions }));
        const built = outcome.versions.find(({ ref }) => ref === build.ref);
        log.write('Passing');
        await log.close();
        await change(id, { status: 'passing', result: outcome.result, commit: built?.oid ?? build.commit, finishedAt });
      } else {
        const status = run.end ?? outcome.status;
        const reason = run.end === 'interrupted' ? 'The server was stopped while this build ran' : outcome.reason;
        log.write(`${status === 'failing' ? 'Failing' : 'Ended'}: ${reason}`);
        await log.close();
        if (run.end === 'interrupted') await leaveForNext(build);
        else await change(id, { status, reason, finishedAt });
      }
      await logs.remove(project, await store.builds.prune(project, KEPT_BUILDS));
    } finally {
      await log.close();
    }
  }

  /** The record stays `running`: the next process finds it so, as after a crash, and runs it again. */
  async function leaveForNext(build: Build): Promise<void> {
    options.onChange?.(build);
  }

  async function attempt(build: Build, run: Running, log: (line: string) => void): Promise<BuildOutcome> {
    try {
      return await options.run(build, { signal: run.controller.signal, log });
    } catch (error) {
      onError(error);
      return { status: 'failing', reason: 'Internal error; the server log has the details' };
    }
  }
}
