import { randomUUID } from 'node:crypto';
import { DataError } from '../../data/data-error.ts';
import type { Build } from '../../data/records/build.ts';
import type { Notification } from '../../data/records/notification.ts';
import type { Project } from '../../data/records/project.ts';
import { type CallAfter, callAfter } from '../../lib/call-after.ts';
import { createKeyedQueue } from '../../lib/keyed-queue.ts';
import { phrase } from '../../lib/phrase.ts';
import { type ChangeContext, recordChanges } from './record-changes.ts';
import type { NotificationSender } from './send-notification.ts';

/** Tells those who want to hear of it when versions fail and when they are mended. */
export interface Notifier {
  /** Looks at the versions of a project after one of its builds has ended. Returns at once and never throws. */
  observe(build: Pick<Build, 'project' | 'ref'>): void;
  /** Looks at what an earlier process may have missed, and sends what waits from now on. */
  start(): Promise<void>;
  /** Sends a test to a project's URL, once. Returns why it failed, '' = it did not. Throws DataError `invalid` without a URL. */
  sendTest(project: Project): Promise<string>;
  /** Waits until what has been observed is recorded, and aborts what is being sent, which the next process sends again. */
  stop(): Promise<void>;
}

/** How attempts to send a notification end; after `failed` there is no other one. */
export const ATTEMPT_OUTCOMES = ['delivered', 'delayed', 'failed'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** Delays before a notification is sent again. */
const PAUSES_MS = [10_000, 60_000, 600_000, 3_600_000, 21_600_000];
const LONGEST_PAUSE_MS = Math.max(...PAUSES_MS);
/** Notifications that are sent at once, of different projects. */
const MAX_AT_ONCE = 4;
/** Those among them of projects whose last attempt failed: receivers that hang leave room for the others. */
const MAX_AFTER_FAILURE = 2;
/** Delay after the store has failed. */
const REST_MS = 10_000;
/** How often a node looks for what others have recorded. */
const DUTY_POLL_MS = 5_000;
/** Longest delay that a timer takes well. */
const MAX_WAIT_MS = 3_600_000;
/** A killed process may have missed the last builds; it can have been only some. */
const MISSED_BUILDS = 100;

/** Creates the notifier. What waits to be sent is in the store, and outlives the process. */
export function createNotifier(
  options: ChangeContext & {
    readonly store: ChangeContext['store'];
    readonly sender: NotificationSender;
    readonly onError: (error: unknown) => void;
    readonly onAttempt?: (outcome: AttemptOutcome) => void;
    /** Of several nodes, returns whether this one sends what any of them has recorded; default: there is one. */
    readonly isOnDuty?: () => boolean;
    readonly wait?: CallAfter;
  },
): Notifier {
  const { store, sender, now, onWarning, onError, onAttempt = () => {}, wait = callAfter, isOnDuty } = options;
  /** Changes of a project are recorded one after the other. */
  const observing = createKeyedQueue();
  /** Deliveries under way, by project: to each project one after the other. */
  const sending = new Map<string, Promise<void>>();
  /** Projects of which some wait and some were sent, the latest one last, and whether their last attempt failed. */
  const attempted = new Map<string, boolean>();
  let looking = Promise.resolve();
  let isStarted = false;
  let isStopped = false;
  let isResting = false;
  let cancelTimer = (): void => {};

  const observe = ({ project, ref }: Pick<Build, 'project' | 'ref'>): void => {
    if (isStopped) return;
    observing.run(project, () => recordChanges(project, ref, options)).then(wake, onError);
  };

  return {
    observe,
    async start() {
      isStarted = true;
      const seen = new Set<string>();
      for (const build of await store.builds.listEnded({ limit: MISSED_BUILDS })) {
        const key = `${build.project} ${build.ref}`;
        if (!seen.has(key)) observe(build);
        seen.add(key);
      }
      wake();
    },
    async sendTest(project) {
      if (!project.notify)
        throw new DataError('refused', phrase`Project "${project.name}" has no URL in its field "notify"`);
      return sender.sendTest(project, createId());
    },
    async stop() {
      await observing.idle();
      isStopped = true;
      cancelTimer();
      await sender.close();
      await looking;
      await Promise.all(sending.values());
    },
  };

  function wake(): void {
    if (isStarted && !isStopped) looking = looking.then(look).catch(rest);
  }

  /** Sends what is due, and sets the timer to when the next one is. */
  async function look(): Promise<void> {
    cancelTimer();
    // Others may have recorded something, or this node may have got the duty.
    if (isOnDuty) cancelTimer = wait(DUTY_POLL_MS, wake);
    if (!mayBegin()) return;
    const nowMs = now().getTime();
    const waiting = await store.notifications.listWaiting();
    const due = new Map<string, Notification>();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const notification of waiting) {
      const { project, nextAt } = notification;
      if (sending.has(project) || due.has(project)) continue;
      const waitMs = Date.parse(nextAt) - nowMs;
      // None waits longer: the clock was ahead when that was planned.
      if (waitMs <= 0 || waitMs > LONGEST_PAUSE_MS) due.set(project, notification);
      else nextMs = Math.min(nextMs, waitMs);
    }
    if (nextMs < Number.POSITIVE_INFINITY) {
      cancelTimer();
      cancelTimer = wait(Math.min(nextMs, isOnDuty ? DUTY_POLL_MS : MAX_WAIT_MS), wake);
    }
    forgetOthers(waiting);
    for (const notification of takeTurns(due)) if (mayBegin(notification.project)) begin(notification);
  }

  function forgetOthers(waiting: readonly Notification[]): void {
    const projects = new Set(waiting.map(({ project }) => project));
    for (const project of attempted.keys()) {
      if (!projects.has(project) && !sending.has(project)) attempted.delete(project);
    }
  }

  /** Returns what is due, by project, in the order of projects that have waited longest for their turn. */
  function takeTurns(due: ReadonlyMap<string, Notification>): readonly Notification[] {
    const isNew = [...due.values()].filter(({ project }) => !attempted.has(project));
    return [...isNew, ...[...attempted.keys()].flatMap((project) => due.get(project) ?? [])];
  }

  function mayBegin(project = ''): boolean {
    if (isStopped || isResting || isOnDuty?.() === false || sending.size >= MAX_AT_ONCE) return false;
    const hasFailed = (one: string) => attempted.get(one) === true;
    return !hasFailed(project) || [...sending.keys()].filter(hasFailed).length < MAX_AFTER_FAILURE;
  }

  function begin(notification: Notification): void {
    const { project } = notification;
    const hasFailed = attempted.get(project) ?? false;
    attempted.delete(project);
    attempted.set(project, hasFailed);
    const done = attempt(notification)
      .catch(rest)
      .finally(() => {
        sending.delete(project);
        wake();
      });
    sending.set(project, done);
  }

  async function attempt({ project: name, ref, id, attempts }: Notification): Promise<void> {
    const [project, notification] = await Promise.all([store.projects.find(name), store.notifications.find(name, ref)]);
    // Another change of the version may have taken its place, or it was sent after it had been listed.
    if (!project || notification?.id !== id) return;
    if (notification.delivery !== 'waiting' || notification.attempts !== attempts) return;
    if (!project.notify) return await change(notification, { delivery: 'none', nextAt: '' });
    const failure = await sender.send(project, notification);
    attempted.set(name, failure !== '');
    // An aborted delivery counts as not tried.
    if (failure !== '' && isStopped) return;
    const pauseMs = PAUSES_MS[attempts];
    const outcome = failure === '' ? 'delivered' : pauseMs === undefined ? 'failed' : 'delayed';
    const delivery = outcome === 'delayed' ? 'waiting' : outcome;
    const nextAt = outcome === 'delayed' ? new Date(now().getTime() + pauseMs!).toISOString() : '';
    await change(notification, { delivery, nextAt, attempts: attempts + 1, failure });
    onAttempt(outcome);
    if (outcome === 'delivered' || (outcome === 'delayed' && attempts > 0)) return;
    const then = outcome === 'failed' ? `given up after ${attempts + 1} attempts` : 'tried again';
    onWarning(`Cannot notify of project "${name}", ref "${ref}": ${failure}; ${then}`);
  }

  async function change({ project, ref, id }: Notification, values: Partial<Notification>): Promise<void> {
    await store.notifications
      .change(project, ref, (now) => (now?.id === id ? { ...now, ...values } : now))
      .catch((error: unknown) => {
        // The project was removed while its notification was sent.
        if (!(error instanceof DataError && error.code === 'not-found')) throw error;
      });
  }

  /** Lets some time pass after the store has failed, rather than send the same again at once. */
  function rest(error: unknown): void {
    onError(error);
    if (isResting || isStopped) return;
    isResting = true;
    wait(REST_MS, () => {
      isResting = false;
      wake();
    });
  }
}

function createId(): string {
  return `msg_${randomUUID()}`;
}
