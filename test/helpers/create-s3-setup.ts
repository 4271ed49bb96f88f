import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { ProjectStore } from '../../data/records/project.ts';
import { siteFolder } from '../../platform/sites/site-storage.ts';
import { createProject } from './create-records.ts';
import { createFolder } from './create-repository.ts';
import { type OpenedS3Sites, openS3Sites } from './open-s3-sites.ts';
import { openStore } from './open-store.ts';
import { publishFiles } from './publish-files.ts';
import { type FakeS3, serveS3 } from './serve-s3.ts';

/** A fake of S3, and processes that keep the site of project `guide` in it. */
export interface S3Setup {
  readonly s3: FakeS3;
  readonly projects: ProjectStore;
  /** Opens the sites of another process, with folders of its own unless one is given. */
  open(options?: Partial<Parameters<typeof openS3Sites>[1]>): OpenedS3Sites;
  /** Publishes files as a build of a process does. */
  publish(
    process: OpenedS3Sites,
    files: Parameters<typeof publishFiles>[1],
    order?: Partial<Parameters<OpenedS3Sites['sites']['publish']>[0]>,
  ): ReturnType<OpenedS3Sites['sites']['publish']>;
  /** Returns the objects of the project by their keys. */
  objects(): ReadonlyMap<string, Buffer>;
}

/** Creates a fake of S3 with a bucket, and records. */
export async function createS3Setup(t: ExecutionContext): Promise<S3Setup> {
  const s3 = await serveS3(t);
  s3.buckets.set('docs', new Map());
  const { projects } = await openStore(t, join(createFolder(t), 'store'));
  await projects.add(createProject({ name: 'guide', versions: [] }));
  const server = { endpoint: s3.url, accessKeyId: 'key', secretAccessKey: 'secret' };
  return {
    s3,
    projects,
    open: (options = {}) =>
      openS3Sites(t, { server, bucket: 'docs', folder: options.folder ?? createFolder(t), projects, ...options }),
    async publish({ sites }, files, { build = 'b1', signal = new AbortController().signal, ...order } = {}) {
      await publishFiles(siteFolder(sites.folder, 'guide'), files);
      return sites.publish({ project: 'guide', timeoutMs: 60_000, ...order, build, signal });
    },
    objects: () => s3.buckets.get('docs')!,
  };
}
