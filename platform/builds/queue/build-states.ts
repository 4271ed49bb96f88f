import { isVersionRef } from '../../../builder/index.ts';
import { type Build, type BuildChanges, hasEnded, type OpenBuilds } from '../../../data/records/build.ts';
import { createBuildId, startBuildIdsBehind } from '../../../data/records/build-id.ts';
import type { Project } from '../../../data/records/project.ts';
import type { ProjectChange } from '../build-findings.ts';
import { allVersions, checkedForRemoval, interruptedOften, newerCommit } from '../build-reasons.ts';
import { type BuildRequest, isByPerson, MAX_WAITING, QueueFullError } from './build-queue.ts';

/** How often a build that was interrupted begins again at once; then it waits, twice as long each time, ms: it may be what ends its node. One whose process crashed always does. */
const AT_ONCE = 2;
const FIRST_WAIT_MS = 15_000;
const MAX_WAIT_MS = 15 * 60_000;

/*
 * The states of a build. Only the arrows exist; what has ended never changes again.
 *
 *                          ┌── request() for the same ref joins: more `requests`, the newer commit
 *                          │
 *                          │  ┌────── put back ──────────┐   it takes long, and others are short; or it failed for no fault of
 *                          │  │                          │   its repository: a full disk, a storage that is away
 *                          ▼  ▼                          │
 *     request() ──────► queued ───── its turn ─────► running ─────► passing | failing
 *     removeVersion()      │                            │
 *                          ├─► superseded               ├─► cancelled     cancel(), removeProject()
 *                          │   by a build of all refs,  │
 *                          │   by a removal, or if it   └─► interrupted   the process ended: by stop() or a crash the
 *                          │   is put back, by a newer                    record stays `running`, start() of the next one
 *                          │   one of the same ref                        ends it and requests it again
 *                          │
 *                          └─► cancelled   cancel(), removeProject()
 */

export const isQueued = ({ status }: Build): boolean => status === 'queued';
export const isRunning = ({ status }: Build): boolean => status === 'running';

/** Returns how long a build has to wait at a time before it may begin, ms. */
export function findWaitMs({ notBefore }: Build, time: Date): number {
  return notBefore === undefined ? 0 : Math.max(0, Date.parse(notBefore) - time.getTime());
}

/*
 * The arrows as changes of all open builds of a project, for `changeOpen` of the store: each returns what changes, or undefined where
 * nothing does.
 */

/** Returns what a build has that ends at a time. */
export function endAt(time: Date): Pick<Build, 'finishedAt' | 'run'> {
  return { finishedAt: time.toISOString(), run: undefined };
}

/** Returns builds as they end whose work another one does. */
function supersede(others: readonly Build[], build: Build, time: Date): readonly Build[] {
  return others.map((one) => ({ ...one, status: 'superseded', reason: supersededBy(build), ...endAt(time) }));
}

/**
 * Returns the build that already answers a push of a commit, from what is known of its ref (`newest`): the newest one of
 * the ref, if it is of this commit, does not wait (one that waits is joined, so that this push counts), and its result is
 * still published. A commit that returns, by a forced push or after a deletion, was built but is not published; one that
 * failed would fail again, unless that is not sure.
 */
function selectAnswered({ project, newest }: OpenBuilds, commit: string): Build | undefined {
  const build = newest?.ofRef;
  if (build?.kind !== 'build' || build.commit !== commit || isQueued(build)) return undefined;
  if (!hasEnded(build.status) || (build.status === 'failing' && build.isUnsure !== true)) return build;
  if (build.status !== 'passing') return undefined;
  const published = project.versions.find((version) => version.ref === build.ref);
  if (published) return published.oid === commit ? build : undefined;
  // It passed without documentation to publish, unless a later build of all refs found the ref deleted.
  const ofAll = newest?.ofAll;
  return ofAll === undefined || ofAll.id < build.id ? build : undefined;
}

/** What a request leads to. */
export interface Answer {
  /** A build that does what is asked; undefined = the first one that changes does. */
  readonly answered?: Build | undefined;
  readonly changes?: BuildChanges | undefined;
}

