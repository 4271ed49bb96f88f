import { dirname, join, resolve } from 'node:path';
import { DataError } from '../data/data-error.ts';
import type { Nodes } from '../data/nodes.ts';
import type { Build } from '../data/records/build.ts';
import type { Project } from '../data/records/project.ts';
import { createLocalMemory } from '../data/short-term-memory.ts';
import { nameNode } from '../lib/node-name.ts';
import { readPackageVersion } from '../lib/package-file.ts';
import { holdSessions } from '../platform/accounts/held-sessions.ts';
import { createLocalAttempts } from '../platform/accounts/login-backoff.ts';
import { createPasswords, type Passwords } from '../platform/accounts/passwords.ts';
import type { Accounts } from '../platform/accounts/users.ts';
import { createAudit } from '../platform/audit/audit.ts';
import { createBlocks } from '../platform/blocks/blocks.ts';
import { isRefExcluded } from '../platform/builds/excluded-refs.ts';
import { createPolls, createRefLister } from '../platform/builds/polls.ts';
import type { BuildQueue } from '../platform/builds/queue/build-queue.ts';
import { createSchedules } from '../platform/builds/schedules.ts';
import { createCodeHosts } from '../platform/code-hosts/code-hosts.ts';
import { readPrices } from '../platform/config/billing-schema.ts';
import { readBuildLimits } from '../platform/config/config-schema.ts';
import type { LoadedConfig } from '../platform/config/read-config.ts';
import type { ReplaceableSettings } from '../platform/config/settings.ts';
import { createCrontabReader } from '../platform/cron/read-crontab-line.ts';
import { createDiagnosis } from '../platform/diagnosis/diagnosis.ts';
import { createProxyWatch } from '../platform/diagnosis/proxy-watch.ts';
import { createDuties } from '../platform/duties/duties.ts';
import { ServiceError } from '../platform/failures/service-error.ts';
import { createGithubApp, findAppSettings } from '../platform/github-app/github-app.ts';
import { openDailyImages } from '../platform/images/daily-images.ts';
import { createIpRegions } from '../platform/ip/ip-regions.ts';
import { usualPlace } from '../platform/ip/update-regions.ts';
import { createLimits } from '../platform/limits/limits.ts';
import { createNodeReport, type NodeReport } from '../platform/nodes/node-report.ts';
import { type AttemptOutcome, createNotifier, type Notifier } from '../platform/notifications/notifier.ts';
import { createNotificationSender } from '../platform/notifications/send-notification.ts';
import { createOperations } from '../platform/operations/operations.ts';
import type { FailingPart, Platform } from '../platform/platform.ts';
import { findSiteUrl } from '../platform/projects/project-hosts.ts';
import { createWebhookContext, type WebhookContext } from '../platform/pushes/handle-webhook.ts';
import { replayDelivery } from '../platform/pushes/replay-delivery.ts';
import { createSecretGuesses } from '../platform/pushes/secret-guesses.ts';
import { createQuotas } from '../platform/quotas/quotas.ts';
import { createRedirectCounter } from '../platform/short-urls/redirect-counter.ts';
import { createSiteIndexes } from '../platform/sites/site-indexes.ts';
import { createWriteCheck } from '../platform/write-check.ts';
import { listDuties } from './list-duties.ts';
import { openBuilds, type Role } from './open-builds.ts';
import { type Outboxes, openOutboxes } from './open-outboxes.ts';
import { openSites } from './open-sites.ts';
import { openStore } from './open-store.ts';

/** A platform that this process has to itself, or with other nodes. */
export interface OpenPlatform {
  readonly platform: Platform;
  readonly queue: BuildQueue;
  readonly nodeReport: NodeReport;
  /** Where several processes use the store. */
  readonly nodes: Nodes | undefined;
  readonly notifier: Notifier;
  readonly outboxes: Pick<Outboxes, 'retryNow'>;
  /** Work that one process does for all, whenever it falls to this one. */
  readonly duties: { start(): void; stop(): Promise<void> };
  /** Ends builds and releases everything. */
  close(): Promise<void>;
}

