import { DataError } from '../../../data/data-error.ts';
import type { Build } from '../../../data/records/build.ts';
import type { CallAfter } from '../../../lib/call-after.ts';
import type { ProjectChange } from '../build-findings.ts';
import type { BuildLogs } from '../build-logs.ts';
import type { QueueStore } from './build-queue.ts';
import { type BuildWork, createBuildRunner, type Running } from './build-runner.ts';
import { endIn } from './build-states.ts';
import type { QueueChanges } from './queue-changes.ts';

/**
 * The builds that a node runs. What it does to a build that is not its own any more, because it seemed dead, changes nothing, and may not
 * publish.
 */
export interface OwnBuilds {
  /**
   * Runs a build that has begun in the store until it has ended or is put back, which happens once it has taken `limitMs` and a short one
   * waits. Never rejects.
   */
  run(build: Build, limitMs?: number): Promise<void>;
  /** Gives back a build that has begun in the store and not here: others may begin it at once. */
  giveBack(build: Build): Promise<unknown>;
  has(id: string): boolean;
  /** Returns the ids of those that run. */
  list(): readonly string[];
  /** Interrupts a build that is to end, or has been ended by others. */
  check(id: string): Promise<void>;
  /** Interrupts all of them. */
  interrupt(): void;
}

/** How often a build that may have to make way looks whether a short one waits, ms. */
const LOOK_MS = 500;
/** How long a turn is left to places that are free before a build makes way for it, ms. */
const WAITED_MS = 100;

/** Creates the node's builds. `work` does what a build is for; it must not throw for errors of a project's repository. */
export function createOwnBuilds(options: {
  readonly store: QueueStore;
  readonly changes: QueueChanges;
  readonly node: number;
  /** Other nodes use the store. */
  readonly hasOthers: boolean;
  readonly logs: BuildLogs;
  readonly work: BuildWork;
  /** Called for a build that failed for no fault of its repository, and with '' for one that did not. */
  readonly onDeferred: (reason: string) => void;
  /** Aborted when the node stops; who aborts it calls `interrupt`. */
  readonly stopping: AbortSignal;
  readonly onError: (error: unknown) => void;
  readonly now: () => Date;
  readonly after: CallAfter;
}): OwnBuilds {
  const { store, changes, node, hasOthers, stopping, onError, now, after } = options;
  const running = new Map<string, Running>();

  /** Returns whether a build is this node's, and is not to end. */
  const isOwn = (build: Build | undefined): boolean =>
    build?.status === 'running' && build.run?.node === node && build.run.cancel === '';

  /** Stores how a build ended, unless others have ended it. */
  const finish = async (build: Build, end: Partial<Build>, changeProject?: ProjectChange): Promise<Build> => {
    const { id, project } = build;
    const isLeft = end.status === 'interrupted';
    // The next process finds it as after a crash.
    if (isLeft && !hasOthers) return build;
    // A node that stops leaves its builds to others, which begin them again.
    const values = isLeft ? ({ status: 'queued', reason: '', startedAt: '' } as const) : end;
    const changed = hasOthers ? changeProject : undefined;
    try {
      // Of several files, the build's is written last: a build that has passed is one whose project says so.
      if (!hasOthers && changeProject) await store.projects.change(project, changeProject);
      const [ended] = await changes.make(
        project,
        (open) => endIn(open, { id, node, values, changeProject: changed }, now()),
        { ended: { ...build, ...values } },
      );
      return ended ?? (await store.builds.find(id)) ?? build;
    } catch (error) {
      if (error instanceof DataError && error.code === 'not-found') return build;
      throw error;
    }
  };

  const runner = createBuildRunner({
    store,
    logs: options.logs,
    onError,
    now,
    finish,
    work: options.work,
    isStopping: () => stopping.aborted,
    onDeferred: options.onDeferred,
    ...(hasOthers ? { isCurrent: isOwn } : {}),
  });

  const check = async (id: string): Promise<void> => {
    const run = running.get(id);
    if (run && !isOwn(await store.builds.find(id))) interrupt(run, 'cancelled');
  };

  /** Puts a build back that takes longer than short ones do, once one of those waits; returns what ends that. */
  const watch = (run: Running, limitMs: number): (() => void) => {
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
  };

  return {
    async run(build, limitMs) {
      const run: Running = { build, controller: new AbortController(), end: undefined, isPublished: false };
      running.set(build.id, run);
      const unwatch = limitMs === undefined ? undefined : watch(run, limitMs);
      // Somebody may have cancelled it before it could be told.
      check(build.id).catch(onError);
      if (stopping.aborted) interrupt(run, 'interrupted');
      try {
        await runner(run);
      } catch (error) {
        onError(error);
      } finally {
        unwatch?.();
        running.delete(build.id);
      }
    },
    giveBack: (build) => finish(build, { status: 'interrupted' }).catch(onError),
    has: (id) => running.has(id),
    list: () => [...running.keys()],
    check,
    interrupt() {
      for (const run of running.values()) interrupt(run, 'interrupted');
    },
  };
}

function interrupt(run: Running, end: NonNullable<Running['end']>): void {
  run.end ??= end;
  run.controller.abort();
}