/** Answers a request with the build of the same delivery, for a push with the one of its commit, or with one that is queued. Throws `QueueFullError`. */
export function answerIn(open: OpenBuilds, request: BuildRequest, time: Date): Answer {
  if (open.earlier) return { answered: open.earlier };
  const answered = isPush(request) ? selectAnswered(open, request.commit) : undefined;
  if (answered) return { answered, changes: request.delivery && { builds: [], answer: answered.id } };
  keepOrder(open.builds);
  const { build, superseded } = decide(request, open.builds.filter(isQueued), time);
  return { changes: { builds: [build, ...supersede(superseded, build, time)], answer: build.id } };
}

/** Returns whether a request names a commit that may have been built. */
export function isPush({ cause, commit }: Pick<BuildRequest, 'cause' | 'commit'>): boolean {
  return (cause === 'webhook' || cause === 'poll') && commit !== '';
}

/** Answers the news that a ref is gone with the build of the same delivery, or with one that removes its version, unless there is none. Throws `QueueFullError`. */
export function removeIn({ project, builds, earlier }: OpenBuilds, ref: string, time: Date): Answer {
  if (earlier) return { answered: earlier };
  keepOrder(builds);
  const waiting = builds.filter(isQueued);
  const due = waiting.filter((one) => one.ref === ref && one.kind === 'build');
  if (!mayExist(ref, { project, running: builds.find(isRunning), waiting })) return {};
  const request = { project: project.name, ref, commit: '', cause: 'webhook', kind: 'remove' } as const;
  const { build, superseded } = decide(request, waiting, time);
  const replaced = [...superseded, ...due.filter((one) => !superseded.includes(one))];
  return { changes: { builds: [build, ...supersede(replaced, build, time)], answer: build.id } };
}

/** Returns the build of a project that comes next: the oldest one that may begin. */
export function findNext({ builds }: OpenBuilds, time: Date): Build | undefined {
  return builds.find((build) => isQueued(build) && findWaitMs(build, time) === 0);
}

/** Begins a build at a node, or gives its turn back where there is none. */
export function beginIn(
  { builds }: OpenBuilds,
  { next, node }: { readonly next: Build | undefined; readonly node: number },
  time: Date,
): BuildChanges | undefined {
  // Its end asks for a turn again.
  if (builds.some(isRunning)) return undefined;
  if (!next) return { builds: [], isTurnUsed: true };
  const values = { status: 'running', reason: '', startedAt: time.toISOString() } as const;
  return { builds: [{ ...next, ...values, run: { node, cancel: '' } }], isTurnUsed: true };
}

/** Ends a build that a node has run, or puts it back, unless others have ended it because the node seemed dead. */
export function endIn(
  { project, builds }: OpenBuilds,
  end: {
    readonly id: string;
    readonly node: number;
    readonly values: Partial<Build>;
    readonly changeProject: ProjectChange | undefined;
  },
  time: Date,
): BuildChanges | undefined {
  const own = builds.find((one) => one.id === end.id);
  if (own?.run?.node !== end.node) return undefined;
  const { status } = end.values;
  const { cancel } = own.run;
  if (cancel !== '' && status !== 'passing' && status !== 'failing')
    return { builds: [{ ...own, status: 'cancelled', reason: cancel, ...endAt(time) }] };
  const ended = { ...own, ...end.values, run: undefined };
  const newer = status === 'queued' && builds.find((one) => isQueued(one) && replaces(one, own));
  // What made this one wait holds for the one that does its work.
  if (newer) return { builds: [...supersede([ended], newer, time), { ...newer, reason: ended.reason }] };
  return { builds: [ended], project: end.changeProject?.(project) };
}

/** Cancels a build that waits, or is left by a process that is gone, and asks the node that runs it to end one that runs. */
export function cancelIn(
  { builds }: OpenBuilds,
  { id, reason, isLeft }: { readonly id: string; readonly reason: string; readonly isLeft: boolean },
  time: Date,
): BuildChanges | undefined {
  const build = builds.find((one) => one.id === id);
  if (!build || (!isLeft && build.run && build.run.cancel !== '')) return undefined;
  if (build.run && !isLeft) return { builds: [{ ...build, run: { ...build.run, cancel: reason } }] };
  return { builds: [{ ...build, status: 'cancelled', reason, ...endAt(time) }] };
}

