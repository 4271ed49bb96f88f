import { setTimeout as sleep } from 'node:timers/promises';
import type { Build } from '../../data/records/build.ts';
import type { OutboxEntry, OutboxStore } from '../../data/records/outbox-entry.ts';
import type { Project } from '../../data/records/project.ts';
import type { Store } from '../../data/store.ts';
import { type CallAfter, callAfter } from '../../lib/call-after.ts';
import type { AttemptOutcome } from '../notifications/notifier.ts';
import type { SiteStorage } from '../sites/site-storage.ts';

/** Tells a receiver of changed sites. */
export interface OutboxSender {
  /** Returns how many entries one request takes. */
  readonly batchSize: () => number;
  /** Sends one request for these entries, `batchSize` at most. Returns why it failed, '' = it did not. */
  send(entries: readonly OutboxEntry[], signal?: AbortSignal): Promise<string>;
  /** Aborts what is being sent. */
  close(): Promise<void>;
}

/** When a receiver is told; nothing is noted without a URL. */
export interface ReceiverSettings {
  readonly url: string;
  /** When it is told once more, in s; 0 = it is not. */
  readonly again_s: number;
  /** How long it may keep what it has, in s: for so long, and for a day at least, it is told again where it refuses. */
  readonly keep_s: number;
}

/*
 * A transactional outbox: the site that readers get is named by its storage (`SiteStorage.identify`), and so is what the receiver was last
 * told of. A build compares both before its own end is stored: a server that is killed before it has noted the change runs that build again.
 * What is noted is sent by one process for all (a duty), and once more after `again_s`, for nodes that learn late of an edition and for
 * answers that were on their way when the first one arrived. Where the receiver refuses, everything waits, and goes together later.
 */

/** Tells one receiver, such as a CDN in front of the sites, of which projects readers get something else; at least once. */
export interface Outbox {
  /** Notes a change if readers get other files of a project than it was last told of; to be called before the end of a build is stored. */
  observe(project: Project, build: Pick<Build, 'retryOf'>): Promise<void>;
  /** Sends what was noted and waits for the end of a build, which is stored now. */
  settle(project: string): Promise<void>;
  /**
   * Makes a change after which readers get something else of these projects, which may be one as it was and as it is, and notes that. A
   * process that dies meanwhile leaves one behind all the same.
   */
  during<T>(projects: readonly Project[], change: () => Promise<T>): Promise<T>;
  /**
   * Tells of a project, whatever has changed, and waits some seconds for that; returns why the receiver was not told, '' = it was.
   */
  sendNow(project: Project): Promise<string>;
  /** Sends what is due until `signal` is aborted. */
  keepSending(signal: AbortSignal): Promise<void>;
  /** Sends at once what waits because an attempt has failed. */
  retryNow(): void;
  /** Aborts what is being sent. */
  close(): Promise<void>;
}

/** Delays before a request is sent again that has failed; the last one holds for all others. */
const PAUSES_MS = [5_000, 15_000, 60_000, 300_000, 900_000];
const LONGEST_PAUSE_MS = Math.max(...PAUSES_MS);
/** A change that a killed process has left half done has been seen by all readers by then. */
const LEFT_MS = 30_000;
/** Delay after the store has failed. */
const REST_MS = 10_000;
/** How often a process looks for what other nodes have noted, and for a configuration that was read again. */
const POLL_MS = 2_000;
/** Longest delay of a process that has no other nodes. */
const MAX_WAIT_MS = 3_600_000;
/** What fails for as long as the receiver keeps anything, and for a day at least, is given up. */
const LEAST_PATIENCE_S = 86_400;
/** How long `sendNow` waits for what comes of it, and how often that is looked for. */
const PATIENCE_MS = 12_000;
const LOOK_MS = 100;
/** Addresses of a site that are remembered. */
const MAX_URLS = 10;

