import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { programs } from '../../test/helpers/postgres-cluster.ts';
import { hasS3, type S3Server, startS3 } from '../../test/helpers/s3-server.ts';
import { serveGit } from '../../test/helpers/serve-git.ts';
import { type Bench, type BenchCase, getCorpus, type Row, type Target } from '../bench-case.ts';
import { git } from '../corpus/git.ts';
import { createMarkedProject, type MarkedProject } from '../fleet/marked-project.ts';
import type { NodeProcess } from '../fleet/node-process.ts';
import { type Place, withPlace } from '../fleet/with-place.ts';
import { pushPage } from '../measure/push-page.ts';
import { readTreeCpuMs, readTreeMemory } from '../measure/sample-memory.ts';
import { findSpread } from '../measure/statistics.ts';

const PAGE = 'docs/en/guide/deploy.md';
const WARM_UP = 3;
/** For each repetition of what is short. */
const PUSHES = 6;
const PROJECTS = 24;
const BUILD_NODES = [1, 2, 4];
const TAKES = 2_000;
const CALLERS = 32;
const PASSWORD = 'correct horse battery';
const SETTLE_MS = 15_000;
const IDLE_MS = 60_000;

/** A service of several nodes: pushes, builds, quotas, and nodes that have nothing to do. */
export const nodesCase: BenchCase = {
  name: 'nodes',
  title: 'Several nodes on one machine: PostgreSQL, and S3 (Ceph, in memory)',
  needsCorpus: true,
  async run(bench) {
    if (!hasS3 || !programs) throw new Error('PostgreSQL or the S3 server is missing');
    const s3 = await startS3();
    try {
      const say = (what: string) => bench.say(`  ${what}`);
      say('pushes');
      const pushes = { s3: await measurePushes(bench, { s3 }), folder: await measurePushes(bench, {}) };
      say('builds');
      const builds = await withPlace(bench.folder, {}, measureBuilds);
      say('takes');
      const takes = await withPlace(bench.folder, {}, measureTakes);
      say('idle');
      const idle = await withPlace(bench.folder, { s3 }, measureIdle);
      return {
        rows: [...pushes.s3.rows, ...pushes.folder.rows, ...builds, ...takes, ...idle],
        targets: [...pushes.s3.targets],
      };
    } finally {
      await s3.stop();
    }
  },
};

/** From a webhook at one web node to the changed page at the other one; either of two nodes builds. */
function measurePushes(
  bench: Bench,
  sites: { readonly s3?: S3Server },
): Promise<{ readonly rows: readonly Row[]; readonly targets: readonly Target[] }> {
  return withPlace(bench.folder, sites, async ({ t, folder, start }) => {
    const repository = join(folder, 'git', 'live.git');
    mkdirSync(join(folder, 'git'));
    const { repository: corpus } = getCorpus(bench);
    git(folder, ['clone', '--quiet', '--bare', '--single-branch', '--no-tags', corpus, repository]);
    const { url } = await serveGit(t, join(folder, 'git'));
    const [asked, read] = await start('web', 2);
    await start('build', 2);
    const operations = await asked!.operations();
    await operations.createProject({ name: 'live', settings: { url: `${url}/live.git`, latest: 'main' } });
    // The first build of each node renders everything.
    for (let i = 0; i < 4; i++) {
      const { id } = await operations.build({ name: 'live', all: true });
      const { status, reason } = await operations.waitForBuild({ id });
      if (status !== 'passing') throw new Error(reason);
    }
    const seen: { readonly ms: number; readonly buildMs: number }[] = [];
    for (let n = 0; n < WARM_UP + PUSHES * bench.short; n++) {
      const order = { project: 'live', path: PAGE, url: 'en/main/guide/deploy.html', readAt: read!.origin };
      seen.push(await pushPage(asked!.origin, repository, order));
    }
    const warm = seen.slice(WARM_UP);
    const sorted = warm.map(({ ms }) => ms).sort((a, b) => a - b);
    const p95 = sorted[Math.ceil(sorted.length * 0.95) - 1]!;
    const buildMs = findSpread(warm.map((one) => one.buildMs)).median;
    const where = sites.s3 ? 'S3' : 'a shared folder';
    return {
      rows: [
        {
          name: `push to live, sites in ${where}`,
          ms: findSpread(sorted),
          note: `p95 ${p95.toFixed(0)} ms; ${buildMs.toFixed(0)} ms of the median are the build`,
        },
      ],
      targets: [{ name: 'push to live over nodes, p95', value: p95, limit: 1_500, unit: 'ms' }],
    };
  });
}

