import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import {
  type BuildQueue,
  type BuildSettings,
  createBuildLogs,
  createBuildProcesses,
  createBuildQueue,
  DEFAULT_LIMITS,
  isRefExcluded,
  type LimitValues,
  readLimits,
  runBuild,
  siteFolder,
} from '../builder/index.ts';
import { DataError } from '../data/data-error.ts';
import { openLowdbStore } from '../data/lowdb/open-lowdb-store.ts';
import type { Build } from '../data/records/build.ts';
import { startBuildIdsBehind } from '../data/records/build-id.ts';
import { repositoryKey } from '../data/records/repository-key.ts';
import { createPasswords } from '../platform/accounts/passwords.ts';
import type { Accounts } from '../platform/accounts/users.ts';
import { createBlocks } from '../platform/blocks/blocks.ts';
import type { Config } from '../platform/config/config-schema.ts';
import type { LoadedConfig } from '../platform/config/read-config.ts';
import type { Settings } from '../platform/config/settings.ts';
import { createOperations } from '../platform/operations/operations.ts';
import { createQuotas } from '../platform/quotas/quotas.ts';
import { createLogin, createRegistration } from './accounts/login.ts';
import { findAppSettings } from './docbuild/github-app/app-settings.ts';
import { createGithubApp } from './docbuild/github-app/create-github-app.ts';
import { createSiteIndexes } from './docbuild/site-indexes.ts';
import { createWebhookContext } from './docbuild/webhooks/create-webhook-context.ts';
import { replayDelivery } from './docbuild/webhooks/replay-delivery.ts';
import { createCallers } from './http/callers.ts';
import { ApiError } from './http/errors.ts';
import { openDailyImages } from './image/daily-images.ts';
import { createIpRegions } from './ip/ip-regions.ts';
import type { Platform } from './platform.ts';
import { createPrecompressor } from './sites/precompressor.ts';

/** A platform whose store this process owns. */
export interface OpenPlatform {
  readonly platform: Platform;
  readonly queue: BuildQueue;
  /** Ends builds and gives everything back. */
  close(): Promise<void>;
}

/**
 * Opens what is kept below `base_dir` and what works on it; builds begin when the queue is started. Throws DataError
 * `busy` when another process owns it.
 */
export async function openPlatform(
  { baseDir, file }: LoadedConfig,
  settings: Settings,
  context: {
    /** Origin that the service is reached at where the configuration sets none. */
    readonly origin: string;
    /** The clock; the machine's without it. */
    readonly now?: () => Date;
    readonly onWarning: (message: string) => void;
    readonly onError: (error: unknown) => void;
    readonly onBuild?: (build: Build) => void;
  },
): Promise<OpenPlatform> {
  const { now = () => new Date(), onWarning, onError } = context;
  const store = await openLowdbStore({ folder: join(baseDir, 'store'), onWarning });
  const newest = [(await store.builds.listOpen()).at(-1), (await store.builds.listEnded({ limit: 1 }))[0]];
  for (const build of newest) if (build) startBuildIdsBehind(build.id);
  const logs = createBuildLogs(join(baseDir, 'logs'));
  const processes = createBuildProcesses();
  const sitesFolder = join(baseDir, 'sites');
  const { api, github_app } = settings.current();
  const docsApiUrl = api.docs_api_url || context.origin;
  const createBuildSettings = ({ builds }: Config): BuildSettings => ({
    sitesFolder,
    cacheFolder: join(baseDir, 'cache'),
    limits: { ...DEFAULT_LIMITS, ...readLimits(({ key }) => builds[key as keyof LimitValues]) },
    buttonOf: (project: string) => ({
      script: api.server_static_url || `${api.docs_api_url}/docbuild/assets/docbuild.js`,
      api: `${api.docs_api_url}/docbuild/desc/${project}`,
    }),
    now,
  });
  const appSettings = findAppSettings(github_app);
  const githubApp =
    'missing' in appSettings
      ? appSettings
      : createGithubApp({ settings: appSettings, store, repositoryKey, docsApiUrl, now, onProblem: onWarning });
  const sites = createSiteIndexes((project) => siteFolder(sitesFolder, project));
  const compression = createPrecompressor(onError);
  const queue = createBuildQueue({
    store,
    logs,
    now,
    concurrency: () => settings.current().builds.concurrency ?? Math.max(1, availableParallelism() - 1),
    onError,
    onChange(build) {
      context.onBuild?.(build);
      if (!('missing' in githubApp)) githubApp.reportStatus(build);
      if (build.status !== 'passing') return;
      compression.refresh(siteFolder(sitesFolder, build.project));
    },
    async run(build, { signal, log }) {
      const project = await store.projects.find(build.project);
      if (!project) return { status: 'cancelled', reason: 'The project does not exist any more' };
      const buildSettings = createBuildSettings(settings.current());
      const outcome = await runBuild({ build, project }, { settings: buildSettings, processes, signal, log });
      // Who hears that the build has passed finds what it published described.
      if (outcome.status === 'passing') await sites.read(build.project).catch(onError);
      return outcome;
    },
  });
  const accounts: Accounts = {
    store,
    passwords: createPasswords(),
    now,
    get tokenDays() {
      return settings.current().auth.token_days;
    },
  };
  const callers = createCallers(settings, accounts);
  const { utility, timezone } = settings.current();
  const dailyImages = openDailyImages({ config: settings.current(), store: store.images, onWarning, now });
  // Paths in the configuration are relative to its file.
  const findFile = (path: string): string => (path === '' ? '' : resolve(dirname(file ?? '.'), path));
  const webhooks = createWebhookContext({ store, queue, isExcluded: isRefExcluded, now });
  const quotas = createQuotas({ store: store.quotas, timezone, now, onError });
  const blocks = createBlocks({ store: store.blocks, now });
  const operations = createOperations({
    ...{ store, queue, logs, accounts, quotas, blocks, sites, sitesFolder, compression, now },
    hooks: 'missing' in githubApp ? undefined : githubApp.hooks,
    async replayDelivery(delivery) {
      try {
        return (await replayDelivery(delivery, webhooks)).body;
      } catch (cause) {
        if (!(cause instanceof ApiError)) throw cause;
        throw new DataError(cause.status === 404 ? 'not-found' : 'invalid', cause.message, { cause });
      }
    },
  });
  const platform: Platform = {
    settings,
    store,
    queue,
    logs,
    sites,
    sitesFolder,
    baseUrl: api.base_url || context.origin,
    docsApiUrl,
    siteUrl({ name, domain }) {
      const { protocol } = new URL(docsApiUrl);
      const { docs } = settings.current();
      const host = domain !== '' ? domain : docs.domain !== '' ? `${name}.${docs.domain}` : '';
      return host === '' ? `${docsApiUrl}/docs/${name}/` : `${protocol}//${host}/`;
    },
    webhooks,
    operations,
    githubApp,
    accounts,
    callers,
    login: createLogin(accounts, callers.sourceOf),
    registration: createRegistration(settings, accounts, callers.sourceOf),
    quotas,
    blocks,
    dailyImages,
    ipRegions: createIpRegions({
      ...{ db4: findFile(utility.ip.db4), db6: findFile(utility.ip.db6), lang: utility.ip.lang, onWarning },
      nowMs: () => performance.now(),
    }),
    now,
  };
  return {
    platform,
    queue,
    async close() {
      await dailyImages.close();
      await queue.stop();
      if (!('missing' in githubApp)) await githubApp.settle();
      await compression.close();
      await processes.close();
      await store.close();
    },
  };
}
