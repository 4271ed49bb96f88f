import { DataError } from '../../data/data-error.ts';
import type { BuildChange, Nodes } from '../../data/nodes.ts';
import {
  type Build,
  type BuildChanges,
  type ChangeSubject,
  hasEnded,
  type OpenBuilds,
} from '../../data/records/build.ts';
import { startBuildIdsBehind } from '../../data/records/build-id.ts';
import type { NewDelivery } from '../../data/records/delivery.ts';
import type { Lane, TurnServer } from '../../data/turns.ts';
import { type CallAfter, callAfter } from '../../lib/call-after.ts';
import { createKeyedQueue } from '../../lib/keyed-queue.ts';
import { hasCode } from '../../lib/system-error.ts';
import type { ProjectChange } from './build-findings.ts';
import { findLanes, knownLane, learnLane } from './build-lanes.ts';
import type { BuildLogs } from './build-logs.ts';
import {
  type BuildQueue,
  type BuildRequest,
  buryIn,
  cancelIn,
  endAt,
  findWaitMs,
  isQueued,
  isRunning,
  type QueueStore,
  removeIn,
  replaces,
  requestIn,
  selectAnswered,
  supersede,
} from './build-queue.ts';
import { CANCELLED, LOST, PROJECT_REMOVED, STOPPED } from './build-reasons.ts';
import { type BuildWork, createBuildRunner, type Running } from './build-runner.ts';
import { createBuildWatchers } from './build-watchers.ts';

