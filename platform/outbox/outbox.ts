import { setTimeout as sleep } from 'node:timers/promises';
import type { Build } from '../../data/records/build.ts';
import type { OutboxEntry } from '../../data/records/outbox-entry.ts';
import type { Project } from '../../data/records/project.ts';
import { type CallAfter, callAfter } from '../../lib/call-after.ts';
import type { SiteStorage } from '../sites/site-storage.ts';
import { type AttemptOptions, createAttempts } from './attempts.ts';
import { findOutcome, hastenEntry, requestEntry } from './entry-schedule.ts';
import { createRounds } from './rounds.ts';

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

/** A change that a killed process has left half done has been seen by all readers by then. */
const LEFT_MS = 30_000;
/** How long `sendNow` waits for what comes of it, and how often that is looked for. */
const PATIENCE_MS = 12_000;
const LOOK_MS = 100;

interface OutboxOptions extends AttemptOptions {
  readonly siteStorage: Pick<SiteStorage, 'identify'>;
  /** The receiver hears of a build after its end is stored, see `settle`. */
  readonly isAfterEnd?: boolean;
  /** Returns the addresses at which readers find a project's site. */
  readonly urlsOf: (project: Project) => readonly string[];
  readonly onError: (error: unknown) => void;
  readonly wait?: CallAfter;
}

/** Creates the outbox of a receiver in this process. */
export function createOutbox(options: OutboxOptions): Outbox {
  const { entries, siteStorage, sender, settings, urlsOf, now, onError } = options;
  const { wait = callAfter, isAfterEnd = false } = options;
  const attempts = createAttempts(options);
  const rounds = createRounds({ wait, onError });

  const note = async (
    name: string,
    changed: readonly Project[],
    site: string,
    { afterMs = 0, isForced = false } = {},
  ): Promise<OutboxEntry | undefined> => {
    const request = { project: name, site, urls: changed.flatMap(urlsOf), time: now(), afterMs, isForced };
    const current = settings();
    const noted = await entries.change(name, (old) => requestEntry(old, request, current));
    rounds.wake();
    return noted;
  };
  const retryNow = (): void => {
    attempts.endRest();
    rounds.wake();
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
      const time = now();
      await entries.change(name, (old) => hastenEntry(old, time));
      rounds.wake();
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
      retryNow();
      for (const endMs = performance.now() + PATIENCE_MS; performance.now() < endMs; await sleep(LOOK_MS)) {
        const outcome = findOutcome(noted, await entries.find(project.name));
        if (outcome !== undefined) return outcome;
      }
      return 'It has not been sent yet; a server sends it when it runs';
    },
    keepSending: (signal) => rounds.run(attempts.sendDue, signal),
    retryNow,
    close: () => sender.close(),
  };
}
