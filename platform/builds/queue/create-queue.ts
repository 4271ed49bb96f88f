import { DataError } from '../../../data/data-error.ts';
import type { BuildChange, Nodes } from '../../../data/nodes.ts';
import { type Build, hasEnded, type OpenBuilds } from '../../../data/records/build.ts';
import { startBuildIdsBehind } from '../../../data/records/build-id.ts';
import type { NewDelivery } from '../../../data/records/delivery.ts';
import type { Lane, TurnServer } from '../../../data/turns.ts';
import { type CallAfter, callAfter } from '../../../lib/call-after.ts';
import { createKeyedQueue } from '../../../lib/keyed-queue.ts';
import type { BuildLogs } from '../build-logs.ts';
import { CANCELLED, PROJECT_REMOVED } from '../build-reasons.ts';
import { findLanes, knownLane } from './build-lanes.ts';
import type { BuildQueue, BuildRequest, QueueStore } from './build-queue.ts';
import type { BuildWork } from './build-runner.ts';
import { answerIn, beginIn, cancelIn, findNext, isPush, isQueued, removeIn } from './build-states.ts';
import { createBuildWatchers } from './build-watchers.ts';
import { createLeftBuilds } from './left-builds.ts';
import { createOwnBuilds } from './own-builds.ts';
import { createQueueChanges } from './queue-changes.ts';

/*
 * Waiting and running builds are in the store, and decided there: each arrow of `build-states.ts` is one change of all open builds of a
 * project (`changeOpen`), whichever node makes it. Such a change also asks for a turn of the project, if it has builds that
 * wait; whoever gets the turn takes the oldest of them. So nobody needs to remember anything but what it runs itself. One project
 * runs one build at a time, since builds publish to one folder.
 *
 * There are two lanes. A build whose project was built in `shortMs` the last time, or for the first time, waits in the short one, for any
 * place; others wait for the places that are not kept for short builds. What takes longer in a place for short ones stays there while
 * nobody waits for it; then it is put back, and begins again in the long lane. Builds that are known to be short overtake some others, new
 * ones among them.
 *
 * Of several nodes, a build names the one that runs it. Only that node ends it, and others ask for that (`run.cancel`), until it is
 * dead: then whoever notices ends its builds and requests them again. What a node does afterwards to a build that is not its own
 * any more changes nothing, and may not publish (`own-builds.ts`).
 */

/** How many builds run at once. */
export interface PlaceSettings {
  /** Builds that may run as long as they take. */
  readonly concurrency: number;
  /** Further builds, as long as they are short. */
  readonly quick: number;
  /** How long a build is short, ms. */
  readonly quickMs: number;
}

/** The name of the process that builds where there is only one. */
const ONLY_NODE = 0;
/** The time of a build of which nothing is known, as a part of what is short. */
const TRIED = 0.4;
/** How long a process begins no build after one that failed for no fault of its repository, ms: twice as long each time. */
const FIRST_REST_MS = 1_000;
const MAX_REST_MS = 10_000;

