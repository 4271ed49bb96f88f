import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { betaRss } from '../../test/helpers/engine-pages.ts';
import { type Cluster, startCluster, TEST_SETTINGS } from '../../test/helpers/postgres-cluster.ts';
import type { S3Server } from '../../test/helpers/s3-server.ts';
import { page, serveEngines } from '../../test/helpers/serve-engines.ts';
import { type PostgresProxy, servePostgresProxy } from '../../test/helpers/serve-postgres-proxy.ts';
import { type S3Proxy, serveS3Proxy } from '../../test/helpers/serve-s3-proxy.ts';
import { findPorts } from '../fleet/find-ports.ts';
import { createNodeProcess, type NodeProcess } from '../fleet/node-process.ts';
import { type Balancer, startBalancer } from './start-balancer.ts';
import { type RecordWatch, watchRecords } from './watch-records.ts';

/** A node, and what it reaches the database through. */
export interface FleetNode extends NodeProcess {
  readonly database: PostgresProxy;
}

/** A service of several nodes, with everything that they need. */
export interface Fleet {
  readonly folder: string;
  readonly cluster: Cluster;
  readonly s3: S3Proxy;
  readonly webs: readonly FleetNode[];
  readonly builds: readonly FleetNode[];
  readonly balancer: Balancer;
  readonly watch: RecordWatch;
  /** Nodes keep what they write on small disks of their own, which can be filled. */
  readonly hasSmallDisks: boolean;
}

/** A build node keeps its cache there, too. */
const DISK_MB = { web: 48, build: 192 };
/** Requests a day of a customer whose quota is used up again and again. */
export const PER_DAY = 150;
const PRICE = 10;
export const TIER = { monthly: PRICE, months: 1 };

/** Starts web and build nodes on a database and an S3 server. All ends with the test, but for the S3 server. */
export async function openFleet(
  t: ExecutionContext,
  options: {
    readonly folder: string;
    readonly webs: number;
    readonly builds: number;
    readonly s3: S3Server;
    /** See `createNodeProcess`. */
    readonly program?: string | undefined;
  },
): Promise<Fleet> {
  const { folder, webs, builds, program } = options;
  const cluster = await startCluster({ ...TEST_SETTINGS, max_connections: '150' });
  t.teardown(async () => {
    await cluster.stop();
    rmSync(cluster.folder, { recursive: true, force: true });
  });
  const database = await cluster.createDatabase();
  const s3 = await serveS3Proxy(t, options.s3);
  const engines = await serveEngines(t);
  engines.answer(page(betaRss([]), { 'content-type': 'text/xml; charset=utf-8' }));
  const ports = await findPorts(webs);
  const balancer = await startBalancer(t, { folder, ports });
  const env = { AWS_ACCESS_KEY_ID: s3.accessKeyId, AWS_SECRET_ACCESS_KEY: s3.secretAccessKey };
  const hasSmallDisks = canMount(folder);
  const create = async (role: 'web' | 'build', number: number): Promise<FleetNode> => {
    const name = `${role} node ${number + 1}`;
    const place = join(folder, `${role}-${number + 1}`);
    const proxy = await servePostgresProxy(t, cluster);
    mkdirSync(join(place, 'base'), { recursive: true });
    if (hasSmallDisks) mount(t, join(place, 'base'), DISK_MB[role]);
    writeFileSync(
      join(place, 'docbuild.yml'),
      `base_dir: ./base
timezone: ${findZone()}
store: ${proxy.url(database)}
sites: s3://docs/sites?endpoint=${s3.endpoint}
api: {docs_api_url: '${balancer.origin}', never_blocked: [127.0.0.0/8]}
builds: {concurrency: 1, quick: 1}
billing: {tiers: [{price: ${PRICE}, per_day: ${PER_DAY}}]}
utility: {beta: {base_url: '${engines.url}', timeout_s: 8}, short_url: {per_day: 1000000}}
`,
    );
    const port = role === 'web' ? ports[number]! : 0;
    const node = createNodeProcess(t, { name, role, folder: place, port, env, program });
    return Object.assign(node, { database: proxy });
  };
  const fleet = {
    webs: await Promise.all(Array.from({ length: webs }, (_, i) => create('web', i))),
    builds: await Promise.all(Array.from({ length: builds }, (_, i) => create('build', i))),
  };
  await Promise.all([...fleet.webs, ...fleet.builds].map((node) => node.start()));
  const watch = await watchRecords(cluster, database);
  return { folder, cluster, s3, ...fleet, balancer, watch, hasSmallDisks };
}

function mountTmpfs(folder: string, options: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'docbuild-faults', folder], { stdio: 'pipe' });
}

function unmount(folder: string): void {
  execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' });
}

function mount(t: ExecutionContext, folder: string, megabytes: number): void {
  mountTmpfs(folder, `size=${megabytes}m`);
  t.teardown(() => unmount(folder));
}

function canMount(folder: string): boolean {
  const place = join(folder, 'mount');
  mkdirSync(place);
  try {
    mountTmpfs(place, 'size=64k');
    unmount(place);
    return true;
  } catch {
    return false;
  }
}

/** Returns a time zone whose day has just begun, so that quotas of a day do not begin anew. */
function findZone(): string {
  const ahead = (24 - new Date().getUTCHours() + 1) % 24;
  // The signs of these names are those of POSIX: west is positive.
  return ahead <= 14 ? `Etc/GMT-${ahead}` : `Etc/GMT+${24 - ahead}`;
}
