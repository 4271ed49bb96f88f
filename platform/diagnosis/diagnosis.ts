import { existsSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { countNoun } from '../../builder/index.ts';
import { DataError } from '../../data/data-error.ts';
import type { Store } from '../../data/store.ts';
import { createHttpClient, type HttpClient, HttpError } from '../../lib/http-client.ts';
import { hideCredentials } from '../../lib/repository-address.ts';
import { describeSystemError } from '../../lib/system-error.ts';
import type { ListRefs } from '../builds/polls.ts';
import type { Settings } from '../config/settings.ts';
import { findAppSettings } from '../github-app/github-app.ts';
import { getProject } from '../projects/get-project.ts';
import { checkAllProjects } from '../projects/project-hosts.ts';
import type { SiteStorage } from '../sites/site-storage.ts';
import type { WriteCheck } from '../write-check.ts';
import type { Finding } from './finding.ts';
import { judgeClock, judgeRequests, judgeSpace, judgeWay } from './judge.ts';
import { MARK_HEADER, type ProxyWatch } from './proxy-watch.ts';

/** Looks at what the service needs from around it. */
export interface Diagnosis {
  /** Looks at all but the repositories. */
  look(): Promise<readonly Finding[]>;
  /** Looks whether a project's repository answers. Throws DataError `not-found`. */
  lookAtRepository(project: string): Promise<Finding>;
}

interface DiagnosisContext {
  readonly settings: Settings;
  readonly store: Pick<Store, 'projects'>;
  readonly siteStorage: Pick<SiteStorage, 'folder' | 'isShared' | 'measure'>;
  /** `base_dir` as an absolute path. */
  readonly baseDir: string;
  readonly checkWrites: WriteCheck;
  readonly listRefs: ListRefs;
  readonly proxyWatch: ProxyWatch;
  /** Returns the time of the database that nodes share, ms since 1970; undefined where there is none. */
  readonly readClock: (() => Promise<number>) | undefined;
  readonly now: () => Date;
}

/** Somebody waits in front of a terminal. */
const TIMEOUT_MS = 10_000;
const REPOSITORY_MS = 20_000;
/** Bodies are not looked at. */
const MAX_BYTES = 1_000_000;
/** Hosts of repositories that are asked for the time. */
const MAX_TIME_HOSTS = 3;

/** Creates it. */
export function createDiagnosis(context: DiagnosisContext): Diagnosis {
  const { store, siteStorage, listRefs, checkWrites } = context;
  return {
    async look() {
      const client = createHttpClient({ timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
      try {
        const found = await Promise.all([
          lookAtConfiguration(context),
          lookAtStorage(checkWrites),
          lookAtDisks([context.baseDir, siteStorage.folder]),
          lookAtClock(context, client),
          lookAtProxies(context, client),
          lookAtUpstreams(context, client),
        ]);
        return found.flat();
      } finally {
        await client.close();
      }
    },
    async lookAtRepository(name) {
      const check = 'repositories';
      const { url, name: project } = await getProject(store, name);
      const shown = hideCredentials(url);
      try {
        const { refs } = await listRefs(url, AbortSignal.timeout(REPOSITORY_MS));
        return { check, status: 'ok', message: `${project}: ${shown} has ${countNoun(refs.length, 'ref')}` };
      } catch (error) {
        const message = `${project}: ${(error as Error).message}`;
        const advice = `check the URL, its credentials and the network from this machine; "docbuild project update ${project} -t url:…" changes it`;
        return { check, status: 'error', message, advice };
      }
    },
  };
}

/** Warnings of the server at its start, about the configuration and projects that do not fit it. */
async function lookAtConfiguration({ settings, store }: DiagnosisContext): Promise<readonly Finding[]> {
  const check = 'configuration';
  try {
    const warnings = await checkAllProjects(store, settings.current());
    return warnings.map((message) => ({ check, status: 'warning', message }));
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    return [{ check, status: 'error', message: error.message, advice: 'a server does not start like that' }];
  }
}

async function lookAtStorage(checkWrites: WriteCheck): Promise<readonly Finding[]> {
  const check = 'storage';
  const obstacle = await checkWrites();
  if (obstacle === '') return [{ check, status: 'ok', message: 'Records, sites and logs can be written' }];
  return [{ check, status: 'error', message: obstacle, advice: 'let the user that runs docbuild write there' }];
}

/** Looks how much room there is where folders are, or will be; at each file system once. */
export async function lookAtDisks(folders: readonly string[]): Promise<readonly Finding[]> {
  const disks = new Map<number, string[]>();
  for (const folder of folders) {
    const existing = findExisting(folder);
    const { dev } = await stat(existing);
    disks.set(dev, [...(disks.get(dev) ?? []), existing]);
  }
  return Promise.all(
    [...disks.values()].map(async ([folder]): Promise<Finding> => {
      try {
        const { bavail, bsize, blocks, ffree, files } = await statfs(folder!);
        return judgeSpace(folder!, { free: bavail * bsize, size: blocks * bsize, freeFiles: ffree, files });
      } catch (error) {
        const message = `Cannot tell how much room is left at ${folder}: ${describeSystemError(error)}`;
        return { check: 'disk', status: 'warning', message };
      }
    }),
  );
}

/** Returns a folder, or the nearest one above it that exists. */
export function findExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : findExisting(dirname(folder));
}

/** Compares the clock with that of the database, or else with what a server says by TLS that is asked anyway. */
async function lookAtClock(context: DiagnosisContext, client: HttpClient): Promise<readonly Finding[]> {
  const { readClock, now } = context;
  if (readClock) {
    const before = now().getTime();
    const time = await readClock();
    return [judgeClock((before + now().getTime()) / 2 - time, 'that of the database')];
  }
  for (const origin of await listTimeHosts(context)) {
    try {
      const before = now().getTime();
      const { headers } = await client.send(origin, { method: 'HEAD', isBodyIgnored: true });
      const time = Date.parse(headers.get('date') ?? '');
      // Seconds are cut off.
      if (!Number.isNaN(time)) return [judgeClock((before + now().getTime()) / 2 - (time + 500), new URL(origin).host)];
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
    }
  }
  const message = 'The clock could not be compared: no database, and no host that is reached by https';
  return [{ check: 'clock', status: 'warning', message, advice: 'compare "date -u" with a clock that you trust' }];
}

/** Returns origins that docbuild asks anyway. */
async function listTimeHosts({ settings, store }: DiagnosisContext): Promise<readonly string[]> {
  const urls = listUpstreams(settings).map(({ url }) => url);
  for (const { url } of await store.projects.list({ limit: 100 })) urls.push(url);
  const origins = urls.flatMap((url) => (/^https:/i.test(url) && URL.canParse(url) ? [`${new URL(url).origin}/`] : []));
  return [...new Set(origins)].slice(0, MAX_TIME_HOSTS);
}

async function lookAtProxies(context: DiagnosisContext, client: HttpClient): Promise<readonly Finding[]> {
  const { settings, proxyWatch, readClock } = context;
  if (!proxyWatch.hasBegun) return [];
  const { api } = settings.current();
  const urls = new Set([api.base_url, api.hub_url, api.auth_url, api.docs_api_url].filter((url) => url !== ''));
  const ways = [...urls].map(async (url): Promise<Finding> => {
    const check = 'proxies';
    const mark = proxyWatch.createMark();
    try {
      const { status } = await client.send(`${url}/livez`, { headers: { [MARK_HEADER]: mark }, isBodyIgnored: true });
      const seen = proxyWatch.take(mark);
      if (seen) return judgeWay(url, seen, api.trusted_proxies);
      if (readClock && status === 200)
        return { check, status: 'ok', message: `${url} answers, perhaps by another node` };
      const message = `${url} answers with ${status}, but not by this server`;
      return { check, status: 'error', message, advice: 'let its host lead to this server, by DNS and in the proxy' };
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      const message = `${url} cannot be reached from this machine: ${error.message}`;
      const advice =
        'look whether it can from elsewhere; some networks lead nobody from inside back to their public address';
      return { check, status: 'warning', message, advice };
    } finally {
      proxyWatch.take(mark);
    }
  });
  return [...(await Promise.all(ways)), judgeRequests(proxyWatch.countRecent(), api.trusted_proxies)];
}

interface Upstream {
  readonly key: string;
  readonly url: string;
}

/** Returns the services elsewhere that the configuration names. */
function listUpstreams(settings: Settings): readonly Upstream[] {
  const { utility, cdn, events, github_app } = settings.current();
  const all = [
    { key: 'utility.alpha.base_url', url: utility.alpha.base_url },
    { key: 'utility.beta.base_url', url: utility.beta.base_url },
    { key: 'utility.image.base_url', url: utility.image.base_url },
    { key: 'github_app.api_url', url: github_app.enabled ? github_app.api_url : '' },
    { key: 'cdn.url', url: cdn.url && new URL('/', cdn.url.replaceAll(/[{}]/g, '')).href },
    { key: 'events.url', url: events.url && new URL('/', events.url).href },
  ];
  return all.filter(({ url }) => url !== '');
}

async function lookAtUpstreams(context: DiagnosisContext, client: HttpClient): Promise<readonly Finding[]> {
  const { settings, siteStorage } = context;
  const check = 'upstreams';
  const { github_app } = settings.current();
  const app = findAppSettings(github_app);
  const missing: readonly Finding[] =
    github_app.enabled && 'missing' in app
      ? [{ check, status: 'error', message: `The GitHub App is not used: ${app.missing}`, advice: 'set them' }]
      : [];
  const asked = listUpstreams(settings).map(async ({ key, url }): Promise<Finding> => {
    try {
      const { status } = await client.send(url, { isBodyIgnored: true });
      if (status < 500) return { check, status: 'ok', message: `${key}: ${url} answers` };
      return { check, status: 'warning', message: `${key}: ${url} answers with ${status}`, advice: 'try again later' };
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      const advice = `check "${key}", DNS, and what may leave this network`;
      return { check, status: 'error', message: `${key}: ${error.message}`, advice };
    }
  });
  return [...missing, ...(await Promise.all(asked)), ...lookAtBucket(siteStorage)];
}

/** Answers of the bucket since this process began: at its start it has been tried to write, read and list. */
function lookAtBucket({ measure }: DiagnosisContext['siteStorage']): readonly Finding[] {
  if (!measure) return [];
  const check = 'upstreams';
  const { requests } = measure();
  const sum = (outcome: 'answered' | 'failed'): number =>
    requests.reduce((all, request) => (request.outcome === outcome ? all + request.count : all), 0);
  const failed = sum('failed');
  const all = failed + sum('answered');
  if (failed === 0) return [{ check, status: 'ok', message: `sites: S3 has answered all of ${all} requests` }];
  const message = `sites: S3 has not answered ${failed} of ${all} requests`;
  return [{ check, status: 'warning', message, advice: 'the log says why' }];
}