/** Creates the queue. `run` builds and returns the outcome; it must not throw for errors of a project's repository. */
export function createBuildQueue(options: {
  readonly store: QueueStore;
  /** Where several processes use the store. */
  readonly nodes?: Pick<Nodes, 'id' | 'listen'> | undefined;
  readonly logs: BuildLogs;
  /** Limits of builds of this process; of several nodes, as they are when the queue is started. */
  readonly places: () => PlaceSettings;
  /** Whether this process builds; default: yes. */
  readonly isBuilding?: boolean;
  readonly run: BuildWork;
  /** Receives the changes that this process makes. */
  readonly onChange?: (build: Build) => void;
  readonly onWarning: (message: string) => void;
  readonly onError: (error: unknown) => void;
  readonly now: () => Date;
  readonly after?: CallAfter;
}): BuildQueue {
  const { store, nodes, logs, isBuilding = true, onWarning, onError, now, after = callAfter } = options;
  const node = nodes?.id ?? ONLY_NODE;
  const hasOthers = nodes !== undefined;
  /** Projects whose turn it is here. */
  const taking = new Set<string>();
  const shortMs = (): number => options.places().quickMs;
  const stop = new AbortController();
  const stopping = stop.signal;
  const watchers = createBuildWatchers(options.onChange);
  const changes = createQueueChanges({ store, shortMs, tell: watchers.tell, stopping, onError, now, after });
  const times = { stopping, onError, now, after };
  const own = createOwnBuilds({ store, changes, node, hasOthers, logs, work: options.run, onDeferred: rest, ...times });
  /** A project is not removed between two steps of a request of this process. */
  const requests = createKeyedQueue();
  const isRunningHere = own.has;
  const left = createLeftBuilds({ store, changes, watchers, requests, hasOthers, isRunningHere, onWarning, now });
  let server: TurnServer | undefined;
  /** Builds that were deferred one after the other; none begins until this process has rested. */
  let deferrals = 0;
  let isResting = false;
  /** It begins no more builds; once `stopping`, those that run end, too. */
  let isDraining = false;
  let turnsStopped: Promise<unknown> | undefined;

  nodes?.listen({
    onBuild: (change) => void hear(change).catch(onError),
    onGap() {
      for (const id of watchers.listWaiting()) recall(id).catch(onError);
      for (const id of own.list()) own.check(id).catch(onError);
    },
    onDead: left.takeOverFrom,
  });

  return {
    request: (request) => requests.run(request.project, () => take(request)),
    removeVersion: (project, ref, delivery) => requests.run(project, () => removeVersion(project, ref, delivery)),
    cancel,
    removeProject: (project, remove) =>
      requests.run(project, async () => {
        for (;;) {
          const [build] = (await store.builds.listOpen()).filter((one) => one.project === project);
          if (!build) break;
          await cancel(build.id, String(PROJECT_REMOVED));
        }
        await remove();
      }),
    waitFor: (id) => watchers.waitFor(id, () => store.builds.find(id)),
    async start() {
      if (!isBuilding) return;
      await left.takeOver();
      server ??= await store.turns.serve({
        places() {
          const { concurrency, quick } = options.places();
          return { long: concurrency, short: quick };
        },
        take: takeTurn,
      });
    },
    async drain(limitMs) {
      isDraining = true;
      turnsStopped ??= server?.stop();
      let forget = (): void => {};
      const limit = new Promise<void>((resolve) => {
        forget = after(limitMs, resolve);
      });
      await Promise.race([turnsStopped, limit]);
      forget();
    },
    async stop() {
      isDraining = true;
      stop.abort();
      await requests.idle();
      own.interrupt();
      turnsStopped ??= server?.stop();
      await turnsStopped;
      watchers.release();
    },
    wake: () => server?.wake(),
    isStopping: () => stopping.aborted,
    async counts() {
      const oldest = await store.builds.findOldestQueued();
      const oldestMs = oldest ? Math.max(0, now().getTime() - Date.parse(oldest.createdAt)) : 0;
      return { waiting: await store.builds.countQueued(), running: own.list().length, oldestMs };
    },
  };

  /**
   * Lets this process rest after a build that failed for want of a disk, a storage or a database, longer each time, while others may try
   * it; '' ends that.
   */
  function rest(reason: string): void {
    if (reason === '') deferrals = 0;
    if (reason === '' || isResting) return;
    const ms = Math.min(MAX_REST_MS, FIRST_REST_MS * 2 ** deferrals++);
    isResting = true;
    after(ms, () => {
      isResting = false;
    });
    server?.pause(ms);
    onWarning(`No build begins here for ${ms / 1_000} s: ${reason}`);
  }

  async function take(request: BuildRequest): Promise<Build> {
    const { project, ref, kind = 'build', delivery } = request;
    let answered: Build | undefined;
    // Looked up and changed in one step: of equal pushes to several nodes, only the first one finds nothing.
    const decide = (open: OpenBuilds) => {
      const answer = answerIn(open, request, now());
      answered = answer.answered;
      return answer.changes;
    };
    const changed = await changes.make(project, decide, { ref: isPush(request) ? ref : undefined, delivery });
    return answered ?? changed.find((build) => build.ref === ref && build.kind === kind && isQueued(build))!;
  }

  async function removeVersion(project: string, ref: string, delivery?: NewDelivery): Promise<Build | undefined> {
    let answered: Build | undefined;
    const decide = (open: OpenBuilds) => {
      const answer = removeIn(open, ref, now());
      answered = answer.answered;
      return answer.changes;
    };
    const [build] = await changes.make(project, decide, { delivery });
    return answered ?? build;
  }

  async function cancel(id: string, reason = String(CANCELLED)): Promise<Build | undefined> {
    const found = await store.builds.find(id);
    if (!found || hasEnded(found.status)) return found;
    const isLeft = !hasOthers && !taking.has(found.project);
    await changes.make(found.project, (open) => cancelIn(open, { id, reason, isLeft }, now()));
    await own.check(id);
    return await watchers.waitFor(id, () => store.builds.find(id));
  }

  async function takeTurn(project: string, place: Lane): Promise<void> {
    if (isDraining) throw new Error('This process stops');
    taking.add(project);
    try {
      await runNext(project, place);
    } finally {
      taking.delete(project);
    }
  }

  /** Runs the oldest build of a project that waits. */
  async function runNext(project: string, place: Lane): Promise<void> {
    let next: Build | undefined;
    let taken: Build | undefined;
    const begin = (open: OpenBuilds) => {
      next = findNext(open, now());
      return beginIn(open, { next, node }, now());
    };
    try {
      [taken] = await changes.make(project, begin);
    } catch (error) {
      if (error instanceof DataError && error.code === 'not-found') return;
      onError(error);
      throw error;
    }
    // It began to stop meanwhile.
    if (taken && isDraining && hasOthers) await own.giveBack(taken);
    else if (taken) await own.run(taken, place === 'short' ? await tryMs(next ?? taken) : undefined);
  }

  /** Returns how long a build may keep a place for short ones from others, ms. */
  async function tryMs(build: Build): Promise<number> {
    const lanes = await findLanes(store, build.project, shortMs()).catch(() => undefined);
    return (lanes && knownLane(lanes, build) === 'short' ? 1 : TRIED) * shortMs();
  }

  async function hear({ id, status }: BuildChange): Promise<void> {
    startBuildIdsBehind(id);
    await own.check(id);
    if (hasEnded(status)) await recall(id);
  }

  /** Wakes those who wait for a build that may have ended elsewhere. */
  async function recall(id: string): Promise<void> {
    const build = await store.builds.find(id);
    if (build === undefined || hasEnded(build.status)) watchers.wake(id, build);
  }
}
