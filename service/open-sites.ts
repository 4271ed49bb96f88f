import { join } from 'node:path';
import type { Store } from '../data/store.ts';
import { createFolderSites } from '../platform/sites/folder-sites.ts';
import { parseS3Address } from '../platform/sites/s3/s3-address.ts';
import type { SiteStorage } from '../platform/sites/site-storage.ts';

/** Where published sites are kept, and what is told about them. */
interface SitesOptions {
  /** URL of a bucket (`s3://…`), or path of a folder; '' = the one below `baseDir`. */
  readonly place: string;
  readonly baseDir: string;
  readonly resolvePath: (path: string) => string;
  readonly store: Store;
  readonly now: () => Date;
  readonly onWarning: (message: string) => void;
  readonly onError: (error: unknown) => void;
  /** Called when readers get another site of a project that this process did not build. */
  readonly onChanged: (project: string) => void;
}

/** Opens the storage of published sites. Throws DataError where it refuses what it is asked; the store is closed then. */
export async function openSites(options: SitesOptions): Promise<SiteStorage> {
  const { place, baseDir, resolvePath, store, onError } = options;
  const usual = join(baseDir, 'sites');
  try {
    if (place.startsWith('s3:')) return await openRemote({ ...options, folder: usual });
    return createFolderSites({ folder: place === '' ? usual : resolvePath(place), onError });
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openRemote(options: SitesOptions & { readonly folder: string }): Promise<SiteStorage> {
  const address = parseS3Address(options.place);
  // Nobody who keeps sites in folders waits for what S3 needs.
  const [{ openBucket }, { openCredentials }, { createS3Sites }] = await Promise.all([
    import('../platform/sites/s3/s3-bucket.ts'),
    import('../platform/sites/s3/s3-credentials.ts'),
    import('../platform/sites/s3/s3-sites.ts'),
  ]);
  const bucket = openBucket(address, openCredentials(process.env));
  const { projects, builds } = options.store;
  const cacheFolder = join(options.baseDir, 'cache', 'sites');
  const sites = createS3Sites({
    ...options,
    bucket,
    maxCacheBytes: address.maxCacheBytes,
    projects,
    builds,
    cacheFolder,
  });
  try {
    await sites.prepare();
  } catch (error) {
    await sites.close();
    throw error;
  }
  return sites;
}
