import { setImmediate } from 'node:timers/promises';
import { DataError } from '../../data/data-error.ts';
import type { Project } from '../../data/records/project.ts';
import type { Store } from '../../data/store.ts';
import { phrase } from '../../lib/phrase.ts';
import type { BuildQueue } from './queue/build-queue.ts';

/** When something runs by the clock. */
export interface ReadCrontab {
  /** The least distance between two of its runs, in minutes. */
  readonly leastMinutes: number;
  /** Returns the first run after a moment; undefined where it never runs again. */
  nextAfter(time: Date): Date | undefined;
}

/** Reads the line of a crontab in the time zone of the server. Throws DataError `invalid` that says what is wrong with it. */
export type ReadCrontabLine = (line: string) => ReadCrontab;

/** Builds all versions of projects at the times of their crontabs. */
export interface Schedules {
  /**
   * Returns a project with the time at which it is due next: it keeps the one that it has unless `before` had another schedule.
   * Throws DataError `invalid` for a schedule that is none, or runs too often.
   */
  plan(project: Project, before?: Project): Project;
  /** Plans all projects anew that are not due: the time zone of the server may have changed since, or its clock have been wrong. */
  planAll(signal: AbortSignal): Promise<void>;
  /**
   * Requests a build of each project that is due, and plans its next one. Runs that were missed are one; a process that dies
   * in between requests one again, which joins the first or finds nothing to do.
   */
  runDue(signal: AbortSignal): Promise<void>;
}

const MINUTE_MS = 60_000;
/** A clock that is set back by no more runs nothing twice, as with cron; by more, it was wrong, and the new time counts. */
const SET_BACK_MS = 3 * 60 * MINUTE_MS;
/** Projects that are read at once. */
const PAGE = 100;

/** Creates the schedules of all projects. */
export function createSchedules(context: {
  readonly store: Pick<Store, 'projects'>;
  readonly queue: Pick<BuildQueue, 'request'>;
  readonly read: ReadCrontabLine;
  /** Least distance between two runs, in minutes. */
  readonly leastMinutes: () => number;
  readonly now: () => Date;
  readonly onWarning: (message: string) => void;
}): Schedules {
  const { store, queue, read, leastMinutes, now, onWarning } = context;

  const findNext = (line: string, after: Date): string | undefined => read(line).nextAfter(after)?.toISOString();

  /** Returns when a project runs next, after a time and from now on; undefined where that cannot be known any more. */
  const findFollowing = ({ name, schedule = '' }: Project, afterMs: number): string | undefined => {
    try {
      return findNext(schedule, new Date(Math.max(now().getTime(), afterMs)));
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      onWarning(`Project "${name}" is not built by its schedule any more: ${error.message}`);
      return undefined;
    }
  };

  return {
    plan(project, before) {
      const { schedule = '' } = project;
      if (schedule === '') return project.scheduledAt === undefined ? project : { ...project, scheduledAt: undefined };
      if (schedule === before?.schedule && before.scheduledAt !== undefined) return project;
      const crontab = read(schedule);
      if (crontab.leastMinutes < leastMinutes()) {
        throw new DataError(
          'invalid',
          phrase`Field "schedule": "${schedule}" runs every ${crontab.leastMinutes} {1|minute|minutes} at times; the least distance is ${leastMinutes()} minutes`,
        );
      }
      const scheduledAt = crontab.nextAfter(now())?.toISOString();
      if (scheduledAt === undefined) throw new DataError('invalid', phrase`Field "schedule": "${schedule}" never runs`);
      return { ...project, scheduledAt };
    },
    async planAll(signal) {
      const time = now();
      for (const project of await store.projects.listScheduled({})) {
        if (signal.aborted) return;
        const { name, schedule = '', scheduledAt = '' } = project;
        if (scheduledAt <= time.toISOString()) continue;
        const next = findFollowing(project, endOfLast(project, time.getTime()));
        if (next === scheduledAt) continue;
        await move(store, { name, schedule, scheduledAt }, { scheduledAt: next });
        await setImmediate();
      }
    },
    async runDue(signal) {
      for (;;) {
        const due = await store.projects.listScheduled({ before: now().toISOString(), limit: PAGE });
        for (const project of due) {
          if (signal.aborted) return;
          const { name, schedule = '', scheduledAt = '' } = project;
          await request(queue, name);
          // The distance holds for schedules that were set before it became larger, too.
          const leastMs = new Date(scheduledAt).getTime() + leastMinutes() * MINUTE_MS - 1;
          const next = { scheduledAt: findFollowing(project, leastMs), lastScheduledAt: now().toISOString() };
          await move(store, { name, schedule, scheduledAt }, next);
          // Requests of readers come first.
          await setImmediate();
        }
        if (due.length < PAGE) return;
      }
    },
  };
}

/** Returns until when, in ms since 1970, the times of a schedule have had their run, which may be later than now. */
function endOfLast({ lastScheduledAt }: Project, nowMs: number): number {
  const lastMs = lastScheduledAt === undefined ? 0 : new Date(lastScheduledAt).getTime();
  return lastMs <= nowMs + SET_BACK_MS ? lastMs : 0;
}

/** Requests a build of all versions; a project that has just been removed needs none. */
async function request(queue: Pick<BuildQueue, 'request'>, project: string): Promise<void> {
  try {
    await queue.request({ project, ref: '', commit: '', cause: 'start', isScheduled: true });
  } catch (error) {
    if (!(error instanceof DataError && error.code === 'not-found')) throw error;
  }
}

/** Stores when a project is due next, unless somebody has changed that meanwhile. */
async function move(
  store: Pick<Store, 'projects'>,
  known: { readonly name: string; readonly schedule: string; readonly scheduledAt: string },
  next: Partial<Pick<Project, 'scheduledAt' | 'lastScheduledAt'>>,
): Promise<void> {
  try {
    await store.projects.change(known.name, (project) => {
      const isSame = project.schedule === known.schedule && project.scheduledAt === known.scheduledAt;
      return isSame ? { ...project, ...next } : project;
    });
  } catch (error) {
    if (!(error instanceof DataError && error.code === 'not-found')) throw error;
  }
}
