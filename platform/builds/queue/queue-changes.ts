import type { Build, BuildChanges, ChangeSubject, OpenBuilds } from '../../../data/records/build.ts';
import type { CallAfter } from '../../../lib/call-after.ts';
import { hasCode } from '../../../lib/system-error.ts';
import { findLanes, knownLane, learnLane } from './build-lanes.ts';
import type { QueueStore } from './build-queue.ts';
import { findWaitMs } from './build-states.ts';

/** Changes of builds that have not ended, in the store. */
export interface QueueChanges {
  /**
   * Changes the open builds of a project and has it wait for a turn, if one of them may begin; `ended` is one that ends with it. Returns
   * those that have changed. Throws `not-found` for an unknown project.
   */
  make(
    project: string,
    change: (open: OpenBuilds) => BuildChanges | undefined,
    subject?: ChangeSubject & { readonly ended?: Build },
  ): Promise<readonly Build[]>;
  /** Has a project wait for a turn, if one of its builds may begin. */
  look(project: string): Promise<void>;
}

/** How long after an error a project is looked at again, ms. */
const RETRY_MS = 10_000;

/** Creates the changes. A build that may begin only later is looked at then, by each node that has changed builds of its project. */
export function createQueueChanges(options: {
  readonly store: QueueStore;
  /** How long a build is short, ms. */
  readonly shortMs: () => number;
  /** Receives each build that has changed. */
  readonly tell: (build: Build) => void;
  /** Nothing is looked at once it is aborted. */
  readonly stopping: AbortSignal;
  readonly onError: (error: unknown) => void;
  readonly now: () => Date;
  readonly after: CallAfter;
}): QueueChanges {
  const { store, shortMs, tell, stopping, onError, now, after } = options;
  /** When projects are looked at again of which a build waits for its time, ms. */
  const looks = new Map<string, number>();

  const make: QueueChanges['make'] = async (project, change, { ended, ...subject } = {}) => {
    const found = await findLanes(store, project, shortMs());
    const lanes = ended ? learnLane(found, ended, shortMs()) : found;
    let waitMs = Number.POSITIVE_INFINITY;
    const isDue = (build: Build): boolean => {
      const ms = findWaitMs(build, now());
      if (ms > 0) waitMs = Math.min(waitMs, ms);
      return ms === 0;
    };
    const decide = (open: OpenBuilds) => {
      const changes = change(open);
      return changes && { ...changes, laneOf: (build: Build) => knownLane(lanes, build), isDue };
    };
    const changed = await store.builds.changeOpen(project, decide, subject);
    if (Number.isFinite(waitMs)) lookLater(project, waitMs);
    for (const build of changed) tell(build);
    return changed;
  };

  const look = async (project: string): Promise<void> => {
    await make(project, () => ({ builds: [] }));
  };

  const lookLater = (project: string, ms: number): void => {
    const at = now().getTime() + ms;
    if ((looks.get(project) ?? Number.POSITIVE_INFINITY) <= at) return;
    looks.set(project, at);
    after(ms, async () => {
      if (looks.get(project) === at) looks.delete(project);
      if (stopping.aborted) return;
      await look(project).catch((error: unknown) => {
        if (hasCode(error, 'not-found')) return;
        onError(error);
        lookLater(project, RETRY_MS);
      });
    });
  };

  return { make, look };
}