/** Ends a build that runs nowhere any more, and requests it again. */
export function buryIn(
  { project, builds }: OpenBuilds,
  { id, reason }: { readonly id: string; readonly reason: string },
  time: Date,
): BuildChanges | undefined {
  const build = builds.find((one) => one.id === id);
  if (!build || isQueued(build)) return undefined;
  const cancel = build.run?.cancel ?? '';
  // Its upload cannot go live any more.
  const isStaged = project.site?.staged?.build === id;
  const changed = isStaged ? { ...project, site: { ...project.site!, staged: undefined } } : undefined;
  if (cancel !== '')
    return { builds: [{ ...build, status: 'cancelled', reason: cancel, ...endAt(time) }], project: changed };
  keepOrder(builds);
  const again = retry(build, builds.filter(isQueued), time);
  const ended: Build = { ...build, status: 'interrupted', reason, ...endAt(time) };
  return { builds: again ? [ended, again] : [ended], project: changed };
}

/** Ids of new builds sort behind those of other nodes, whose clocks may be ahead. */
function keepOrder(builds: readonly Build[]): void {
  const last = builds.at(-1);
  if (last) startBuildIdsBehind(last.id);
}

/** Outcome of a request. */
interface Decision {
  /** The build that answers it. */
  readonly build: Build;
  /** Builds that wait whose work it does. */
  readonly superseded: readonly Build[];
}

/** Decides what a request leads to among the builds of its project that wait. Throws `QueueFullError`. */
function decide(request: BuildRequest, waiting: readonly Build[], time: Date): Decision {
  const { project, ref, commit, cause, kind = 'build', isScheduled } = request;
  const same = waiting.find((build) => build.ref === ref && build.kind === kind);
  if (same) {
    // What ended a process may be mended, or somebody wants to know.
    const isOther = commit !== '' && commit !== same.commit;
    const build = {
      ...same,
      ...((isOther || isByPerson(request)) && { notBefore: undefined }),
      ...(isOther && { interruptions: undefined }),
      requests: same.requests + 1,
      commit: commit === '' ? same.commit : commit,
      ...(isByPerson(same) ? {} : { cause, isScheduled }),
    };
    return { build, superseded: [] };
  }
  const isForAll = ref === '' && kind === 'build';
  // A build of all refs replaces the queued ones.
  if (!isForAll && waiting.length >= MAX_WAITING) throw new QueueFullError(project);
  const build = newBuild({ project, ref, commit, cause, kind, isScheduled }, time);
  return { build, superseded: waiting.filter((other) => replaces(build, other)) };
}

/**
 * Returns whether a ref that is reported as deleted may be published, or about to be: `running` is the build of its project
 * that runs, `waiting` those that wait.
 */
function mayExist(
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

/** Returns the build that runs an interrupted one again; none if another one of its ref waits. */
function retry(
  { id, project, ref, commit, kind, retryOf, interruptions = 0 }: Build,
  waiting: readonly Build[],
  time: Date,
): Build | undefined {
  if (waiting.some((build) => build.ref === ref && build.kind === kind)) return undefined;
  const times = interruptions + 1;
  const again = { cause: 'restart', isScheduled: undefined, retryOf: retryOf || id } as const;
  const build = { ...newBuild({ project, ref, commit, kind, ...again }, time), interruptions: times };
  if (times <= AT_ONCE) return build;
  return { ...build, reason: String(interruptedOften(times)), notBefore: laterBy(times - AT_ONCE, time) };
}

/** Returns what changes in a build that begins again because its process was killed or crashed: not at once, as memory may be short. */
export function crashed({ interruptions = 0 }: Build, time: Date): Pick<Build, 'interruptions' | 'notBefore'> {
  return { interruptions: interruptions + 1, notBefore: laterBy(interruptions + 1, time) };
}

/** Returns a time that is later by more the more often it is asked for. */
function laterBy(times: number, time: Date): string {
  return new Date(time.getTime() + Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (times - 1))).toISOString();
}

/** Returns whether a build does the work of another one of its project that was requested before. */
function replaces(newer: Build, older: Build): boolean {
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

/** Returns why a build ended whose work another one does. */
function supersededBy({ id, kind, ref }: Build): string {
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
    interruptions: undefined,
    notBefore: undefined,
    isUnsure: undefined,
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