/** Creates the outbox of a receiver in this process. */
export function createOutbox(options: {
  readonly projects: Pick<Store['projects'], 'find'>;
  readonly entries: OutboxStore;
  readonly siteStorage: Pick<SiteStorage, 'identify'>;
  readonly sender: OutboxSender;
  readonly settings: () => ReceiverSettings;
  /** What could not be done, or will not be, for projects that are named after it in the log. */
  readonly failures: { readonly delayed: string; readonly givenUp: string };
  /** The receiver hears of a build after its end is stored, see `settle`. */
  readonly isAfterEnd?: boolean;
  /** Returns the addresses at which readers find a project's site. */
  readonly urlsOf: (project: Project) => readonly string[];
  readonly now: () => Date;
  readonly onWarning: (message: string) => void;
  readonly onError: (error: unknown) => void;
  readonly onAttempt?: (outcome: AttemptOutcome) => void;
  /** Whether other nodes may note something. */
  readonly hasOtherNodes?: boolean;
  readonly wait?: CallAfter;
}): Outbox {
  const { projects, entries, siteStorage, sender, settings, urlsOf, now } = options;
  const { failures: says, onWarning, onError, onAttempt = () => {} } = options;
  const { hasOtherNodes = false, wait = callAfter, isAfterEnd = false } = options;
  /** Until then nothing is sent, since the receiver has failed. */
  let restUntilMs = 0;
  let failures = 0;
  /** Something may be due since it was looked for. */
  let isWoken = false;
  let endPause = (): void => {};
  const wake = (): void => {
    isWoken = true;
    endPause();
  };

  const note = async (
    name: string,
    changed: readonly Project[],
    site: string,
    { afterMs = 0, isForced = false } = {},
  ): Promise<OutboxEntry | undefined> => {
    const time = now().getTime();
    const urls = changed.flatMap(urlsOf);
    const left = settings().again_s > 0 ? 2 : 1;
    const noted = await entries.change(name, (old) => {
      if (old?.site === site && !isForced) return old;
      // What waits for longer is not put off.
      const nextAt = new Date(time + afterMs).toISOString();
      return {
        project: name,
        site,
        left,
        failures: 0,
        failure: old?.failure ?? '',
        deliveredAt: old?.deliveredAt ?? '',
        requests: (old?.requests ?? 0) + 1,
        at: new Date(time).toISOString(),
        nextAt: old && old.nextAt !== '' && old.nextAt < nextAt ? old.nextAt : nextAt,
        urls: [...new Set([...urls, ...(old?.urls ?? [])])].slice(0, MAX_URLS),
      };
    });
    wake();
    return noted;
  };

  return {
    async observe(project, { retryOf }) {
      if (settings().url === '') return;
      // The build that was interrupted may have published something that nobody knows of any more.
      const isForced = retryOf !== '';
      // A process that ends before it has stored the end leaves one behind.
      const afterMs = isAfterEnd ? LEFT_MS : 0;
      await note(project.name, [project], await siteStorage.identify(project.name), { isForced, afterMs });
    },
    async settle(name) {
      if (settings().url === '') return;
      const nextAt = now().toISOString();
      await entries.change(name, (old) => {
        const isHeld = old && old.nextAt > nextAt && old.failures === 0;
        return isHeld ? { ...old, nextAt } : old;
      });
      wake();
    },
    async during(changed, change) {
      const [first] = changed;
      if (!first || settings().url === '') return change();
      const site = await siteStorage.identify(first.name);
      await note(first.name, changed, site, { afterMs: LEFT_MS, isForced: true });
      const result = await change();
      // The change is made; what was noted before is sent in any case.
      await note(first.name, changed, '', { isForced: true }).catch(onError);
      return result;
    },
    async sendNow(project) {
      const site = await siteStorage.identify(project.name);
      const noted = await note(project.name, [project], site, { isForced: true });
      restUntilMs = 0;
      wake();
      for (const endMs = performance.now() + PATIENCE_MS; performance.now() < endMs; await sleep(LOOK_MS)) {
        const found = await entries.find(project.name);
        if (!found) return '';
        if (found.deliveredAt !== noted?.deliveredAt) return '';
        if (found.requests === noted.requests && found.left < noted.left) return '';
        if (found.failures > 0) return found.failure;
      }
      return 'It has not been sent yet; a server sends it when it runs';
    },
    async keepSending(signal) {
      while (!signal.aborted) {
        isWoken = false;
        let waitMs: number;
        try {
          waitMs = await sendDue(signal);
        } catch (error) {
          if (signal.aborted) return;
          onError(error);
          waitMs = REST_MS;
        }
        await pause(waitMs, signal);
      }
    },
    retryNow() {
      restUntilMs = 0;
      wake();
    },
    close: () => sender.close(),
  };

  function pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted || isWoken || ms <= 0) return resolve();
      const end = (): void => {
        cancel();
        signal.removeEventListener('abort', end);
        endPause = () => {};
        resolve();
      };
      const cancel = wait(ms, end);
      signal.addEventListener('abort', end, { once: true });
      endPause = end;
    });
  }

  /** Sends one request for what is due; returns how long until there may be something again, ms. */
  async function sendDue(signal: AbortSignal): Promise<number> {
    const longestMs = hasOtherNodes ? POLL_MS : MAX_WAIT_MS;
    if (settings().url === '') return longestMs;
    const time = now().getTime();
    const restMs = restUntilMs - time;
    if (restMs > 0 && restMs <= LONGEST_PAUSE_MS) return Math.min(restMs, longestMs);
    const size = sender.batchSize();
    const waiting = await entries.listWaiting({ limit: size });
    const due = waiting.filter(({ nextAt }) => isDue(Date.parse(nextAt) - time));
    if (due.length === 0) {
      const [next] = waiting;
      return next ? Math.min(longestMs, Math.max(1, Date.parse(next.nextAt) - time)) : longestMs;
    }
    if (signal.aborted) return 0;
    const failure = await sender.send(due, signal);
    // What is aborted counts as not tried.
    if (failure !== '' && signal.aborted) return 0;
    await conclude(due, failure);
    return 0;
  }

  /** None is due later than that: the clock was ahead when it was planned. */
  function isDue(waitMs: number): boolean {
    return waitMs <= 0 || waitMs > Math.max(LONGEST_PAUSE_MS, settings().again_s * 1_000);
  }

  async function conclude(sent: readonly OutboxEntry[], failure: string): Promise<void> {
    const time = now();
    const pauseMs = PAUSES_MS[failures] ?? LONGEST_PAUSE_MS;
    if (failure === '') failures = 0;
    else {
      restUntilMs = time.getTime() + pauseMs;
      failures++;
    }
    const { keep_s, again_s } = settings();
    const oldestMs = time.getTime() - Math.max(keep_s, LEAST_PATIENCE_S) * 1_000;
    const givenUp: string[] = [];
    for (const { project, requests, at } of sent) {
      const isGone = !(await projects.find(project));
      const isOver = failure !== '' && Date.parse(at) < oldestMs;
      if (isOver) givenUp.push(project);
      await entries.change(project, (record) => {
        // Something has changed while this was sent, and is sent, too.
        if (record?.requests !== requests) return record;
        if (isOver && isGone) return undefined;
        if (failure !== '') {
          const nextAt = isOver ? '' : new Date(time.getTime() + pauseMs).toISOString();
          return { ...record, nextAt, failure, failures: record.failures + 1 };
        }
        const left = record.left - 1;
        if (left <= 0 && isGone) return undefined;
        const nextAt = left > 0 ? new Date(time.getTime() + again_s * 1_000).toISOString() : '';
        return { ...record, left, nextAt, failure: '', failures: 0, deliveredAt: time.toISOString() };
      });
    }
    onAttempt(failure === '' ? 'delivered' : givenUp.length === sent.length ? 'failed' : 'delayed');
    if (givenUp.length > 0) {
      onWarning(`${says.givenUp} ${describe(givenUp)}: ${failure}; given up`);
    } else if (failures === 1) {
      onWarning(`${says.delayed} ${describe(sent.map(({ project }) => project))}: ${failure}; tried again`);
    }
  }
}

/** Names that a message has. */
const MAX_NAMED = 5;

function describe(projects: readonly string[]): string {
  const named = projects.slice(0, MAX_NAMED).map((name) => `"${name}"`);
  return `${projects.length === 1 ? 'project' : 'projects'} ${named.join(', ')}${projects.length > MAX_NAMED ? ', …' : ''}`;
}
