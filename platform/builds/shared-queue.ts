import { DataError } from '../../data/data-error.ts';
import type { BuildChange, Nodes, TurnServer } from '../../data/nodes.ts';
import { type Build, type BuildChanges, hasEnded, type OpenBuilds } from '../../data/records/build.ts';
import { startBuildIdsBehind } from '../../data/records/build-id.ts';
import type { Speed } from '../../data/transaction.ts';
import { createKeyedQueue } from '../../lib/keyed-queue.ts';
import type { ProjectChange } from './build-findings.ts';
import type { BuildLogs } from './build-logs.ts';
import { findPaces, learnPace, type Paces, paceBy, speedBy, UNKNOWN } from './build-pace.ts';
import type { PlaceSettings } from './build-places.ts';
import { type BuildQueue, type BuildRequest, replaces } from './build-queue.ts';
import { CANCELLED, PROJECT_REMOVED } from './build-reasons.ts';
import { type BuildWork, createBuildRunner, type Running } from './build-runner.ts';
import { createBuildWatchers } from './build-watchers.ts';
import { findAnswered } from './find-answered.ts';
import { buryIn, cancelIn, endAt, isQueued, isRunning, removeIn, requestIn, supersede } from './open-changes.ts';
import type { QueueStore } from './queue-store.ts';
import { createQuickPlaces } from './quick-places.ts';

/*
 * What waits and runs is in the store, and decided there: each arrow of `build-queue.ts` is one change of all open builds of a
 * project (`changeOpen`), whichever node makes it. Such a change also asks for a turn of the project, if it has builds that
 * wait; whoever gets the turn takes the oldest of them. So no node needs to remember anything but what it runs itself. A turn
 * says what is known of its build by the last ones of the project, which are looked up before.
 *
 * A build names the node that runs it. Only that node ends it, and others ask for that (`run.cancel`), until it is dead: then
 * whoever notices ends its builds and requests them again. What a node does afterwards to a build that is not its own any
 * more changes nothing, and may not publish (`isOwn`).
 */

