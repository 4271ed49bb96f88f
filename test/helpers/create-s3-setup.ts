import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { BuildStore } from '../../data/records/build.ts';
import type { ProjectStore } from '../../data/records/project.ts';
import { siteFolder } from '../../platform/sites/site-storage.ts';
import { createProject } from './create-records.ts';
import { createFolder } from './create-repository.ts';
import { type OpenedS3Sites, openS3Sites } from './open-s3-sites.ts';
import { openStore } from './open-store.ts';
import { publishFiles } from './publish-files.ts';
import type { S3Server } from './s3-server.ts';
import { type FakeS3, serveS3 } from './serve-s3.ts';
import { serveS3Proxy } from './serve-s3-proxy.ts';
import { shareS3 } from './share-s3.ts';

/** An S3 server whose requests can go wrong, and processes that keep the site of project `guide` in it. */
export interface FaultyS3Setup {
  readonly s3: Pick<FakeS3, 'fault'>;
  readonly projects: ProjectStore;
  readonly builds: BuildStore;
  /** Opens the sites of another process, with folders of its own unless one is given. */
  open(options?: Partial<Parameters<typeof openS3Sites>[1]>): OpenedS3Sites;
  /** Publishes files as a build of a process does. */
  publish(
    process: OpenedS3Sites,
    files: Parameters<typeof publishFiles>[1],
    order?: Partial<Parameters<OpenedS3Sites['sites']['publish']>[0]>,
  ): ReturnType<OpenedS3Sites['sites']['publish']>;
}

/** The same with a fake of S3. */
export interface S3Setup extends FaultyS3Setup {
  readonly s3: FakeS3;
  /** Returns the objects of the project by their keys. */
  objects(): ReadonlyMap<string, Buffer>;
}

/** Creates a fake of S3 with a bucket, and records. */
export async function createS3Setup(t: ExecutionContext): Promise<S3Setup> {
  const s3 = await serveS3(t);
  s3.buckets.set('docs', new Map());
  const server = { endpoint: s3.url, accessKeyId: 'key', secretAccessKey: 'secret' };
  const setup = await createProcesses(t, { server, bucket: 'docs' });
  return { ...setup, s3, objects: () => s3.buckets.get('docs')! };
}

/** Creates a proxy in front of the real S3 server that the tests of a process share, with a bucket of its own, and records. */
export async function createRealS3Setup(t: ExecutionContext): Promise<FaultyS3Setup> {
  const s3 = await serveS3Proxy(t, await shareS3());
  return { ...(await createProcesses(t, { server: s3, bucket: `docs-${randomBytes(6).toString('hex')}` })), s3 };
}

async function createProcesses(
  t: ExecutionContext,
  { server, bucket }: { readonly server: S3Server; readonly bucket: string },
): Promise<Omit<FaultyS3Setup, 's3'>> {
  const { projects, builds } = await openStore(t, join(createFolder(t), 'store'));
  await projects.add(createProject({ name: 'guide', versions: [] }));
  return {
    projects,
    builds,
    open: (options = {}) =>
      openS3Sites(t, { server, bucket, folder: options.folder ?? createFolder(t), projects, builds, ...options }),
    async publish({ sites }, files, { build = 'b1', signal = new AbortController().signal, ...order } = {}) {
      await publishFiles(siteFolder(sites.folder, 'guide'), files);
      return sites.publish({ project: 'guide', timeoutMs: 60_000, ...order, build, signal });
    },
  };
}
