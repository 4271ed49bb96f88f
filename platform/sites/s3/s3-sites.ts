import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isWholeSite } from '../../../builder/index.ts';
import { DataError } from '../../../data/data-error.ts';
import type { BuildStore } from '../../../data/records/build.ts';
import type { ProjectStore } from '../../../data/records/project.ts';
import { openFolderSite } from '../folder-sites.ts';
import { compressedFolder } from '../precompressor.ts';
import { type PublishedSite, type SiteStorage, siteFolder, type Upload } from '../site-storage.ts';
import { collectGarbage, type InUse } from './collect-garbage.ts';
import { objectNames, openContentCache } from './content-cache.ts';
import { dayOf, formatEdition, parseEdition } from './edition.ts';
import { createEditionRecords } from './edition-records.ts';
import { createLiveEditions } from './live-editions.ts';
import { createListMemory, type EditionParts, readEdition } from './open-edition.ts';
import { omitLost, uploadEdition } from './publish-edition.ts';
import { type Bucket, type Patience, S3Error } from './s3-bucket.ts';

/** Sites in a bucket. */
export interface S3Sites extends SiteStorage {
  /** Makes the bucket if there is none. Throws DataError where S3 refuses what it is asked; one that is away is no error. */
  prepare(): Promise<void>;
  collect(signal?: AbortSignal): Promise<{ readonly found: number; readonly removed: number }>;
}

/** How long S3 may be away before a build that publishes fails. */
const RETRY_MS = 60_000;
const RETRY_PAUSE_MS = 1_000;
/** While S3 is away, there is a reason for each request. */
const WARN_MS = 60_000;

type Order = Parameters<SiteStorage['publish']>[0];

