import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Build, hasEnded } from '../data/records/build.ts';
import { hasCode } from '../lib/system-error.ts';
import { type BuildLogs, createBuildLogs } from '../platform/builds/build-logs.ts';
import { type BuildProcesses, createBuildProcesses } from '../platform/builds/build-processes.ts';
import { createHookRecords } from '../platform/builds/hook-records.ts';
import { createLogFiles, createSharedLogs } from '../platform/builds/log-storages.ts';
import type { BuildQueue } from '../platform/builds/queue/build-queue.ts';
import type { BuildWork } from '../platform/builds/queue/build-runner.ts';
import { createBuildQueue } from '../platform/builds/queue/create-queue.ts';
import { type BuildSettings, runBuild } from '../platform/builds/run-build.ts';
import type { CodeHosts } from '../platform/code-hosts/code-hosts.ts';
import { readBuildLimits } from '../platform/config/config-schema.ts';
import type { Settings } from '../platform/config/settings.ts';
import type { GithubApp } from '../platform/github-app/github-app.ts';
import { findSiteUrl } from '../platform/projects/project-hosts.ts';
import type { SiteIndexes } from '../platform/sites/site-indexes.ts';
import type { SiteStorage } from '../platform/sites/site-storage.ts';
import type { Outboxes } from './open-outboxes.ts';
import type { OpenStore } from './open-store.ts';

/** The share that a process has in a service of several processes. */
export type Role = 'all' | 'web' | 'build';

/** The build queue with its helpers. */
export interface Builds {
  readonly queue: BuildQueue;
  readonly logs: BuildLogs;
  readonly processes: BuildProcesses;
  /** Ends commands of builds that processes which are gone have left running. */
  endLeft(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the queue with what runs its builds; each build keeps the settings that it began with. */
export function openBuilds(
  baseDir: string,
  context: {
    readonly role: Role;
    readonly settings: Settings;
    readonly store: OpenStore;
    readonly sites: SiteIndexes;
    readonly siteStorage: SiteStorage;
    readonly outboxes: Pick<Outboxes, 'observe'>;
    readonly githubApp: GithubApp | { readonly missing: string };
    readonly codeHosts: CodeHosts;
    readonly resolvePath: (path: string) => string;
    readonly now: () => Date;
    readonly onWarning: (message: string) => void;
    readonly onError: (error: unknown) => void;
    /** Receives every change of a build that this process makes. */
    readonly onBuild?: (build: Build) => void;
    /** Called when a build has passed or failed. */
    readonly onEnded: (build: Build) => void;
  },
): Builds {
  const { settings, store, sites, siteStorage, githubApp, codeHosts, now, onError } = context;
  const { nodes } = store;
  const isRunning = async (id: string): Promise<boolean> => (await store.builds.find(id))?.status === 'running';
  const logs = createBuildLogs(nodes ? createSharedLogs(nodes.logs, isRunning) : createLogFiles(join(baseDir, 'logs')));
  const processes = createBuildProcesses();
  const hookRecords = createHookRecords(join(baseDir, 'hooks'));
  const createBuildSettings = (): BuildSettings => {
    const { api, builds, docs } = settings.current();
    const docsApiUrl = api.docs_api_url;
    return {
      templatesFolder: builds.templates && context.resolvePath(builds.templates),
      extensionsFile: builds.extensions && context.resolvePath(builds.extensions),
      sitesFolder: siteStorage.folder,
      cacheFolder: join(baseDir, 'cache'),
      limits: readBuildLimits(builds),
      codeHosts: codeHosts.patterns,
      isShared: siteStorage.isShared,
      buttonOf: (project: string) => ({
        script: api.server_static_url || `${api.docs_api_url}/docbuild/assets/docbuild.js`,
        api: `${api.docs_api_url}/docbuild/desc/${project}`,
      }),
      // The address at which this process listens would be wrong behind a proxy.
      siteUrlOf: (project) => (docsApiUrl === '' ? undefined : findSiteUrl(project, { docsApiUrl, docs })),
      now,
    };
  };
  const places = () => {
    const { concurrency, quick, quick_s } = settings.current().builds;
    return { concurrency: concurrency ?? Math.max(1, availableParallelism() - 1), quick, quickMs: quick_s * 1_000 };
  };
  const onChange = (build: Build): void => {
    context.onBuild?.(build);
    // Of several nodes the one that builds reports: what another one says may arrive after the end.
    const isEarly = nodes !== undefined && build.status === 'queued';
    if (!('missing' in githubApp || isEarly)) githubApp.reportStatus(build);
    if (build.status === 'passing' || build.status === 'failing') context.onEnded(build);
  };
  const run: BuildWork = async (build, { project, isAsked, ...work }) => {
    const means = { settings: createBuildSettings(), sites: siteStorage, processes, hookRecords };
    const outcome = await runBuild({ build, project, isAsked }, { ...means, ...work });
    // However it has ended, it may have published something before.
    await insist(() => context.outboxes.observe(project, build), { signal: work.signal, onError });
    // Whoever learns that the build has passed finds its result described.
    if (outcome.status === 'passing') await sites.read(build.project).catch(onError);
    return outcome;
  };
  const queue = createBuildQueue({
    store,
    nodes,
    logs,
    places,
    run,
    onChange,
    onError,
    now,
    isBuilding: context.role !== 'web',
    onWarning: context.onWarning,
  });
  const endLeft = async (): Promise<void> => {
    // Other nodes of this machine may be at it.
    for (const build of await hookRecords.endLeft(nodes && isRunning)) {
      context.onWarning(`Ended the command of build "${build}", which an earlier process had left running`);
    }
  };
  nodes?.listen({
    // A site of another node is read when it is asked for.
    onBuild: ({ project, status }) => void (hasEnded(status) && sites.forget(project)),
    onGap: () => sites.forget(),
    onDead: endLeft,
  });
  return { queue, logs, processes, endLeft, close: () => processes.close() };
}

/** How long after the store has refused it is asked again. */
const RETRY_MS = 1_000;

/** Runs work again until it succeeds, since it must not be left out because the store is busy; a build that is to end does not wait for it. */
async function insist(
  work: () => Promise<void>,
  { signal, onError }: { readonly signal: AbortSignal; readonly onError: (error: unknown) => void },
): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await work();
    } catch (error) {
      if (!hasCode(error, 'unwritable', 'busy') || signal.aborted) throw error;
      if (isFirst) onError(error);
      await sleep(RETRY_MS);
    }
  }
}
