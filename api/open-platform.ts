import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import {
  type BuildQueue,
  type BuildSettings,
  createBuildLogs,
  createBuildProcesses,
  createBuildQueue,
  isRefExcluded,
  runBuild,
  siteFolder,
} from '../builder/index.ts';
import type { Config } from '../data/config/config-schema.ts';
import type { LoadedConfig } from '../data/config/read-config.ts';
import type { Settings } from '../data/config/settings.ts';
import { openLowdbStore } from '../data/lowdb/open-lowdb-store.ts';
import type { Build } from '../data/records/build.ts';
import { startBuildIdsBehind } from '../data/records/build-id.ts';
import { DEFAULT_LIMITS, type LimitValues, readLimits } from '../data/records/build-limits.ts';
import { repositoryKey } from '../data/records/repository-key.ts';
import { findAppSettings } from './docbuild/github-app/app-settings.ts';
import { createGithubApp } from './docbuild/github-app/create-github-app.ts';
import { createSiteIndexes } from './docbuild/site-indexes.ts';
import { createWebhookContext } from './docbuild/webhooks/create-webhook-context.ts';
import type { Platform } from './platform.ts';
import { keepCompressed } from './sites/keep-compressed.ts';
import { openUtility } from './utility/open-utility.ts';

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
  const store = await openLowdbStore({ folder: join(baseDir, 'store'), onWarning: context.onWarning });
  const newest = [(await store.builds.listOpen()).at(-1), (await store.builds.listEnded({ limit: 1 }))[0]];
  for (const build of newest) if (build) startBuildIdsBehind(build.id);
  const logs = createBuildLogs(join(baseDir, 'logs'));
  const processes = createBuildProcesses();
  const sitesFolder = join(baseDir, 'sites');
  const { api, github_app } = settings.current();
  const docsApiUrl = api.docs_api_url || context.origin;
  const { now = () => new Date() } = context;
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
      : createGithubApp({ settings: appSettings, store, repositoryKey, docsApiUrl, now, onProblem: context.onWarning });
  const sites = createSiteIndexes((project) => siteFolder(sitesFolder, project));
  const compression = keepCompressed(context.onError);
  const queue = createBuildQueue({
    store,
    logs,
    now,
    concurrency: () => settings.current().builds.concurrency ?? Math.max(1, availableParallelism() - 1),
    onError: context.onError,
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
      if (outcome.status === 'passing') await sites.read(build.project).catch(context.onError);
      return outcome;
    },
  });
  const utility = openUtility({ ...context, settings, store, file, now });
  const platform: Platform = {
    settings,
    store,
    queue,
    logs,
    sites,
    compression,
    sitesFolder,
    baseUrl: api.base_url || context.origin,
    docsApiUrl,
    siteUrl({ name, domain }) {
      const { protocol } = new URL(docsApiUrl);
      const { docs } = settings.current();
      const host = domain !== '' ? domain : docs.domain !== '' ? `${name}.${docs.domain}` : '';
      return host === '' ? `${docsApiUrl}/docs/${name}/` : `${protocol}//${host}/`;
    },
    webhooks: createWebhookContext({ store, queue, isExcluded: isRefExcluded, now }),
    githubApp,
    ...utility,
    now,
  };
  return {
    platform,
    queue,
    async close() {
      await utility.dailyImages.close();
      await queue.stop();
      if (!('missing' in githubApp)) await githubApp.settle();
      await compression.close();
      await processes.close();
      await store.close();
    },
  };
}
