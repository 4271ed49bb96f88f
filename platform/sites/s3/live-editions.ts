import { DataError } from '../../../data/data-error.ts';
import type { ProjectStore } from '../../../data/records/project.ts';
import { createBoundedMap } from '../../../lib/bounded-map.ts';
import { createSharedWork } from '../../../lib/once.ts';
import { phrase } from '../../../lib/phrase.ts';
import { EMPTY_SITE, type PublishedSite } from '../site-storage.ts';
import type { ContentCache } from './content-cache.ts';
import { parseEdition, parseRoot } from './edition.ts';
import { type FindList, type Guard, openEdition } from './open-edition.ts';
import type { Bucket } from './s3-bucket.ts';

/** How long a reader waits for S3, for all that one page takes; and then for what is on the disk. */
const WAIT_MS = 5_000;
const DISK_MS = 100;
/** Folders (versions and languages) of the sites that are open, each about 300 bytes. */
const MAX_FOLDERS = 200_000;
const MAX_FAILED = 1_000;
const REOPEN_MS = 2_000;
const NOT_NOW = phrase`This page cannot be loaded at the moment, try again`;

/** A site that is open. */
interface Live {
  readonly edition: string;
  /** Returns the site for one reader. */
  readonly view: (guard: Guard) => PublishedSite;
  readonly folders: number;
}

/** The editions that readers get now. */
export interface LiveEditions {
  /**
   * Returns a project's site for one reader: the one before, or one of which nothing can be had, while S3 is away; the one in its folder as
   * long as it has never been uploaded.
   */
  find(project: string): Promise<PublishedSite>;
  forget(project: string): void;
}

/** Creates what opens editions, named by the records of projects, and keeps them open. `warn` is told why readers were refused. */
export function createLiveEditions(options: {
  readonly bucket: Pick<Bucket, 'label'>;
  readonly projects: Pick<ProjectStore, 'find'>;
  readonly cache: ContentCache;
  readonly findList: FindList;
  /** Returns the site of a project in a folder of this machine; undefined where there is none. */
  readonly findInFolder: (project: string) => PublishedSite | undefined;
  readonly warn: (message: string) => void;
  readonly onError: (error: unknown) => void;
  /** Called when readers get another edition of a project. */
  readonly onChanged?: (project: string) => void;
  readonly waitMs?: number;
}): LiveEditions {
  const {
    bucket,
    projects,
    cache,
    findList,
    findInFolder,
    warn,
    onError,
    onChanged = () => {},
    waitMs = WAIT_MS,
  } = options;
  const live = createBoundedMap<string, Live>({ maxWeight: MAX_FOLDERS, weigh: ({ folders }) => folders + 1 });
  const share = createSharedWork<string, Live>();
  /** When editions could not be opened: not every reader waits for S3. */
  const failed = createBoundedMap<string, number>({ maxEntries: MAX_FAILED });

  return {
    async find(project) {
      let record = await projects.find(project);
      const guard = createGuard();
      for (;;) {
        const edition = record?.site?.edition ?? '';
        if (edition === '') {
          // A site that was taken down is not shown in the place of the next one.
          live.delete(project);
          if (!record?.versions.length) return EMPTY_SITE;
          // A site that was published to a folder before is still to be uploaded.
          return findInFolder(project) ?? UNAVAILABLE_SITE;
        }
        const known = live.get(project);
        if (known?.edition === edition) return known.view(guard);
        // The edition before is whole, too.
        const instead = known ? { ...known.view(guard), isOutdated: true } : UNAVAILABLE_SITE;
        if (performance.now() - (failed.get(project + edition) ?? Number.NEGATIVE_INFINITY) < REOPEN_MS) return instead;
        try {
          const opened = await guard(share(project + edition, () => open(project, edition)));
          const before = live.get(project);
          record = await guard(projects.find(project));
          // Others may have been shown a newer one meanwhile: this one neither takes its place nor is shown.
          if (before !== live.get(project) || (before && record?.site?.edition !== edition)) continue;
          if (before !== opened) {
            live.set(project, opened);
            onChanged(project);
          }
          return opened.view(guard);
        } catch {
          failed.set(project + edition, performance.now());
          return instead;
        }
      }
    },
    forget: (project) => void live.delete(project),
  };

  async function open(project: string, edition: string): Promise<Live> {
    const root = reported(() => parseEdition(edition)!);
    const bytes = await cache.read(project, root);
    const groups = reported(() => parseRoot(bytes));
    return { edition, view: openEdition({ project, groups, cache, findList }), folders: groups.length };
  }

  /** Returns what was read; reports what this release cannot read. */
  function reported<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      onError(error);
      throw error;
    }
  }

  /** Begins the time of one reader, who waits for all requests to S3 together no longer than for one. */
  function createGuard(): Guard {
    const endMs = performance.now() + waitMs;
    return async (work) => {
      let waiting: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        waiting = setTimeout(
          () => reject(new Error(`Bucket ${bucket.label} did not answer within ${waitMs} ms`)),
          Math.max(DISK_MS, endMs - performance.now()),
        );
      });
      try {
        return await Promise.race([work, late]);
      } catch (error) {
        warn(`A reader was answered 503: ${(error as Error).message}`);
        throw new DataError('busy', NOT_NOW, { cause: error });
      } finally {
        clearTimeout(waiting);
      }
    };
  }
}

const refuse = (): never => {
  throw new DataError('busy', NOT_NOW);
};
/** A site of which nothing can be had at the moment. */
const UNAVAILABLE_SITE: PublishedSite = {
  id: '',
  find: refuse,
  open: refuse,
  readCompressed: async () => undefined,
};
