import type { Build } from '../data/records/build.ts';
import type { Project } from '../data/records/project.ts';
import { createPurgeSender } from '../platform/cdn/send-purge.ts';
import type { Settings } from '../platform/config/settings.ts';
import { createEventSender } from '../platform/events/send-event.ts';
import type { AttemptOutcome } from '../platform/notifications/notifier.ts';
import { createOutbox, type Outbox } from '../platform/outbox/outbox.ts';
import { listSiteUrls } from '../platform/projects/project-hosts.ts';
import type { SiteStorage } from '../platform/sites/site-storage.ts';
import type { OpenStore } from './open-store.ts';

/** Tells all who are to know of changed sites: the CDN, and the receiver of events. */
export interface Outboxes extends Pick<Outbox, 'observe' | 'during' | 'retryNow' | 'close'> {
  /** Stored is the end of a build, which receivers that ask about it may hear of now. */
  settle(build: Pick<Build, 'project'>): Promise<void>;
  /** Tells the CDN of a project now, see `Outbox`. */
  readonly purgeNow: Outbox['sendNow'];
  /** Each of them, for what one process does for all. */
  readonly all: readonly Pick<Outbox, 'keepSending'>[];
}

/** Opens the outboxes of this process. */
export function openOutboxes(context: {
  readonly settings: Settings;
  readonly store: OpenStore;
  readonly siteStorage: Pick<SiteStorage, 'identify'>;
  readonly docsApiUrl: string;
  readonly now: () => Date;
  readonly onWarning: (message: string) => void;
  readonly onError: (error: unknown) => void;
  readonly onPurged?: (outcome: AttemptOutcome) => void;
  readonly onEvent?: (outcome: AttemptOutcome) => void;
}): Outboxes {
  const { settings, store, siteStorage, docsApiUrl, now, onWarning, onError, onPurged, onEvent } = context;
  const common = {
    projects: store.projects,
    siteStorage,
    urlsOf: (project: Project) => listSiteUrls(project, { docsApiUrl, docs: settings.current().docs }),
    hasOtherNodes: store.nodes !== undefined,
    now,
    onWarning,
    onError,
  };
  const cdn = createOutbox({
    ...common,
    entries: store.purges,
    settings: () => settings.current().cdn,
    sender: createPurgeSender({ settings: () => settings.current().cdn, now }),
    failures: { delayed: 'Cannot tell the CDN to forget pages of', givenUp: 'The CDN keeps old pages of' },
    ...(onPurged && { onAttempt: onPurged }),
  });
  const events = createOutbox({
    ...common,
    entries: store.publications,
    settings: () => ({ url: settings.current().events.url, again_s: 0, keep_s: 0 }),
    sender: createEventSender({ settings: () => settings.current().events, store, docsApiUrl, now }),
    failures: {
      delayed: 'Cannot tell the receiver of events of',
      givenUp: 'The receiver of events was not told of',
    },
    // Whoever hears of an event asks for what it is about.
    isAfterEnd: true,
    ...(onEvent && { onAttempt: onEvent }),
  });
  const all = [cdn, events];
  return {
    all,
    async observe(project, build) {
      for (const one of all) await one.observe(project, build);
    },
    settle: ({ project }) => events.settle(project),
    during: (projects, change) => cdn.during(projects, () => events.during(projects, change)),
    purgeNow: cdn.sendNow,
    retryNow() {
      for (const one of all) one.retryNow();
    },
    async close() {
      for (const one of all) await one.close();
    },
  };
}
