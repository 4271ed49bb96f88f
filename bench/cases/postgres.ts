import { rmSync } from 'node:fs';
import { openPostgresStore } from '../../data/postgres/open-postgres-store.ts';
import { createBuildId } from '../../data/records/build-id.ts';
import type { QuotaQuestion } from '../../data/records/quota.ts';
import { usage } from '../../data/records/usage.ts';
import type { Store } from '../../data/store.ts';
import { createQuestion } from '../../test/helpers/create-quota-question.ts';
import { createPassed, createProject } from '../../test/helpers/create-records.ts';
import { type Cluster, programs, startCluster } from '../../test/helpers/postgres-cluster.ts';
import type { BenchCase, Row, Target } from '../bench-case.ts';
import { findSpread } from '../measure/statistics.ts';
import { changeAtOnce } from './store.ts';

const PROJECTS = 10_000;
const BUILDS = 1_000_000;
const LOOK_UPS = 5_000;
const TAKES = 2_000;
/** Networks that have called on a day, of which at most 50,000 are counted each by itself. */
const NETWORKS = 40_000;
const MEGABYTE = 1_000_000;

/** The store on PostgreSQL with 10,000 projects and 1,000,000 builds: opening it, asking it, changing it. */
export const postgresCase: BenchCase = {
  name: 'postgres',
  title: `The store on PostgreSQL, ${PROJECTS} projects and ${BUILDS} builds`,
  needsCorpus: false,
  async run({ short, say }) {
    if (programs === undefined) throw new Error('PostgreSQL is not installed; set POSTGRES_BIN');
    const cluster = await startCluster({ shared_buffers: '256MB' });
    try {
      return await measure(cluster, { rounds: short, say });
    } finally {
      await cluster.stop();
      rmSync(cluster.folder, { recursive: true, force: true });
    }
  },
};

async function measure(
  cluster: Cluster,
  { rounds, say }: { readonly rounds: number; readonly say: (text: string) => void },
): Promise<{ rows: readonly Row[]; targets: readonly Target[] }> {
  const database = await cluster.createDatabase();
  const open = (): Promise<Store> => openPostgresStore({ url: cluster.url(database), onWarning: say });
  await (await open()).close();
  await fill(cluster, database);
  const start = performance.now();
  await (await open()).close();
  const fillMs = performance.now() - start;
  await cluster.query(database, 'VACUUM ANALYZE');

  const openMs: number[] = [];
  const memory = process.memoryUsage().rss;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    const store = await open();
    openMs.push(performance.now() - start);
    await store.close();
  }
  const store = await open();
  const grown = process.memoryUsage().rss - memory;
  const ids = await cluster.query(database, `SELECT key FROM docbuild.builds ORDER BY hashtext(key) LIMIT ${LOOK_UPS}`);
  const look = await timeEach(ids, ({ key }) => store.builds.find(String(key)));
  const last = await timeEach(ids, (_, i) => store.builds.findLastFinished(`project-${(i * 7) % PROJECTS}`, 'v0'));
  const hot = await timeEach(ids, (_, i) => store.projects.findByDomain(`project-${i % 100}.example`));
  const changed = await changeAtOnce(store);
  const taken = await timeAll(TAKES, () => store.quotas.take(createQuestion()));
  const known = await timeEach(ids.slice(0, 500), (_, i) => store.quotas.take(askFrom(i)));
  const added = await timeEach(ids.slice(0, 100), (_, i) => store.quotas.take(askFrom(NETWORKS + i)));
  await store.close();

  const rows: Row[] = [
    { name: 'indexes computed again from all records, at a start', ms: findSpread([fillMs]) },
    { name: 'open', ms: findSpread(openMs), note: `memory grows by ${(grown / MEGABYTE).toFixed(0)} MB` },
    { name: 'a build by its id', note: describe(look) },
    { name: 'the last verdict on a ref', note: describe(last) },
    { name: 'a project by its host, asked for before', note: describe(hot) },
    {
      name: `${changed.changes} durable changes, 200 callers`,
      note: `${((changed.changes / changed.ms) * 1000).toFixed(0)} a second`,
    },
    { name: `${TAKES} takes of a quota at once`, note: `${((TAKES / taken) * 1000).toFixed(0)} a second` },
    { name: `a take of one of ${NETWORKS} networks`, note: describe(known) },
    { name: 'a take of a further network', note: describe(added) },
  ];
  const targets: Target[] = [
    { name: 'open', value: findSpread(openMs).median, limit: 1000, unit: 'ms' },
    { name: 'look-up by key, p99', value: findShare(look, 0.99), limit: 2, unit: 'ms' },
  ];
  return { rows, targets };
}

/** Puts records into the tables, without their computed columns, which the next start adds. */
async function fill({ query }: Cluster, database: string): Promise<void> {
  const project = JSON.stringify(createProject({ versions: [] }));
  const build = JSON.stringify(createPassed());
  const { day, module } = createQuestion();
  const counters = Array.from({ length: NETWORKS }, (_, i) => {
    const record = { module, subject: `net:${nameNetwork(i)}`, day, count: 1, recent: [], within: [] };
    return `(${quote(usage.keyOf(record))}, ${quote(JSON.stringify(record))})`;
  });
  // In the order of creation, as ids are.
  const first = createBuildId(Date.now()).slice(0, 8);
  await query(
    database,
    `INSERT INTO docbuild.projects (key, record) SELECT 'project-' || i, (${quote(project)}::jsonb || jsonb_build_object(
  'name', 'project-' || i, 'url', 'https://code.example/o/project-' || i, 'domain', 'project-' || i || '.example'))::json
FROM generate_series(0, ${PROJECTS - 1}) i;
INSERT INTO docbuild.builds (key, record) SELECT id, (${quote(build)}::jsonb || jsonb_build_object(
  'id', id, 'project', 'project-' || i % ${PROJECTS}, 'ref', 'v' || i / ${PROJECTS} % 5, 'commit', 'commit-' || i))::json
FROM (SELECT i, ${quote(first)} || lpad(i::text, 12, '0') AS id FROM generate_series(0, ${BUILDS - 1}) i) numbered;
INSERT INTO docbuild.usage (key, record) VALUES ${counters.join(', ')};
UPDATE docbuild.indexes SET revision = 0 WHERE collection IN ('projects', 'builds', 'usage')`,
  );
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function askFrom(network: number): QuotaQuestion {
  return createQuestion({ subject: { networks: [nameNetwork(network)] } });
}

function nameNetwork(network: number): string {
  return `10.${network >> 16}.${(network >> 8) & 255}.${network & 255}`;
}

/** Returns how long each call takes, ms, ascending. */
async function timeEach<T>(values: readonly T[], call: (value: T, i: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (const [i, value] of values.entries()) {
    const start = performance.now();
    if ((await call(value, i)) === undefined) throw new Error('A record is not as it was made');
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b);
}

async function timeAll(count: number, call: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await Promise.all(Array.from({ length: count }, call));
  return performance.now() - start;
}

function findShare(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)]!;
}

function describe(times: readonly number[]): string {
  return `p50 ${findShare(times, 0.5).toFixed(3)} ms, p99 ${findShare(times, 0.99).toFixed(2)} ms`;
}
