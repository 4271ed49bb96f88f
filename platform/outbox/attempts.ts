import type { OutboxEntry, OutboxStore } from '../../data/records/outbox-entry.ts';
import type { Store } from '../../data/store.ts';
import type { AttemptOutcome } from '../notifications/notifier.ts';
import { concludeEntry, isDue, isTooOld, type ReceiverSettings } from './entry-schedule.ts';
import { createReceiverRest } from './receiver-rest.ts';

/** Tells a receiver of changed sites. */
export interface OutboxSender {
  /** Returns how many entries one request takes. */
  readonly batchSize: () => number;
  /** Sends one request for these entries, `batchSize` at most. Returns why it failed, '' = it did not. */
  send(entries: readonly OutboxEntry[], signal?: AbortSignal): Promise<string>;
  /** Aborts what is being sent. */
  close(): Promise<void>;
}

export interface AttemptOptions {
  readonly projects: Pick<Store['projects'], 'find'>;
  readonly entries: OutboxStore;
  readonly sender: OutboxSender;
  readonly settings: () => ReceiverSettings;
  /** What could not be done, or will not be, for projects that are named after it in the log. */
  readonly failures: { readonly delayed: string; readonly givenUp: string };
  readonly now: () => Date;
  readonly onWarning: (message: string) => void;
  readonly onAttempt?: (outcome: AttemptOutcome) => void;
  /** Whether other nodes may note something. */
  readonly hasOtherNodes?: boolean;
}

/** Attempts to tell a receiver of what waits, with as much as a request takes. */
export interface Attempts {
  /** Sends one request for what is due, unless the receiver rests; returns how long until there may be something again, ms. */
  sendDue(signal: AbortSignal): Promise<number>;
  /** Lets the receiver rest no longer after it has failed. */
  endRest(): void;
}

/** How often a process looks for what other nodes have noted, and for a configuration that was read again. */
const POLL_MS = 2_000;
/** Longest delay of a process that has no other nodes. */
const MAX_WAIT_MS = 3_600_000;
/** Names that a message has. */
const MAX_NAMED = 5;

/** Creates the attempts of a receiver. */
export function createAttempts(options: AttemptOptions): Attempts {
  const { projects, entries, sender, settings, failures, now } = options;
  const { onWarning, onAttempt = () => {}, hasOtherNodes = false } = options;
  const longestMs = hasOtherNodes ? POLL_MS : MAX_WAIT_MS;
  const rest = createReceiverRest();

  return {
    async sendDue(signal) {
      if (settings().url === '') return longestMs;
      const time = now();
      const restMs = rest.leftMs(time);
      if (restMs > 0) return Math.min(restMs, longestMs);
      const size = sender.batchSize();
      const waiting = await entries.listWaiting({ limit: size });
      const due = waiting.filter((entry) => isDue(entry, time, settings()));
      if (due.length === 0) {
        const [next] = waiting;
        return next ? Math.min(longestMs, Math.max(1, Date.parse(next.nextAt) - time.getTime())) : longestMs;
      }
      if (signal.aborted) return 0;
      const failure = await sender.send(due, signal);
      // What is aborted counts as not tried.
      if (failure !== '' && signal.aborted) return 0;
      await conclude(due, failure);
      return 0;
    },
    endRest: rest.end,
  };

  async function conclude(sent: readonly OutboxEntry[], failure: string): Promise<void> {
    const time = now();
    const pause = failure === '' ? undefined : rest.begin(time);
    if (!pause) rest.succeed();
    const current = settings();
    const givenUp: string[] = [];
    for (const entry of sent) {
      const { project } = entry;
      const isGone = !(await projects.find(project));
      const isGivenUp = failure !== '' && isTooOld(entry, time, current);
      if (isGivenUp) givenUp.push(project);
      const attempt = { sent: entry, time, failure, pauseMs: pause?.ms ?? 0, isGivenUp, isGone };
      await entries.change(project, (found) => concludeEntry(found, attempt, current));
    }
    onAttempt(failure === '' ? 'delivered' : givenUp.length === sent.length ? 'failed' : 'delayed');
    if (givenUp.length > 0) {
      onWarning(`${failures.givenUp} ${describe(givenUp)}: ${failure}; given up`);
    } else if (pause?.isFirst) {
      onWarning(`${failures.delayed} ${describe(sent.map(({ project }) => project))}: ${failure}; tried again`);
    }
  }
}

function describe(projects: readonly string[]): string {
  const named = projects.slice(0, MAX_NAMED).map((name) => `"${name}"`);
  return `${projects.length === 1 ? 'project' : 'projects'} ${named.join(', ')}${projects.length > MAX_NAMED ? ', …' : ''}`;
}