/** Small projects that all have a push, built by one, two and four nodes. */
async function measureBuilds({ folder, start }: Place): Promise<readonly Row[]> {
  const [web] = await start('web', 1);
  const operations = await web!.operations();
  const projects: MarkedProject[] = [];
  for (let i = 0; i < PROJECTS; i++) {
    const project = await createMarkedProject(folder, { name: `p${i}`, isWhole: true });
    await operations.createProject({ name: project.name, settings: { url: project.repository } });
    projects.push(project);
  }
  const buildAll = async (): Promise<number> => {
    for (const project of projects) await project.push();
    const begun = performance.now();
    const asked = await Promise.all(projects.map(({ name }) => operations.build({ name, all: true })));
    const ended = await Promise.all(asked.map(({ id }) => operations.waitForBuild({ id })));
    const failed = ended.find(({ status }) => status !== 'passing');
    if (failed) throw new Error(`${failed.project}: ${failed.reason}`);
    return performance.now() - begun;
  };
  const rows: Row[] = [];
  let running = 0;
  for (const count of BUILD_NODES) {
    await start('build', count - running);
    running = count;
    for (let i = 0; i < 2 * count; i++) await buildAll();
    const ms = [];
    for (let i = 0; i < 5; i++) ms.push(await buildAll());
    const perMinute = Math.round((PROJECTS * 60_000) / findSpread(ms).median);
    rows.push({
      name: `${PROJECTS} projects with a push each, ${count} build node${count === 1 ? '' : 's'}`,
      ms: findSpread(ms),
      note: `${perMinute} builds a minute`,
    });
  }
  return rows;
}

/** Inclusion queries that each take one of a quota, over one and over three web nodes. */
async function measureTakes({ start, engines }: Place): Promise<readonly Row[]> {
  const webs = await start('web', 3);
  const operations = await webs[0]!.operations();
  const keys: string[] = [];
  for (let i = 0; i < CALLERS; i++) {
    const { uid } = await operations.createUser({ account: `caller${i}`, password: PASSWORD });
    await operations.grantPlan({ uid, payment: { monthly: 10, months: 1 } });
    keys.push((await operations.createKey({ uid, permission: 'read' })).key);
  }
  let next = 0;
  const take = async (node: NodeProcess, key: string): Promise<void> => {
    const query = new URLSearchParams({ url: `https://page.example/${next++}`, force: '1' });
    const answer = await fetch(`${node.origin}/api/BetaIncludedQuery?${query}`, {
      headers: { Authorization: `Token ${key}` },
    });
    const text = await answer.text();
    if (answer.status !== 200 || !(JSON.parse(text) as { deduct: boolean }).deduct) throw new Error(text);
  };
  const rows: Row[] = [];
  for (const [name, chosen, callers] of [
    ['one node, a user each', webs.slice(0, 1), keys],
    ['three nodes, a user each', webs, keys],
    ['three nodes, all of one user', webs, keys.map(() => keys[0]!)],
  ] as const) {
    const run = async (count: number): Promise<number> => {
      let left = count;
      const start = performance.now();
      await Promise.all(
        callers.map(async (key, i) => {
          while (left-- > 0) await take(chosen[i % chosen.length]!, key);
        }),
      );
      return performance.now() - start;
    };
    await run(TAKES / 4);
    const ms = await run(TAKES);
    engines.asked.length = 0;
    rows.push({
      name: `${TAKES} inclusion queries, ${CALLERS} callers at once, ${name}`,
      ms: findSpread([ms]),
      note: `${Math.round((TAKES * 1_000) / ms)} a second`,
    });
  }
  return rows;
}

/** Nodes that have nothing to do. */
async function measureIdle({ cluster, sql, start }: Place): Promise<readonly Row[]> {
  const nodes = [...(await start('web', 2)), ...(await start('build', 2))];
  const server = Number.parseInt(readFileSync(join(cluster.folder, 'data', 'postmaster.pid'), 'latin1'), 10);
  await sleep(SETTLE_MS);
  const pids = [...nodes.map(({ pid }) => pid), server];
  const before = pids.map(readTreeCpuMs);
  await sleep(IDLE_MS);
  const percent = pids.map((pid, i) => ((readTreeCpuMs(pid) - before[i]!) / IDLE_MS) * 100);
  const rows: Row[] = [];
  const [found] = await sql(
    `SELECT count(*)::int AS count FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  );
  for (const [i, node] of nodes.entries()) {
    const megabytes = Math.round(readTreeMemory(node.pid) / 1e6);
    rows.push({ name: `an idle ${node.role} node`, note: `${percent[i]!.toFixed(1)} % of a core, ${megabytes} MB` });
  }
  const name = 'PostgreSQL with these four nodes';
  rows.push({ name, note: `${percent.at(-1)!.toFixed(1)} % of a core, ${found!['count']} connections` });
  return rows;
}
