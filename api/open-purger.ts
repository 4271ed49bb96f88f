import { createPurger, type Purger } from '../platform/cdn/purger.ts';
import { createPurgeSender } from '../platform/cdn/send-purge.ts';
import type { Settings } from '../platform/config/settings.ts';
import type { AttemptOutcome } from '../platform/notifications/notifier.ts';
import { listSiteUrls } from '../platform/projects/project-hosts.ts';
import type { SiteStorage } from '../platform/sites/site-storage.ts';
import type { OpenStore } from './open-store.ts';

/** Opens what tells a CDN to forget pages, as the configuration says at each moment. */
export function openPurger(context: {
  readonly settings: Settings;
  readonly store: OpenStore;
  readonly siteStorage: SiteStorage;
  readonly docsApiUrl: string;
  readonly now: () => Date;
  readonly onWarning: (message: string) => void;
  readonly onError: (error: unknown) => void;
  readonly onAttempt: ((outcome: AttemptOutcome) => void) | undefined;
}): Purger {
  const { settings, store, docsApiUrl, now, onAttempt, ...rest } = context;
  const cdn = () => settings.current().cdn;
  return createPurger({
    ...{ ...rest, store, now, settings: cdn },
    sender: createPurgeSender({ settings: cdn, now }),
    urlsOf: (project) => listSiteUrls(project, { docsApiUrl, docs: settings.current().docs }),
    hasOtherNodes: store.nodes !== undefined,
    ...(onAttempt && { onAttempt }),
  });
}