/** Creates the queue of a service of several nodes. `run` builds and returns the outcome, see `createLocalQueue`. */
export function createSharedQueue(options: {
  readonly store: QueueStore;
  readonly nodes: Nodes;
  readonly logs: BuildLogs;
  /** Limits of builds of a node, as they are when the queue is started. */
  readonly places: () => PlaceSettings;
  /** Whether this node builds. */
  readonly isBuilding: boolean;
  readonly run: BuildWork;
  /** Receives the changes that this node makes. */
  readonly onChange?: (build: Build) => void;
  readonly onError: (error: unknown) => void;
  readonly now: () => Date;
}): BuildQueue {
  const { store, nodes, logs, onError, now } = options;
  const running = new Map<string, Taken>();
  const quickMs = (): number => options.places().quickMs;
  const watchers = createBuildWatchers(options.onChange);
  /** A project is not removed between two steps of a request of this node. */
  const requests = createKeyedQueue();
  let server: TurnServer | undefined;
  let isStopping = false;
  let stopping: Promise<void> | undefined;

  const changeOpen = async (
    project: string,
    change: (open: OpenBuilds) => BuildChanges | undefined,
    known?: Paces,
  ): Promise<readonly Build[]> => {
    const paces = known ?? (await findPaces(store, project, quickMs()));
    const changed = await store.builds.changeOpen(project, (open) => {
      const changes = change(open);
      return changes && { ...changes, speedOf: (build) => speed(paces, build) };
    });
    for (const build of changed) watchers.tell(build);
    quickPlaces.hear();
    return changed;
  };
  const speed = (paces: Paces, build: Build): Speed =>
    speedBy(paces, build, { quickMs: quickMs(), nowMs: now().getTime() });

  const runner = createBuildRunner({
    ...{ store, logs, onError, now },
    work: options.run,
    isStopping: () => isStopping,
    // It has begun in the store when it was taken.
    begin: async (build) => build,
    isCurrent: isOwn,
    finish,
  });

  const quickPlaces = createQuickPlaces({ nodes, quickMs, onSurplus: interrupt, onError });

  nodes.listen({
    onBuild: (change) => void hear(change).catch(onError),
    onGap() {
      for (const id of watchers.listWaiting()) recall(id).catch(onError);
      for (const id of running.keys()) checkOwn(id).catch(onError);
    },
    async onDead(node) {
      for (const build of await store.builds.listOpen()) if (build.run?.node === node) await bury(build);
    },
  });

  return {
    request: (request) => requests.run(request.project, () => take(request)),
    removeVersion: (project, ref) => requests.run(project, () => removeVersion(project, ref)),
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
      if (!options.isBuilding) return;
      // What earlier releases left did not ask for turns, and names no node.
      const open = await store.builds.listOpen();
      for (const build of open) if (isRunning(build) && build.run === undefined) await bury(build);
      for (const project of new Set(open.map((build) => build.project))) {
        await changeOpen(project, () => ({ builds: [] }));
      }
      const { concurrency, quick } = options.places();
      server ??= await nodes.serveTurns({ places: concurrency, quick, take: takeTurn, choose: quickPlaces.choose });
    },
    async stop() {
      isStopping = true;
      await requests.idle();
      for (const run of running.values()) interrupt(run, 'interrupted');
      stopping ??= server?.stop();
      await stopping;
      watchers.release();
    },
    wake() {},
    isStopping: () => isStopping,
    counts: async () => ({ waiting: await nodes.countWaiting(), running: running.size }),
  };

  async function take(request: BuildRequest): Promise<Build> {
    const { project, ref, kind = 'build' } = request;
    const answered = request.cause === 'webhook' ? await findAnswered(store, request) : undefined;
    // One that waits is joined, so that this push counts.
    if (answered && answered.status !== 'queued') return answered;
    const changed = await changeOpen(project, (open) => requestIn(open, { ...request, kind }, now()));
    return changed.find((build) => build.ref === ref && build.kind === kind && build.status === 'queued')!;
  }

  async function removeVersion(project: string, ref: string): Promise<Build | undefined> {
    return (await changeOpen(project, (open) => removeIn(open, ref, now())))[0];
  }

  async function cancel(id: string, reason = String(CANCELLED)): Promise<Build | undefined> {
    const found = await store.builds.find(id);
    if (!found || hasEnded(found.status)) return found;
    await changeOpen(found.project, (open) => cancelIn(open, { id, reason }, now()));
    await checkOwn(id);
    return await watchers.waitFor(id, () => store.builds.find(id));
  }

  /** Runs the oldest build of a project that waits; called for its turn. */
  async function takeTurn(project: string, isQuickPlace: boolean): Promise<void> {
    if (isStopping) throw new Error('This node stops');
    let taken: Build | undefined;
    /** As it waited. */
    let next: Build | undefined;
    let paces = UNKNOWN;
    try {
      const startedAt = now().toISOString();
      const take = ({ builds }: OpenBuilds): BuildChanges | undefined => {
        // Its end asks for a turn again.
        if (builds.some(isRunning)) return undefined;
        next = builds.find(isQueued);
        if (!next) return { builds: [], isTurnUsed: true };
        const run = { node: nodes.id, cancel: '' };
        return { builds: [{ ...next, status: 'running', reason: '', startedAt, run }], isTurnUsed: true };
      };
      // The turn that follows is asked for by the end.
      const [[build], found] = await Promise.all([
        changeOpen(project, take, UNKNOWN),
        findPaces(store, project, quickMs()).catch(() => UNKNOWN),
      ]);
      taken = build;
      paces = found;
    } catch (error) {
      if (error instanceof DataError && error.code === 'not-found') return;
      throw error;
    }
    if (!taken) return;
    const run: Taken = {
      ...{ build: taken, end: undefined, isPublished: false, paces },
      ...{ controller: new AbortController(), ended: Promise.resolve() },
    };
    const place = { speed: speed(paces, next ?? taken), pace: paceBy(paces, taken) };
    await runTaken(run, isQuickPlace ? place : undefined);
  }

  async function runTaken(run: Taken, place: Parameters<typeof quickPlaces.enter>[1] | undefined): Promise<void> {
    const { build } = run;
    running.set(build.id, run);
    if (place) quickPlaces.enter(run, place);
    // Somebody may have cancelled it before it could be told.
    checkOwn(build.id).catch(onError);
    if (isStopping) interrupt(run, 'interrupted');
    let ended: Build | undefined;
    try {
      ended = await runner(run);
    } catch (error) {
      onError(error);
    } finally {
      quickPlaces.leave(run, ended);
      running.delete(build.id);
    }
  }

  /** Stores how a build of this node ended, unless others have ended it because the node seemed dead. */
  async function finish(build: Build, values: Partial<Build>, changeProject?: ProjectChange): Promise<Build> {
    const { id, project } = build;
    // A node that stops leaves its builds to others, which begin them again.
    const isLeft = values.status === 'interrupted';
    const end = isLeft ? ({ status: 'queued', reason: '', startedAt: '' } as const) : values;
    const finish = ({ project: found, builds }: OpenBuilds): BuildChanges | undefined => {
      const own = builds.find((one) => one.id === id);
      if (own?.run?.node !== nodes.id) return undefined;
      const { cancel } = own.run;
      const isCancelled = cancel !== '' && end.status !== 'passing' && end.status !== 'failing';
      if (isCancelled) return { builds: [{ ...own, status: 'cancelled', reason: cancel, ...endAt(now()) }] };
      const ended = { ...own, ...end, run: undefined };
      const newer = end.status === 'queued' && builds.find((one) => isQueued(one) && replaces(one, own));
      if (newer) return { builds: supersede([ended], newer, now()) };
      return { builds: [ended], project: changeProject?.(found) };
    };
    try {
      const known = learnPace(running.get(id)?.paces ?? UNKNOWN, { ...build, ...end }, quickMs());
      const [ended] = await changeOpen(project, finish, known);
      return ended ?? (await store.builds.find(id)) ?? build;
    } catch (error) {
      if (error instanceof DataError && error.code === 'not-found') return build;
      throw error;
    }
  }

  /** Ends a build that runs nowhere any more, and requests it again. */
  async function bury({ id, project }: Build): Promise<void> {
    await changeOpen(project, (open) => buryIn(open, id, now()));
  }

  async function hear({ id, status }: BuildChange): Promise<void> {
    startBuildIdsBehind(id);
    quickPlaces.hear();
    if (running.has(id)) await checkOwn(id);
    if (hasEnded(status)) await recall(id);
  }

  /** Wakes those who wait for a build that may have ended elsewhere. */
  async function recall(id: string): Promise<void> {
    const build = await store.builds.find(id);
    if (build === undefined || hasEnded(build.status)) watchers.wake(id, build);
  }

  /** Returns whether a build is this node's, and is not to end. */
  function isOwn(build: Build | undefined): boolean {
    return build?.status === 'running' && build.run?.node === nodes.id && build.run.cancel === '';
  }

  /** Interrupts a build of this node that is to end, or has been ended by others. */
  async function checkOwn(id: string): Promise<void> {
    const run = running.get(id);
    if (!run) return;
    if (isOwn(await store.builds.find(id))) return;
    interrupt(run, 'cancelled');
  }
}

/** A build that this node runs, and what is known of others of its project. */
interface Taken extends Running {
  readonly paces: Paces;
}

function interrupt(run: Running, end: NonNullable<Running['end']>): void {
  run.end ??= end;
  run.controller.abort();
}