/*
 * Waiting and running builds are in the store, and decided there: each arrow of `build-queue.ts` is one change of all open builds of a
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
 * any more changes nothing, and may not publish (`isOwn`).
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
/** How often a build that may have to make way looks whether a short one waits, ms. */
const LOOK_MS = 500;
/** How long a turn is left to places that are free before a build makes way for it, ms. */
const WAITED_MS = 100;
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
  const { store, nodes, logs, isBuilding = true, onError, now, after = callAfter } = options;
  const node = nodes?.id ?? ONLY_NODE;
  const running = new Map<string, Running>();
  /** Projects whose turn it is here. */
  const taking = new Set<string>();
  const shortMs = (): number => options.places().quickMs;
  const watchers = createBuildWatchers(options.onChange);
  /** A project is not removed between two steps of a request of this process. */
  const requests = createKeyedQueue();
  let server: TurnServer | undefined;
  /** Builds that were deferred one after the other; none begins until this process has rested. */
  let deferrals = 0;
  let isResting = false;
  /** It begins no more builds; with `isStopping`, those that run end, too. */
  let isDraining = false;
  let isStopping = false;
  let stopping: Promise<unknown> | undefined;
  /** When projects are looked at again of which a build waits for its time, ms. */
  const looks = new Map<string, number>();

  /** Changes the open builds of a project; `ended` is one that ends with it. */
  const changeOpen = async (
    project: string,
    change: (open: OpenBuilds) => BuildChanges | undefined,
    { ended, ...subject }: ChangeSubject & { readonly ended?: Build } = {},
  ): Promise<readonly Build[]> => {
    const found = await findLanes(store, project, shortMs());
    const lanes = ended ? learnLane(found, ended, shortMs()) : found;
    let waitMs = Number.POSITIVE_INFINITY;
    const isDue = (build: Build): boolean => {
      const ms = findWaitMs(build, now());
      if (ms > 0) waitMs = Math.min(waitMs, ms);
      return ms === 0;
    };
    const changed = await store.builds.changeOpen(
      project,
      (open) => {
        const changes = change(open);
        return changes && { ...changes, laneOf: (build) => knownLane(lanes, build), isDue };
      },
      subject,
    );
    if (Number.isFinite(waitMs)) lookLater(project, waitMs);
    for (const build of changed) watchers.tell(build);
    return changed;
  };

  const runner = createBuildRunner({
    store,
    logs,
    onError,
    now,
    finish,
    work: options.run,
    isStopping: () => isStopping,
    onDeferred: rest,
    ...(nodes ? { isCurrent: isOwn } : {}),
  });

  nodes?.listen({
    onBuild: (change) => void hear(change).catch(onError),
    onGap() {
      for (const id of watchers.listWaiting()) recall(id).catch(onError);
      for (const id of running.keys()) checkOwn(id).catch(onError);
    },
    async onDead(dead) {
      for (const build of await store.builds.listOpen()) {
        if (build.run?.node === dead) await bury(build, String(LOST));
        // Its node may have been the only one to know when.
        else if (isQueued(build) && build.notBefore !== undefined) await look(build.project);
      }
    },
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
      await takeOver();
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
      stopping ??= server?.stop();
      let forget = (): void => {};
      const limit = new Promise<void>((resolve) => {
        forget = after(limitMs, resolve);
      });
      await Promise.race([stopping, limit]);
      forget();
    },
    async stop() {
      isDraining = true;
      isStopping = true;
      await requests.idle();
      for (const run of running.values()) interrupt(run, 'interrupted');
      stopping ??= server?.stop();
      await stopping;
      watchers.release();
    },
    wake: () => server?.wake(),
    isStopping: () => isStopping,
    async counts() {
      const oldest = await store.builds.findOldestQueued();
      const oldestMs = oldest ? Math.max(0, now().getTime() - Date.parse(oldest.createdAt)) : 0;
      return { waiting: await store.builds.countQueued(), running: running.size, oldestMs };
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
    options.onWarning(`No build begins here for ${ms / 1_000} s: ${reason}`);
  }

  /** Goes on with what earlier processes left: what ran there is ended and requested again, and what waits asks for its turn. */
  async function takeOver(): Promise<void> {
    const isLeft = (build: Build): boolean =>
      isRunning(build) && (build.run === undefined || !nodes) && !running.has(build.id);
    const asked = new Set<string>();
    for (const build of await store.builds.listOpen()) {
      const { project } = build;
      // It may have been cancelled or removed since.
      await requests.run(project, async () => {
        if (!(await store.projects.find(project))) await endOrphan(build);
        else if (isLeft(build)) await bury(build, String(nodes ? LOST : STOPPED));
        else if (!asked.has(project)) {
          asked.add(project);
          await look(project);
        }
      });
    }
  }

  /** Has a project wait for a turn, if one of its builds may begin. */
  async function look(project: string): Promise<void> {
    await changeOpen(project, () => ({ builds: [] }));
  }

  /** Looks at a project when one of its builds may begin; each node that has changed builds of the project does. */
  function lookLater(project: string, ms: number): void {
    const at = now().getTime() + ms;
    if ((looks.get(project) ?? Number.POSITIVE_INFINITY) <= at) return;
    looks.set(project, at);
    after(ms, async () => {
      if (looks.get(project) === at) looks.delete(project);
      if (isStopping) return;
      await look(project).catch((error: unknown) => {
        if (hasCode(error, 'not-found')) return;
        onError(error);
        lookLater(project, MAX_REST_MS);
      });
    });
  }

  /** Ends a build whose project the store does not have: an operator may have moved away what could not be read. */
  async function endOrphan({ id, project }: Build): Promise<void> {
    const found = await store.builds.find(id);
    if (!found || hasEnded(found.status)) return;
    const end = { status: 'cancelled', reason: String(PROJECT_REMOVED), ...endAt(now()) } as const;
    watchers.tell(await store.builds.change(id, (build) => ({ ...build, ...end })));
    options.onWarning(`Ended build "${id}": its project "${project}" does not exist`);
  }

  async function take({ delivery, ...request }: BuildRequest): Promise<Build> {
    const { project, ref, commit, cause, kind = 'build' } = request;
    const isPush = (cause === 'webhook' || cause === 'poll') && commit !== '';
    let answered: Build | undefined;
    // Looked up and changed in one step: of equal pushes to several nodes, only the first one finds nothing.
    const decide = (open: OpenBuilds): BuildChanges | undefined => {
      answered = open.earlier;
      if (answered) return undefined;
      answered = isPush ? selectAnswered(open, commit) : undefined;
      if (answered) return delivery && { builds: [], answer: answered.id };
      const changes = requestIn(open, { ...request, kind }, now());
      return { ...changes, answer: changes.builds[0]!.id };
    };
    const changed = await changeOpen(project, decide, { ref: isPush ? ref : undefined, delivery });
    return answered ?? changed.find((build) => build.ref === ref && build.kind === kind && isQueued(build))!;
  }

  async function removeVersion(project: string, ref: string, delivery?: NewDelivery): Promise<Build | undefined> {
    let answered: Build | undefined;
    const decide = (open: OpenBuilds): BuildChanges | undefined => {
      answered = open.earlier;
      const changes = answered ? undefined : removeIn(open, ref, now());
      return changes && { ...changes, answer: changes.builds[0]!.id };
    };
    const [build] = await changeOpen(project, decide, { delivery });
    return answered ?? build;
  }

  async function cancel(id: string, reason = String(CANCELLED)): Promise<Build | undefined> {
    const found = await store.builds.find(id);
    if (!found || hasEnded(found.status)) return found;
    const isLeft = !nodes && !taking.has(found.project);
    await changeOpen(found.project, (open) => cancelIn(open, { id, reason, isLeft }, now()));
    await checkOwn(id);
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
    const begin = ({ builds }: OpenBuilds): BuildChanges | undefined => {
      // Its end asks for a turn again.
      if (builds.some(isRunning)) return undefined;
      next = builds.find((build) => isQueued(build) && findWaitMs(build, now()) === 0);
      if (!next) return { builds: [], isTurnUsed: true };
      const values = { status: 'running', reason: '', startedAt: now().toISOString() } as const;
      return { builds: [{ ...next, ...values, run: { node, cancel: '' } }], isTurnUsed: true };
    };
    try {
      [taken] = await changeOpen(project, begin);
    } catch (error) {
      if (error instanceof DataError && error.code === 'not-found') return;
      onError(error);
      throw error;
    }
    // It began to stop meanwhile: others may begin the build at once.
    if (taken && isDraining && nodes) await finish(taken, { status: 'interrupted' }).catch(onError);
    else if (taken) await runTaken(taken, place === 'short' ? await tryMs(next ?? taken) : undefined);
  }

  /** Returns how long a build may keep a place for short ones from others, ms. */
  async function tryMs(build: Build): Promise<number> {
    const lanes = await findLanes(store, build.project, shortMs()).catch(() => undefined);
    return (lanes && knownLane(lanes, build) === 'short' ? 1 : TRIED) * shortMs();
  }

  async function runTaken(build: Build, limitMs: number | undefined): Promise<void> {
    const run: Running = { build, controller: new AbortController(), end: undefined, isPublished: false };
    running.set(build.id, run);
    const unwatch = limitMs === undefined ? undefined : watch(run, limitMs);
    // Somebody may have cancelled it before it could be told.
    checkOwn(build.id).catch(onError);
    if (isStopping) interrupt(run, 'interrupted');
    try {
      await runner(run);
    } catch (error) {
      onError(error);
    } finally {
      unwatch?.();
      running.delete(build.id);
    }
  }

  /** Puts a build back that takes longer than short ones do, once one of those waits; returns what ends that. */
  function watch(run: Running, limitMs: number): () => void {
    const isOver = (): boolean => run.isPublished || run.end !== undefined || running.get(run.build.id) !== run;
    const look = async (): Promise<void> => {
      if (isOver()) return;
      const isWanted = await store.turns.claim(WAITED_MS).catch(onError);
      if (isOver()) return;
      if (isWanted) interrupt(run, 'put back');
      else forget = after(LOOK_MS, look);
    };
    let forget = after(limitMs, look);
    return () => forget();
  }

  /** Stores how a build of this process ended, unless others have ended it because the node seemed dead. */
  async function finish(build: Build, values: Partial<Build>, changeProject?: ProjectChange): Promise<Build> {
    const { id, project } = build;
    const isLeft = values.status === 'interrupted';
    // The next process finds it as after a crash.
    if (isLeft && !nodes) return build;
    // A node that stops leaves its builds to others, which begin them again.
    const end = isLeft ? ({ status: 'queued', reason: '', startedAt: '' } as const) : values;
    const change = ({ project: found, builds }: OpenBuilds): BuildChanges | undefined => {
      const own = builds.find((one) => one.id === id);
      if (own?.run?.node !== node) return undefined;
      const { cancel } = own.run;
      const isCancelled = cancel !== '' && end.status !== 'passing' && end.status !== 'failing';
      if (isCancelled) return { builds: [{ ...own, status: 'cancelled', reason: cancel, ...endAt(now()) }] };
      const ended = { ...own, ...end, run: undefined };
      const newer = end.status === 'queued' && builds.find((one) => isQueued(one) && replaces(one, own));
      // What made this one wait holds for the one that does its work.
      if (newer) return { builds: [...supersede([ended], newer, now()), { ...newer, reason: ended.reason }] };
      return { builds: [ended], project: nodes && changeProject?.(found) };
    };
    try {
      // Of several files, the build's is written last: a build that has passed is one whose project says so.
      if (!nodes && changeProject) await store.projects.change(project, changeProject);
      const [ended] = await changeOpen(project, change, { ended: { ...build, ...end } });
      return ended ?? (await store.builds.find(id)) ?? build;
    } catch (error) {
      if (error instanceof DataError && error.code === 'not-found') return build;
      throw error;
    }
  }

  /** Ends a build that runs nowhere any more, and requests it again. */
  async function bury({ id, project }: Build, reason: string): Promise<void> {
    await changeOpen(project, (open) => buryIn(open, { id, reason }, now()));
  }

  async function hear({ id, status }: BuildChange): Promise<void> {
    startBuildIdsBehind(id);
    if (running.has(id)) await checkOwn(id);
    if (hasEnded(status)) await recall(id);
  }

  /** Wakes those who wait for a build that may have ended elsewhere. */
  async function recall(id: string): Promise<void> {
    const build = await store.builds.find(id);
    if (build === undefined || hasEnded(build.status)) watchers.wake(id, build);
  }

  /** Returns whether a build is this process's, and is not to end. */
  function isOwn(build: Build | undefined): boolean {
    return build?.status === 'running' && build.run?.node === node && build.run.cancel === '';
  }

  /** Interrupts a build of this process that is to end, or has been ended by others. */
  async function checkOwn(id: string): Promise<void> {
    const run = running.get(id);
    if (run && !isOwn(await store.builds.find(id))) interrupt(run, 'cancelled');
  }
}

function interrupt(run: Running, end: NonNullable<Running['end']>): void {
  run.end ??= end;
  run.controller.abort();
}
