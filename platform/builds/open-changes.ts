import type { Build, BuildChanges, OpenBuilds } from '../../data/records/build.ts';
import { startBuildIdsBehind } from '../../data/records/build-id.ts';
import { type BuildRequest, decide, mayExist, retry, supersededBy } from './build-queue.ts';
import { LOST } from './build-reasons.ts';

/*
 * Arrows of `build-queue.ts` as changes of all open builds of a project, for `changeOpen` of the store: each returns what changes, or
 * undefined where nothing does.
 */

export const isQueued = ({ status }: Build): boolean => status === 'queued';
export const isRunning = ({ status }: Build): boolean => status === 'running';

/** Returns what a build has that ends at a time. */
export function endAt(time: Date): Pick<Build, 'finishedAt' | 'run'> {
  return { finishedAt: time.toISOString(), run: undefined };
}

/** Returns builds as they end whose work another one does. */
export function supersede(others: readonly Build[], build: Build, time: Date): readonly Build[] {
  return others.map((one) => ({ ...one, status: 'superseded', reason: supersededBy(build), ...endAt(time) }));
}

/** Requests a build. Throws `QueueFullError`. */
export function requestIn({ builds }: OpenBuilds, request: BuildRequest, time: Date): BuildChanges {
  keepOrder(builds);
  const { build, superseded } = decide(request, builds.filter(isQueued), time);
  return { builds: [build, ...supersede(superseded, build, time)] };
}

/** Requests the removal of a version, unless it does not exist; its build is the first one. Throws `QueueFullError`. */
export function removeIn({ project, builds }: OpenBuilds, ref: string, time: Date): BuildChanges | undefined {
  keepOrder(builds);
  const waiting = builds.filter(isQueued);
  const due = waiting.filter((one) => one.ref === ref && one.kind === 'build');
  if (!mayExist(ref, { project, running: builds.find(isRunning), waiting })) return undefined;
  const request = { project: project.name, ref, commit: '', cause: 'webhook', kind: 'remove' } as const;
  const { build, superseded } = decide(request, waiting, time);
  const replaced = [...superseded, ...due.filter((one) => !superseded.includes(one))];
  return { builds: [build, ...supersede(replaced, build, time)] };
}

/** Cancels a build that waits, and asks the node that runs it to end one that runs. */
export function cancelIn(
  { builds }: OpenBuilds,
  { id, reason }: { readonly id: string; readonly reason: string },
  time: Date,
): BuildChanges | undefined {
  const build = builds.find((one) => one.id === id);
  if (!build || (build.run && build.run.cancel !== '')) return undefined;
  if (build.run) return { builds: [{ ...build, run: { ...build.run, cancel: reason } }] };
  return { builds: [{ ...build, status: 'cancelled', reason, ...endAt(time) }] };
}

/** Ends a build that runs nowhere any more, and requests it again. */
export function buryIn({ project, builds }: OpenBuilds, id: string, time: Date): BuildChanges | undefined {
  const build = builds.find((one) => one.id === id);
  if (!build || isQueued(build)) return undefined;
  const cancel = build.run?.cancel ?? '';
  // What it has uploaded cannot go live any more.
  const isStaged = project.site?.staged?.build === id;
  const changed = isStaged ? { ...project, site: { ...project.site!, staged: undefined } } : undefined;
  if (cancel !== '')
    return { builds: [{ ...build, status: 'cancelled', reason: cancel, ...endAt(time) }], project: changed };
  keepOrder(builds);
  const again = retry(build, builds.filter(isQueued), time);
  const ended: Build = { ...build, status: 'interrupted', reason: String(LOST), ...endAt(time) };
  return { builds: again ? [ended, again] : [ended], project: changed };
}

/** Ids of new builds sort behind those of other nodes, whose clocks may be ahead. */
function keepOrder(builds: readonly Build[]): void {
  const last = builds.at(-1);
  if (last) startBuildIdsBehind(last.id);
}