export interface PlatformContext {
  /** Origin of the service where the configuration sets none. */
  readonly origin: string;
  /** Default: all. */
  readonly role?: Role;
  /** The clock; default: that of the machine. */
  readonly now?: () => Date;
  /** How passwords are hashed; default: at the full cost. */
  readonly passwords?: Passwords;
  readonly onWarning: (message: string) => void;
  readonly onError: (error: unknown) => void;
  /** Receives every change of a build. */
  readonly onBuild?: (build: Build) => void;
  /** Called when a part fails of which no request says so. */
  readonly onFailed?: (part: FailingPart) => void;
  /** Called after each attempt to notify somebody of a version. */
  readonly onNotified?: (outcome: AttemptOutcome) => void;
  /** Called after each attempt to tell the CDN what to forget. */
  readonly onPurged?: (outcome: AttemptOutcome) => void;
  /** Called after each attempt to tell of an event. */
  readonly onEvent?: (outcome: AttemptOutcome) => void;
  /** Called when an address is blocked because it kept calling. */
  readonly onBlocked?: () => void;
}

/**
 * Opens what is stored below `base_dir` and the services that work on it; builds begin when the queue is started. Throws
 * DataError `busy` when another process owns it.
 */
export async function openPlatform(
  { baseDir, file }: LoadedConfig,
  settings: ReplaceableSettings,
  context: PlatformContext,
): Promise<OpenPlatform> {
  const { now = () => new Date(), passwords = createPasswords(), onWarning, onError } = context;
  const { onFailed = () => {}, onBlocked = () => {}, role = 'all' } = context;
  const { api, utility, timezone } = settings.current();
  const docsApiUrl = api.docs_api_url || context.origin;
  /** Paths in the configuration are relative to its file. */
  const resolvePath = (path: string): string => resolve(dirname(file ?? '.'), path);

  const siteUrl = (project: Pick<Project, 'name' | 'domain'>): string =>
    findSiteUrl(project, { docsApiUrl, docs: settings.current().docs });

  const codeHosts = createCodeHosts({ own: settings.current().code_hosts });
  const store = await openStore({
    url: settings.current().store,
    folder: join(baseDir, 'store'),
    onWarning,
    onWriteFailed: () => onFailed('store'),
  });
  if (role !== 'all' && !store.nodes) {
    await store.close();
    throw new DataError('invalid', `Role "${role}" is for several processes on one database; set "store" to its URL`);
  }
  const rateLimits = createLimits({
    settings,
    // Nodes have a configuration each.
    file: store.nodes ? undefined : file,
    store: store.limits,
    hasOtherNodes: store.nodes !== undefined,
    now,
    onWarning,
    onError,
  });
  await rateLimits.follow();
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
  const outboxes = openOutboxes({ ...context, settings, store, siteStorage, docsApiUrl, now, onWarning, onError });
  const builds = openBuilds(baseDir, {
    ...context,
    role,
    settings,
    store,
    sites,
    siteStorage,
    outboxes,
    githubApp,
    codeHosts,
    resolvePath,
    now,
    onEnded(build) {
      notifier.observe(build);
      outboxes.settle(build).catch(onError);
    },
  });
  const { queue, logs } = builds;
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

  const accounts: Accounts = {
    store: { users: store.users, keys: store.keys, sessions: holdSessions(store, onError) },
    passwords,
    now,
    get tokenDays() {
      return settings.current().auth.token_days;
    },
  };
  const audit = createAudit({ store, now, onError });
  const quotas = createQuotas({
    store: store.quotas,
    timezone,
    now,
    prices: () => readPrices(settings.current().billing),
  });
  const blocks = createBlocks({
    store: store.blocks,
    now,
    limits: () => settings.current().limits,
    neverBlocked: () => settings.current().api.never_blocked,
    onBlocked,
  });
  const nowMs = (): number => now().getTime();
  const attempts = store.nodes?.attempts ?? createLocalAttempts(nowMs);
  const redirects = createRedirectCounter({ store: store.redirects, onError });
  const schedules = createSchedules({
    store,
    queue,
    now,
    onWarning,
    read: createCrontabReader(timezone),
    leastMinutes: () => settings.current().builds.schedule_minutes,
  });
  const listRefs = createRefLister(join(baseDir, 'cache'));
  const polls = createPolls({
    store,
    queue,
    now,
    isExcluded: isRefExcluded,
    listRefs,
    intervalMs: () => settings.current().builds.poll_minutes * 60_000 || Number.POSITIVE_INFINITY,
  });
  const guesses = createSecretGuesses(now);
  const webhooks = createWebhookContext({ store, queue, guesses, isExcluded: isRefExcluded, now });
  const checkWrites = createWriteCheck(
    [store.nodes ? baseDir : join(baseDir, 'store'), siteStorage.folder, join(baseDir, 'logs')],
    store,
  );
  const nodeReport = createNodeReport({
    nodes: store.nodes,
    builds: store.builds,
    about: { name: nameNode(), role, version: readPackageVersion() },
    configured: settings.configured,
    checkWrites,
    now,
    onWarning,
  });
  const proxyWatch = createProxyWatch();
  const diagnosis = createDiagnosis({
    settings,
    store,
    siteStorage,
    baseDir,
    checkWrites,
    listRefs,
    proxyWatch,
    readClock: store.nodes?.readClock,
    now,
  });
  const operationsFor = createOperations({
    settings,
    nodes: nodeReport,
    store,
    queue,
    schedules,
    polls,
    rateLimits,
    diagnosis,
    logs,
    accounts,
    quotas,
    blocks,
    redirects,
    audit,
    sites,
    siteStorage,
    codeHosts,
    notifier,
    outboxes,
    now,
    processes: builds.processes,
    limits: () => readBuildLimits(settings.current().builds),
    hooks: 'missing' in githubApp ? undefined : githubApp.hooks,
    replayDelivery: (delivery) => replay(delivery, webhooks),
  });
  const dailyImages = openDailyImages({
    config: settings.current(),
    store: store.images,
    onWarning,
    now,
    onFailed: () => onFailed('image'),
  });
  const duties = createDuties({ isOnDuty: store.nodes?.isOnDuty, onError });
  const ipRegions = createIpRegions({
    db4: utility.ip.db4 && resolvePath(utility.ip.db4),
    db6: utility.ip.db6 && resolvePath(utility.ip.db6),
    fetched: { 4: usualPlace(baseDir, 4), 6: usualPlace(baseDir, 6) },
    lang: utility.ip.lang,
    onWarning,
    nowMs: () => performance.now(),
  });

  const platform: Platform = {
    settings,
    store,
    publishing: { queue, logs, sites, siteStorage, webhooks, guesses, githubApp, codeHosts, docsApiUrl, siteUrl },
    people: { accounts, attempts, audit, quotas, blocks, rateLimits },
    utilities: { dailyImages, ipRegions, redirects, baseUrl: api.base_url || context.origin },
    operationsFor,
    memory: store.nodes?.memory ?? createLocalMemory(nowMs),
    checkWrites,
    proxyWatch,
    now,
  };
  return {
    platform,
    queue,
    nodeReport,
    nodes: store.nodes,
    notifier,
    outboxes,
    duties: {
      start() {
        store.nodes?.joinDuty();
        duties.start(listDuties(platform, { nodes: store.nodes, schedules, polls, outboxes: outboxes.all, onWarning }));
      },
      stop: duties.stop,
    },
    async close() {
      await duties.stop();
      nodeReport.stop();
      await rateLimits.stop();
      await dailyImages.close();
      await queue.stop();
      await notifier.stop();
      await outboxes.close();
      if (!('missing' in githubApp)) await githubApp.close();
      await siteStorage.close();
      await builds.close();
      await redirects.close();
      await store.close();
    },
  };
}

async function replay(delivery: Parameters<typeof replayDelivery>[0], webhooks: WebhookContext) {
  try {
    return (await replayDelivery(delivery, webhooks)).body;
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause;
    throw new DataError(cause.status === 404 ? 'not-found' : 'invalid', cause.wording, { cause });
  }
}
