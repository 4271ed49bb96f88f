import { type Build, hasEnded } from '../../../data/records/build.ts';
import type { KeyedQueue } from '../../../lib/keyed-queue.ts';
import { LOST, PROJECT_REMOVED, STOPPED } from '../build-reasons.ts';
import type { QueueStore } from './build-queue.ts';
import { buryIn, endAt, isQueued, isRunning } from './build-states.ts';
import type { BuildWatchers } from './build-watchers.ts';
import type { QueueChanges } from './queue-changes.ts';

/** Builds that processes have left which are gone. */
export interface LeftBuilds {
  /** Goes on with what earlier processes left: what ran there is ended and requested again, and what waits asks for its turn. */
  takeOver(): Promise<void>;
  /** Does so with the builds of a node that is dead. */
  takeOverFrom(node: number): Promise<void>;
}

/** Creates what goes on with builds that were left. */
export function createLeftBuilds(options: {
  readonly store: QueueStore;
  readonly changes: QueueChanges;
  readonly watchers: BuildWatchers;
  /** Steps of requests of this process. */
  readonly requests: KeyedQueue;
  /** Several processes use the store. */
  readonly hasOthers: boolean;
  /** Returns whether this process runs a build. */
  readonly isRunningHere: (id: string) => boolean;
  readonly onWarning: (message: string) => void;
  readonly now: () => Date;
}): LeftBuilds {
  const { store, changes, watchers, requests, hasOthers, isRunningHere, onWarning, now } = options;

  const isLeft = (build: Build): boolean =>
    isRunning(build) && (build.run === undefined || !hasOthers) && !isRunningHere(build.id);

  /** Ends a build that runs nowhere any more, and requests it again. */
  const bury = async ({ id, project }: Build, reason: string): Promise<void> => {
    await changes.make(project, (open) => buryIn(open, { id, reason }, now()));
  };

  /** Ends a build whose project the store does not have: an operator may have moved away what could not be read. */
  const endOrphan = async ({ id, project }: Build): Promise<void> => {
    const found = await store.builds.find(id);
    if (!found || hasEnded(found.status)) return;
    const end = { status: 'cancelled', reason: String(PROJECT_REMOVED), ...endAt(now()) } as const;
    watchers.tell(await store.builds.change(id, (build) => ({ ...build, ...end })));
    onWarning(`Ended build "${id}": its project "${project}" does not exist`);
  };

  return {
    async takeOver() {
      const asked = new Set<string>();
      for (const build of await store.builds.listOpen()) {
        const { project } = build;
        // It may have been cancelled or removed since.
        await requests.run(project, async () => {
          if (!(await store.projects.find(project))) await endOrphan(build);
          else if (isLeft(build)) await bury(build, String(hasOthers ? LOST : STOPPED));
          else if (!asked.has(project)) {
            asked.add(project);
            await changes.look(project);
          }
        });
      }
    },
    async takeOverFrom(node) {
      for (const build of await store.builds.listOpen()) {
        if (build.run?.node === node) await bury(build, String(LOST));
        // Its node may have been the only one to know when.
        else if (isQueued(build) && build.notBefore !== undefined) await changes.look(build.project);
      }
    },
  };
}
