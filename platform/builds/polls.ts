import pMap from 'p-map';
import { listRefs, stripCredentials } from '../../builder/index.ts';
import { hasEnded } from '../../data/records/build.ts';
import { type Poll, readPollInterval } from '../../data/records/poll.ts';
import type { Project } from '../../data/records/project.ts';
import type { Store } from '../../data/store.ts';
import { repositoryKey } from '../../lib/repository-address.ts';
import { hasCode } from '../../lib/system-error.ts';
import { createMissedPushes, type ListedRefs } from './missed-pushes.ts';
import type { BuildQueue } from './queue/build-queue.ts';

/** Returns the branches and tags of a repository, and its default branch. Throws an error whose message says why that cannot be. */
export type ListRefs = (url: string, signal: AbortSignal) => Promise<ListedRefs>;

/** Compares what is published with what repositories have, for pushes of which no webhook came, or none that could be accepted. */
export interface Polls {
  /** Notes when a project is compared next: it keeps the time that it has unless `before` had another repository, or another interval. */
  plan(project: Project, before?: Project): Promise<void>;
  /** Plans all projects that are not planned, and spreads those that are overdue: the server may have been down. */
  planAll(signal: AbortSignal): Promise<void>;
  /** Compares the projects that are due, and requests builds of what differs. */
  runDue(signal: AbortSignal): Promise<void>;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** How long a repository may take to answer. */
const LIST_TIMEOUT_MS = 20 * SECOND_MS;
/** Projects that are read at once. */
const PAGE = 100;
/** Hosts that are asked at once, and requests to one of them. */
const HOSTS_AT_ONCE = 6;
const OF_HOST_AT_ONCE = 2;
/** After so many failures one after the other, the other projects of a host wait for the next time. */
const MAX_HOST_FAILURES = 3;
/** Intervals differ by this part, so that projects which began together do not stay so. */
const JITTER = 0.1;
/** A project that has just been planned, or is being built, is left alone for at least this part of an interval. */
const FIRST = 0.5;
const BUSY_MS = MINUTE_MS;
/** Of what is overdue, so many are asked in a second. */
const OVERDUE_PER_S = 10;
/** Creates what asks repositories; `cacheFolder` is that of builds. */
export function createRefLister(cacheFolder: string): ListRefs {
  return (url, signal) => listRefs(url, { cacheFolder, timeoutMs: LIST_TIMEOUT_MS, signal });
}

/** Creates the polls of all projects. */
export function createPolls(context: {
  readonly store: Pick<Store, 'projects' | 'polls' | 'builds'>;
  readonly queue: Pick<BuildQueue, 'request' | 'removeVersion'>;
  readonly listRefs: ListRefs;
  /** Returns whether a project's settings exclude a branch or tag. */
  readonly isExcluded: (project: Project, ref: string) => boolean;
  /** Interval of projects that set none, ms; `Infinity` = never. */
  readonly intervalMs: () => number;
  readonly now: () => Date;
  /** Returns a number from 0 to below 1. */
  readonly random?: () => number;
}): Polls {
  const { store, now, random = Math.random } = context;
  const missed = createMissedPushes(context);

  const intervalOf = ({ poll = '' }: Project): number => readPollInterval(poll) ?? context.intervalMs();
  const after = (ms: number): string => new Date(now().getTime() + ms).toISOString();
  const withJitter = (ms: number): number => ms * (1 - JITTER + 2 * JITTER * random());
  const create = (project: Project, intervalMs: number): Poll => ({
    project: project.name,
    nextAt: after(intervalMs * (FIRST + (1 - FIRST) * random())),
    answeredAt: '',
    failures: 0,
    failure: '',
    seen: undefined,
  });

  return {
    async plan(project, before) {
      const intervalMs = intervalOf(project);
      const isOther = before !== undefined && repositoryKey(before.url) !== repositoryKey(project.url);
      const isSame = before !== undefined && !isOther && (before.poll ?? '') === (project.poll ?? '');
      await change(store, project.name, (old) => {
        if (!Number.isFinite(intervalMs)) return undefined;
        if (!old || isOther) return create(project, intervalMs);
        return isSame ? old : { ...old, nextAt: create(project, intervalMs).nextAt };
      });
    },
    async planAll(signal) {
      const overdue: Poll[] = [];
      for (let last: string | undefined; ; ) {
        const page = await store.projects.list({ ...(last !== undefined && { after: last }), limit: PAGE });
        const known = await store.polls.findAll(page.map(({ name }) => name));
        for (const [index, project] of page.entries()) {
          if (signal.aborted) return;
          const intervalMs = intervalOf(project);
          const poll = known[index];
          if (!Number.isFinite(intervalMs)) {
            if (poll) await change(store, project.name, () => undefined);
            continue;
          }
          // The interval of the server may be another one than before.
          const isLate = poll !== undefined && poll.failures === 0 && poll.nextAt > after(intervalMs * (1 + JITTER));
          if (!poll || isLate) {
            const planned = create(project, intervalMs);
            await change(store, project.name, (old) => (old ? { ...old, nextAt: planned.nextAt } : planned));
          } else if (poll.nextAt < after(0)) overdue.push(poll);
        }
        last = page.at(-1)?.name;
        if (page.length < PAGE) break;
      }
      const spreadMs = (overdue.length / OVERDUE_PER_S) * SECOND_MS;
      if (spreadMs < SECOND_MS) return;
      for (const { project } of overdue) {
        if (signal.aborted) return;
        await change(store, project, (old) => old && { ...old, nextAt: after(spreadMs * random()) });
      }
    },
    async runDue(signal) {
      while (!signal.aborted) {
        const due = await store.polls.listDue({ before: now().toISOString(), limit: PAGE });
        const hosts = new Map<string, DuePoll[]>();
        for (const one of await findProjects(due)) {
          const host = repositoryKey(one.project.url).split('/')[0]!;
          hosts.set(host, [...(hosts.get(host) ?? []), one]);
        }
        await pMap(hosts.values(), (ofHost) => runHost(ofHost, signal), { concurrency: HOSTS_AT_ONCE });
        if (due.length < PAGE) return;
      }
    },
  };

  async function findProjects(due: readonly Poll[]): Promise<readonly DuePoll[]> {
    const found: DuePoll[] = [];
    for (const poll of due) {
      const project = await store.projects.find(poll.project);
      if (project) found.push({ poll, project });
    }
    return found;
  }

  async function runHost(polls: readonly DuePoll[], signal: AbortSignal): Promise<void> {
    let failures = 0;
    const run = async ({ poll, project }: DuePoll): Promise<void> => {
      if (signal.aborted) return;
      const intervalMs = intervalOf(project);
      if (!Number.isFinite(intervalMs)) return change(store, project.name, () => undefined);
      if (failures >= MAX_HOST_FAILURES) {
        const nextAt = after(withJitter(Math.min(intervalMs, HOUR_MS)));
        return change(store, project.name, (old) => old && { ...old, nextAt });
      }
      if (await isBeingBuilt(project.name)) {
        return change(store, project.name, (old) => old && { ...old, nextAt: after(withJitter(BUSY_MS)) });
      }
      let listed: ListedRefs;
      try {
        listed = await context.listRefs(project.url, signal);
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures += hasCode(error, 'network') ? 1 : 0;
        const failure = stripCredentials((error as Error).message).slice(0, 300);
        const nextAt = after(withJitter(backOff(intervalMs, poll.failures + 1)));
        return change(store, project.name, (old) => old && { ...old, failures: old.failures + 1, failure, nextAt });
      }
      try {
        const seen = await missed.request(project.name, poll.seen, listed);
        if (!seen) return;
        const nextAt = after(withJitter(intervalMs));
        const values = { nextAt, answeredAt: now().toISOString(), failures: 0, failure: '', seen };
        await change(store, project.name, (old) => old && { ...old, ...values });
      } catch (error) {
        // Its queue is full.
        if (!hasCode(error, 'busy')) throw error;
        await change(store, project.name, (old) => old && { ...old, nextAt: after(withJitter(BUSY_MS)) });
      }
    };
    await pMap(polls, run, { concurrency: OF_HOST_AT_ONCE });
  }

  async function isBeingBuilt(project: string): Promise<boolean> {
    const [newest] = await store.builds.list({ project, limit: 1 });
    return newest !== undefined && !hasEnded(newest.status);
  }
}

/** A project that is due. */
interface DuePoll {
  readonly poll: Poll;
  readonly project: Project;
}

/** Returns how long a repository is left alone after failures, ms. */
function backOff(intervalMs: number, failures: number): number {
  const longest = Math.max(HOUR_MS, intervalMs, Math.min(6 * intervalMs, DAY_MS));
  return Math.min(intervalMs * 2 ** Math.min(failures, 20), longest);
}

/** Changes the poll of a project, unless the project was removed meanwhile. */
async function change(
  { polls }: Pick<Store, 'polls'>,
  project: string,
  make: (old: Poll | undefined) => Poll | undefined,
): Promise<void> {
  try {
    await polls.change(project, make);
  } catch (error) {
    if (!hasCode(error, 'not-found')) throw error;
  }
}
