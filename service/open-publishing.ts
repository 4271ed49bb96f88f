import type { Build } from '../data/records/build.ts';
import type { Project } from '../data/records/project.ts';
import type { BuildProcesses } from '../platform/builds/build-processes.ts';
import { isRefExcluded } from '../platform/builds/excluded-refs.ts';
import { createCodeHosts } from '../platform/code-hosts/code-hosts.ts';
import type { LoadedConfig } from '../platform/config/read-config.ts';
import type { ReplaceableSettings } from '../platform/config/settings.ts';
import { createGithubApp, findAppSettings } from '../platform/github-app/github-app.ts';
import { type AttemptOutcome, createNotifier, type Notifier } from '../platform/notifications/notifier.ts';
import { createNotificationSender } from '../platform/notifications/send-notification.ts';
import type { Publishing } from '../platform/platform.ts';
import { findSiteUrl } from '../platform/projects/project-hosts.ts';
import { createWebhookContext } from '../platform/pushes/handle-webhook.ts';
import { createSecretGuesses } from '../platform/pushes/secret-guesses.ts';
import { createSiteIndexes } from '../platform/sites/site-indexes.ts';
import { openBuilds, type Role } from './open-builds.ts';
import { type Outboxes, openOutboxes } from './open-outboxes.ts';
import { openSites } from './open-sites.ts';
import type { OpenStore } from './open-store.ts';

/** What is called while builds run and others are told of them. */
export interface PublishingCalls {
  readonly onWarning: (message: string) => void;
  readonly onError: (error: unknown) => void;
  /** Receives every change of a build. */
  readonly onBuild?: (build: Build) => void;
  /** Called after each attempt to notify somebody of a version. */
  readonly onNotified?: (outcome: AttemptOutcome) => void;
  /** Called after each attempt to tell the CDN what to forget. */
  readonly onPurged?: (outcome: AttemptOutcome) => void;
  /** Called after each attempt to tell of an event. */
  readonly onEvent?: (outcome: AttemptOutcome) => void;
}

/** All that leads from a push to a published site, and tells of it. */
export interface OpenPublishing {
  readonly publishing: Publishing;
  readonly notifier: Notifier;
  readonly outboxes: Outboxes;
  /** Commands of builds that run. */
  readonly processes: BuildProcesses;
  /** Ends builds and what tells of them. */
  close(): Promise<void>;
}

/** Opens the sites, the queue and those who are told; ends commands of builds that processes which are gone have left running. */
export async function openPublishing(
  context: PublishingCalls & {
    readonly settings: ReplaceableSettings;
    readonly store: OpenStore;
    readonly baseDir: LoadedConfig['baseDir'];
    /** Returns where a path of the configuration leads. */
    readonly resolvePath: (path: string) => string;
    readonly docsApiUrl: string;
    readonly role: Role;
    readonly now: () => Date;
  },
): Promise<OpenPublishing> {
  const { settings, store, baseDir, resolvePath, docsApiUrl, now, onWarning, onError } = context;
  const siteUrl = (project: Pick<Project, 'name' | 'domain'>): string =>
    findSiteUrl(project, { docsApiUrl, docs: settings.current().docs });

  const codeHosts = createCodeHosts({ own: settings.current().code_hosts });
  const appSettings = findAppSettings(settings.current().github_app);
  const githubApp =
    'missing' in appSettings
      ? appSettings
      : createGithubApp({ settings: appSettings, store, docsApiUrl, now, onProblem: onWarning });
  const siteStorage = await openSites({
    place: settings.current().sites,
    baseDir,
    resolvePath,
    store,
    now,
    onWarning,
    onError,
    onChanged: (project) => void sites.read(project).catch(onError),
  });
  const sites = createSiteIndexes(siteStorage);
  const outboxes = openOutboxes({ ...context, siteStorage });
  const builds = openBuilds(baseDir, {
    ...context,
    sites,
    siteStorage,
    outboxes,
    githubApp,
    codeHosts,
    onEnded(build) {
      notifier.observe(build);
      outboxes.settle(build).catch(onError);
    },
  });
  const { queue, logs, processes } = builds;
  const notifier = createNotifier({
    store,
    logs,
    now,
    onWarning,
    onError,
    sender: createNotificationSender({
      docsApiUrl,
      now,
      siteUrl,
      allowed: () => settings.current().notifications.allowed,
    }),
    ...(context.onNotified && { onAttempt: context.onNotified }),
    ...(store.nodes && { isOnDuty: store.nodes.isOnDuty }),
  });
  await builds.endLeft();

  const guesses = createSecretGuesses(now);
  const webhooks = createWebhookContext({ store, queue, guesses, isExcluded: isRefExcluded, now });
  return {
    publishing: { queue, logs, sites, siteStorage, webhooks, guesses, githubApp, codeHosts, docsApiUrl, siteUrl },
    notifier,
    outboxes,
    processes,
    async close() {
      await queue.stop();
      await notifier.stop();
      await outboxes.close();
      if (!('missing' in githubApp)) await githubApp.close();
      await siteStorage.close();
      await builds.close();
    },
  };
}