/** Creates the storage that keeps editions of sites in S3, and which of them readers get in the records of projects. */
export function createS3Sites(options: {
  readonly bucket: Bucket;
  /** Most bytes of objects on this machine. */
  readonly maxCacheBytes: number;
  readonly projects: Pick<ProjectStore, 'find'>;
  readonly builds: Pick<BuildStore, 'changeProject'>;
  readonly folder: string;
  /** Folder of what readers have asked for. */
  readonly cacheFolder: string;
  readonly now: () => Date;
  readonly onWarning: (message: string) => void;
  readonly onError: (error: unknown) => void;
  /** Called when readers get another edition of a project. */
  readonly onChanged?: (project: string) => void;
  readonly waitMs?: number;
  readonly retryMs?: number;
}): S3Sites {
  const { bucket, projects, folder: sitesFolder, now, onWarning, onError } = options;
  const { retryMs = RETRY_MS } = options;
  const stopping = new AbortController();
  const cache = openContentCache({
    folder: options.cacheFolder,
    bucket,
    maxBytes: options.maxCacheBytes,
    onProblem: (error) =>
      warn(`Cannot keep contents of sites in "${options.cacheFolder}": ${(error as Error).message}`),
  });
  const findList = createListMemory(cache);
  const records = createEditionRecords(options.builds);
  const findInFolder = (project: string): PublishedSite | undefined => {
    const site = siteFolder(sitesFolder, project);
    return isWholeSite(site) ? openFolderSite(site, compressedFolder(site)) : undefined;
  };
  const live = createLiveEditions({ ...options, cache, findList, findInFolder, warn });
  let isPrepared = false;
  let warnedMs = Number.NEGATIVE_INFINITY;

  const sites: S3Sites = {
    folder: sitesFolder,
    isShared: true,
    async prepare() {
      try {
        await prepare({ retryMs: 0 });
      } catch (error) {
        if (!(error instanceof S3Error)) throw error;
        if (!error.isTemporary) throw new DataError('unwritable', error.message, { cause: error });
        onWarning(`${error.message}; sites are served from what this machine has kept`);
      }
    },
    async publish(order) {
      const { project, build, timeoutMs, signal } = order;
      const limit = AbortSignal.timeout(timeoutMs);
      const ended = new AbortController();
      const either = AbortSignal.any([signal, stopping.signal, limit, ended.signal]);
      // Each request that waits to be repeated listens.
      setMaxListeners(0, either);
      try {
        return await publish(order, { retryMs, signal: either });
      } catch (error) {
        await records.giveUp(project, build).catch(onError);
        if (!(error instanceof S3Error) && !either.aborted) throw error;
        if (!either.aborted) onWarning(`Cannot upload the site of project "${project}": ${(error as Error).message}`);
        // Why a build failed is public; host and bucket are not.
        const failure = either.aborted
          ? (error as Error).message
          : "its storage cannot be used; the server's log says why";
        const why = limit.aborted ? `it took longer than ${timeoutMs / 1_000} s` : failure;
        // Also where time was up: what was uploaded is there the next time.
        throw new DataError('unwritable', `Cannot upload the site: ${why}`, { cause: error });
      } finally {
        // Where one object cannot be uploaded, others are not tried any longer.
        ended.abort();
      }
    },
    find: live.find,
    async isWhole(project) {
      const root = parseEdition((await projects.find(project))?.site?.edition ?? '');
      if (!root) return false;
      // An S3 that is away says nothing about the site.
      return bucket.has(`${project}/${root.day}/${objectNames(root)[0]}`, { retryMs: 0 }).catch(() => true);
    },
    identify: async (project) => (await projects.find(project))?.site?.edition ?? '',
    async remove(project) {
      live.forget(project);
      await rm(dirname(siteFolder(sitesFolder, project)), { recursive: true, force: true });
    },
    collect: (signal = stopping.signal) =>
      collectGarbage({ bucket, findInUse, now, signal: AbortSignal.any([signal, stopping.signal]), onError }),
    measure: () => ({ requests: bucket.counts(), cache: cache.counts() }),
    async close() {
      stopping.abort();
      await bucket.close();
    },
  };
  return sites;

  async function prepare(patience: Patience): Promise<void> {
    if (!isPrepared) await bucket.prepare(patience);
    isPrepared = true;
  }

  async function publish(order: Order, patience: Patience): Promise<Upload | undefined> {
    const { project, build, isCurrent, changeProject, isThorough } = order;
    const folder = siteFolder(sitesFolder, project);
    await prepare(patience);
    const day = dayOf(now());
    const before = await records.stage(project, { build, isCurrent, day }, patience);
    let edition = '';
    let upload: Upload | undefined;
    if (existsSync(folder)) {
      const { contents, pieces, atRoot } = await readPrevious(project, before, patience);
      const known = new Map(contents.map((content) => [content.hash, content]));
      const base = isThorough ? await omitLost(known, { bucket, project, pieces, patience }) : known;
      const notes = join(dirname(folder), 'uploaded.json');
      const uploaded = await uploadEdition({ bucket, cache, project, folder, notes, base, atRoot, day, patience });
      edition = formatEdition(uploaded.root);
      upload = uploaded;
    }
    patience.signal?.throwIfAborted();
    await records.commit(project, { build, isCurrent, edition, changeProject }, patience);
    return upload;
  }

  /** Returns what an edition consists of; nothing where S3 has lost some of it. */
  async function readPrevious(project: string, edition: string, { retryMs, signal }: Patience): Promise<EditionParts> {
    for (const start = performance.now(); ; ) {
      try {
        return await readEdition(project, edition, { cache, findList });
      } catch (error) {
        if (!(error instanceof S3Error)) {
          onError(error);
          return { contents: [], pieces: new Map(), atRoot: [] };
        }
        if (!error.isTemporary || performance.now() - start > retryMs) throw error;
        await sleep(RETRY_PAUSE_MS, undefined, signal && { signal });
      }
    }
  }

  async function findInUse(project: string): Promise<InUse> {
    const site = (await projects.find(project))?.site;
    const { contents } = await readEdition(project, site?.edition ?? '', { cache, findList });
    const keys = contents.flatMap(({ day, hash }) => ['', '.br', '.gz'].map((suffix) => `${day}/${hash}${suffix}`));
    return { keys: new Set(keys), stagedDay: site?.staged?.day };
  }

  /** Warns once a minute. */
  function warn(message: string): void {
    const nowMs = performance.now();
    if (nowMs - warnedMs < WARN_MS) return;
    warnedMs = nowMs;
    onWarning(message);
  }
}
