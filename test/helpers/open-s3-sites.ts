import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { BuildStore } from '../../data/records/build.ts';
import type { ProjectStore } from '../../data/records/project.ts';
import { parseS3Address } from '../../platform/sites/s3/s3-address.ts';
import { type Bucket, openBucket } from '../../platform/sites/s3/s3-bucket.ts';
import { createS3Sites, type S3Sites } from '../../platform/sites/s3/s3-sites.ts';
import type { S3Server } from './s3-server.ts';

/** Sites of one process in a bucket. */
export interface OpenedS3Sites {
  readonly sites: S3Sites;
  readonly bucket: Bucket;
  readonly cacheFolder: string;
  readonly warnings: string[];
  readonly errors: Error[];
}

/** Opens the sites of a process whose files are in a folder; they are closed with the test. */
export function openS3Sites(
  t: ExecutionContext,
  options: {
    readonly server: S3Server;
    readonly bucket: string;
    readonly folder: string;
    readonly projects: Pick<ProjectStore, 'find'>;
    readonly builds: Pick<BuildStore, 'changeProject'>;
    readonly now?: () => Date;
    readonly cacheMb?: number;
    readonly timeoutMs?: number;
    readonly waitMs?: number;
    readonly retryMs?: number;
  },
): OpenedS3Sites {
  const {
    server,
    folder,
    projects,
    builds,
    now = () => new Date(),
    cacheMb = 50,
    timeoutMs,
    waitMs = 30_000,
    retryMs,
  } = options;
  const address = parseS3Address(`s3://${options.bucket}/sites?endpoint=${server.endpoint}&cache_mb=${cacheMb}`);
  const bucket = openBucket(address, () => server, timeoutMs === undefined ? {} : { timeoutMs });
  const warnings: string[] = [];
  const errors: Error[] = [];
  const cacheFolder = join(folder, 'cache');
  const sites = createS3Sites({
    bucket,
    projects,
    builds,
    cacheFolder,
    now,
    waitMs,
    folder: join(folder, 'sites'),
    maxCacheBytes: address.maxCacheBytes,
    ...(retryMs !== undefined && { retryMs }),
    onWarning: (message) => void warnings.push(message),
    onError: (error) => void errors.push(error as Error),
  });
  t.teardown(() => sites.close());
  return { sites, bucket, cacheFolder, warnings, errors };
}
