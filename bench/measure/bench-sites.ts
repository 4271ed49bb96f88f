import { join } from 'node:path';
import type { BuildStore } from '../../data/records/build.ts';
import { parseS3Address } from '../../platform/sites/s3/s3-address.ts';
import { openBucket } from '../../platform/sites/s3/s3-bucket.ts';
import { createS3Sites, type S3Sites } from '../../platform/sites/s3/s3-sites.ts';
import { createProject } from '../../test/helpers/create-records.ts';
import type { S3Server } from '../../test/helpers/s3-server.ts';

/** The place from which the sites of a process are opened. */
export interface BenchSites {
  readonly server: S3Server;
  readonly bucket: string;
  /** Its folders: `sites/` and `cache/`. */
  readonly folder: string;
  /** The edition of project `bench` that readers get. */
  readonly edition: string;
}

/** Opens the sites of a process, with a record of project `bench` in memory. */
export function openBenchSites({ server, bucket, folder, edition }: BenchSites): S3Sites & { edition(): string } {
  let project = createProject({ name: 'bench', site: { edition, staged: undefined } });
  const builds: Pick<BuildStore, 'changeProject'> = {
    async changeProject(_name, _id, change) {
      project = change(project, undefined);
      return project;
    },
  };
  const address = parseS3Address(`s3://${bucket}?endpoint=${server.endpoint}`);
  const fail = (error: unknown): void => console.error(error);
  const sites = createS3Sites({
    bucket: openBucket(address, () => server),
    maxCacheBytes: address.maxCacheBytes,
    now: () => new Date(),
    projects: { find: async () => project },
    builds,
    folder: join(folder, 'sites'),
    cacheFolder: join(folder, 'cache'),
    onWarning: fail,
    onError: fail,
  });
  return { ...sites, edition: () => project.site?.edition ?? '' };
}
