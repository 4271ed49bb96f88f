import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import {
  type BuildQueue,
  createBuildLogs,
  createBuildProcesses,
  createBuildQueue,
  isRefExcluded,
  runBuild,
  siteFolder,
} from '../builder/index.ts';
import type { LoadedConfig } from '../data/config/read-config.ts';
import { openLowdbStore } from '../data/lowdb/open-lowdb-store.ts';
import type { Build } from '../data/records/build.ts';
import { repositoryKey } from '../data/records/repository-key.ts';
import { findAppSettings } from './docbuild/github-app/app-settings.ts';
import { createGithubApp } from './docbuild/github-app/create-github-app.ts';
import { createSiteIndexes } from './docbuild/site-indexes.ts';
import { createWebhookContext } from './docbuild/webhooks/create-webhook-context.ts';
import type { Platform } from './platform.ts';
import { keepCompressed } from './sites/keep-compressed.ts';

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
  { config, baseDir }: LoadedConfig,
  context: {
    /** Origin that the service is reached at where the configuration sets none. */
    readonly origin: string;
    readonly onWarning: (message: string) => void;
    readonly onError: (error: unknown) => void;
    readonly onBuild?: (build: Build) => void;
  },
): Promise<OpenPlatform> {
  const store = await openLowdbStore({ folder: join(baseDir, 'store'), onWarning: context.onWarning });
  const logs = createBuildLogs(join(baseDir, 'logs'));
  const processes = createBuildProcesses();
  const sitesFolder = join(baseDir, 'sites');
  const { builds, api, docs } = config;
  const docsApiUrl = api.docs_api_url || context.origin;
  const now = (): Date => new Date();
  const settings = {
    sitesFolder,
    cacheFolder: join(baseDir, 'cache'),
    timeoutMs: builds.timeout_s * 1000,
    limits: {
      maxFetchBytes: builds.max_fetch_mb * 1e6,
      maxFiles: builds.max_files,
      maxOutputBytes: builds.max_output_mb * 1e6,
    },
    buttonOf: (project: string) => ({
      script: api.server_static_url || `${api.docs_api_url}/docbuild/assets/docbuild.js`,
      api: `${api.docs_api_url}/docbuild/desc/${project}`,
    }),
    now,
  };
  const appSettings = findAppSettings(config.github_app);
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
    concurrency: builds.concurrency ?? Math.max(1, availableParallelism() - 1),
    onError: context.onError,
    onChange(build) {
      context.onBuild?.(build);
      if (!('missing' in githubApp)) githubApp.reportStatus(build);
      if (build.status !== 'passing') return;
      sites.read(build.project).catch(context.onError);
      compression.refresh(siteFolder(sitesFolder, build.project));
    },
    async run(build, { signal, log }) {
      const project = await store.projects.find(build.project);
      if (!project) return { status: 'cancelled', reason: 'The project does not exist any more' };
      return runBuild({ build, project }, { settings, processes, signal, log });
    },
  });
  const platform: Platform = {
    config,
    store,
    queue,
    logs,
    sites,
    sitesFolder,
    docsApiUrl,
    siteUrl({ name, domain }) {
      const { protocol } = new URL(docsApiUrl);
      const host = domain !== '' ? domain : docs.domain !== '' ? `${name}.${docs.domain}` : '';
      return host === '' ? `${docsApiUrl}/docs/${name}/` : `${protocol}//${host}/`;
    },
    webhooks: createWebhookContext({ store, queue, isExcluded: isRefExcluded, now }),
    githubApp,
    now,
  };
  return {
    platform,
    queue,
    async close() {
      await queue.stop();
      if (!('missing' in githubApp)) await githubApp.settle();
      await compression.close();
      await processes.close();
      await store.close();
    },
  };
}
