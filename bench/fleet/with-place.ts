import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { betaRss } from '../../test/helpers/engine-pages.ts';
import { type Cluster, startCluster, TEST_SETTINGS } from '../../test/helpers/postgres-cluster.ts';
import type { S3Server } from '../../test/helpers/s3-server.ts';
import { page, serveEngines } from '../../test/helpers/serve-engines.ts';
import { findPorts } from './find-ports.ts';
import { createNodeProcess, type NodeProcess } from './node-process.ts';

/** The surroundings of nodes, and how they are started. */
export interface Place {
  readonly t: ExecutionContext;
  readonly folder: string;
  readonly cluster: Cluster;
  readonly sql: (text: string) => Promise<readonly Record<string, unknown>[]>;
  readonly engines: Awaited<ReturnType<typeof serveEngines>>;
  start(role: 'web' | 'build', count: number): Promise<readonly NodeProcess[]>;
}

/**
 * Runs work on an empty database and an empty place for sites: a bucket, or a folder that all nodes share. Nodes build one at a time,
 * and further ones as long as they are quick, where `quick` says so.
 */
export async function withPlace<T>(
  parent: string,
  { s3, quick = 0 }: { readonly s3?: S3Server; readonly quick?: number },
  work: (place: Place) => Promise<T>,
): Promise<T> {
  const folder = join(parent, 'place');
  mkdirSync(folder);
  const teardowns: (() => unknown)[] = [];
  const t = { teardown: (end: () => unknown) => void teardowns.push(end) } as ExecutionContext;
  try {
    const cluster = await startCluster({ ...TEST_SETTINGS, max_connections: '150', shared_buffers: '128MB' });
    teardowns.push(async () => {
      await cluster.stop();
      rmSync(cluster.folder, { recursive: true, force: true });
    });
    const database = await cluster.createDatabase();
    const engines = await serveEngines(t);
    engines.answer(page(betaRss([]), { 'content-type': 'text/xml; charset=utf-8' }));
    const sites = s3 ? `s3://docs/${database}?endpoint=${s3.endpoint}` : join(folder, 'sites');
    const env: Record<string, string> = s3
      ? { AWS_ACCESS_KEY_ID: s3.accessKeyId, AWS_SECRET_ACCESS_KEY: s3.secretAccessKey }
      : {};
    let started = 0;
    const start = async (role: 'web' | 'build', port: number): Promise<NodeProcess> => {
      const name = `node-${++started}`;
      const own = join(folder, name);
      mkdirSync(own);
      writeFileSync(
        join(own, 'docbuild.yml'),
        `base_dir: ./base
store: ${cluster.url(database)}
sites: '${sites}'
api: {never_blocked: [127.0.0.0/8]}
builds: {concurrency: 1, quick: ${quick}}
billing: {tiers: [{price: 10, per_day: 1000000}]}
utility: {beta: {base_url: '${engines.url}', concurrency: 100}, requests_per_minute: {inclusion: 1000000}}
`,
      );
      const node = createNodeProcess(t, { name, role, folder: own, port, env });
      await node.start();
      return node;
    };
    return await work({
      t,
      folder,
      cluster,
      engines,
      sql: (text) => cluster.query(database, text),
      async start(role, count) {
        const ports = role === 'web' ? await findPorts(count) : Array.from({ length: count }, () => 0);
        return await Promise.all(ports.map((port) => start(role, port)));
      },
    });
  } finally {
    for (const end of teardowns.reverse()) await end();
    rmSync(folder, { recursive: true, force: true });
  }
}
