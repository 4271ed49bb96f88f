import { dirname, join, resolve } from 'node:path';
import { DataError } from '../data/data-error.ts';
import type { Nodes } from '../data/nodes.ts';
import { createLocalMemory } from '../data/short-term-memory.ts';
import { nameNode } from '../lib/node-name.ts';
import { readPackageVersion } from '../lib/package-file.ts';
import type { Passwords } from '../platform/accounts/passwords.ts';
import { isRefExcluded } from '../platform/builds/excluded-refs.ts';
import { createPolls, createRefLister } from '../platform/builds/polls.ts';
import type { BuildQueue } from '../platform/builds/queue/build-queue.ts';
import { createSchedules } from '../platform/builds/schedules.ts';
import { readBuildLimits } from '../platform/config/config-schema.ts';
import type { LoadedConfig } from '../platform/config/read-config.ts';
import type { ReplaceableSettings } from '../platform/config/settings.ts';
import { createCrontabReader } from '../platform/cron/read-crontab-line.ts';
import { createDiagnosis } from '../platform/diagnosis/diagnosis.ts';
import { createProxyWatch } from '../platform/diagnosis/proxy-watch.ts';
import { createDuties } from '../platform/duties/duties.ts';
import { ServiceError } from '../platform/failures/service-error.ts';
import { createNodeReport, type NodeReport } from '../platform/nodes/node-report.ts';
import type { Notifier } from '../platform/notifications/notifier.ts';
import { createOperations } from '../platform/operations/operations.ts';
import type { FailingPart, Platform } from '../platform/platform.ts';
import type { WebhookContext } from '../platform/pushes/handle-webhook.ts';
import { replayDelivery } from '../platform/pushes/replay-delivery.ts';
import { createWriteCheck } from '../platform/write-check.ts';
import { listDuties } from './list-duties.ts';
import type { Role } from './open-builds.ts';
import type { Outboxes } from './open-outboxes.ts';
import { openPeople } from './open-people.ts';
import { openPublishing, type PublishingCalls } from './open-publishing.ts';
import { openStore } from './open-store.ts';
import { openUtilities } from './open-utilities.ts';

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

export interface PlatformContext extends PublishingCalls {
  /** Origin of the service where the configuration sets none. */
  readonly origin: string;
  /** Default: all. */
  readonly role?: Role;
  /** The clock; default: that of the machine. */
  readonly now?: () => Date;
  /** How passwords are hashed; default: at the full cost. */
  readonly passwords?: Passwords;
  /** Called when a part fails of which no request says so. */
  readonly onFailed?: (part: FailingPart) => void;
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
  const { now = () => new Date(), passwords, onWarning, onError } = context;
  const { onFailed = () => {}, onBlocked = () => {}, role = 'all' } = context;
  const { api, timezone } = settings.current();
  const docsApiUrl = api.docs_api_url || context.origin;
  /** Paths in the configuration are relative to its file. */
  const resolvePath = (path: string): string => resolve(dirname(file ?? '.'), path);

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
  const people = await openPeople({ settings, file, store, passwords, now, onBlocked, onWarning, onError });
  const opened = await openPublishing({
    ...context,
    settings,
    store,
    baseDir,
    resolvePath,
    docsApiUrl,
    role,
    now,
  });
  const { publishing, notifier, outboxes } = opened;
  const { queue, sites, siteStorage, webhooks, githubApp } = publishing;
  const utilities = openUtilities({
    settings,
    store,
    baseDir,
    resolvePath,
    origin: context.origin,
    now,
    onImageFailed: () => onFailed('image'),
    onWarning,
    onError,
  });

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
    rateLimits: people.rateLimits,
    diagnosis,
    logs: publishing.logs,
    accounts: people.accounts,
    quotas: people.quotas,
    blocks: people.blocks,
    redirects: utilities.redirects,
    audit: people.audit,
    sites,
    siteStorage,
    codeHosts: publishing.codeHosts,
    notifier,
    outboxes,
    now,
    processes: opened.processes,
    limits: () => readBuildLimits(settings.current().builds),
    hooks: 'missing' in githubApp ? undefined : githubApp.hooks,
    replayDelivery: (delivery) => replay(delivery, webhooks),
  });
  const duties = createDuties({ isOnDuty: store.nodes?.isOnDuty, onError });

  const platform: Platform = {
    settings,
    store,
    publishing,
    people,
    utilities,
    operationsFor,
    memory: store.nodes?.memory ?? createLocalMemory(() => now().getTime()),
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
      await people.rateLimits.stop();
      await utilities.dailyImages.close();
      await opened.close();
      await utilities.redirects.close();
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
