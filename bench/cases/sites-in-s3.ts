import { randomBytes } from 'node:crypto';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { buildSite, readSite } from '../../builder/index.ts';
import { createFolderSites } from '../../platform/sites/folder-sites.ts';
import type { SiteStorage } from '../../platform/sites/site-storage.ts';
import { hasS3, startS3 } from '../../test/helpers/s3-server.ts';
import { type BenchCase, type CaseResult, getCorpus, type Row, type Target } from '../bench-case.ts';
import { changePage } from '../corpus/change-page.ts';
import { createSynthetic, pagePath } from '../corpus/create-synthetic.ts';
import { git } from '../corpus/git.ts';
import { type BenchSites, openBenchSites } from '../measure/bench-sites.ts';
import { readTreeCpuMs } from '../measure/sample-memory.ts';
import { type RunningServer, startSiteServer } from '../measure/start-server.ts';
import { findSpread } from '../measure/statistics.ts';

const PAGE = 'docs/en/guide/deploy.md';
const CHANGES = 10;
const WARM_UP = 2_000;
const REQUESTS = 20_000;
const CONNECTIONS = 32;
const PATHS = ['/en/v1.6.3/guide/deploy', '/en/latest/guide/deploy.html', '/en/latest/', '/versions.json'];

/** Publishing to S3: uploads and time; and pages from a warm folder. */
export const sitesInS3Case: BenchCase = {
  name: 'sites-in-s3',
  title: 'Sites in S3 (Ceph, in memory, on this machine): 28 tags and a branch of the corpus',
  needsCorpus: true,
  async run(bench) {
    if (!hasS3) throw new Error('There is no S3 server: set S3_ENDPOINT, S3_ACCESS_KEY and S3_SECRET_KEY');
    const server = await startS3();
    try {
      return await measure(bench.folder, getCorpus(bench).repository, { server, rounds: bench.short });
    } finally {
      await server.stop();
    }
  },
};

/** So many pages, and what one of them that changes may upload. */
const LARGE_SITES = [5_000, 30_000];
const MOST_BYTES = 300_000;

/** What a one-page push uploads of large sites. */
export const largeSitesInS3Case: BenchCase = {
  name: 'large-sites-in-s3',
  title: 'A changed page of 5,000 and of 30,000 synthetic pages, uploaded to S3 (Ceph, in memory, on this machine)',
  needsCorpus: false,
  async run(bench) {
    if (!hasS3) throw new Error('There is no S3 server: set S3_ENDPOINT, S3_ACCESS_KEY and S3_SECRET_KEY');
    const server = await startS3();
    const rows: Row[] = [];
    const targets: Target[] = [];
    try {
      for (const pages of LARGE_SITES) {
        const repository = createSynthetic(bench.folder, { pages });
        const place = {
          server,
          bucket: `bench-${randomBytes(6).toString('hex')}`,
          folder: join(bench.folder, `${pages}`),
        };
        const sites = openBenchSites({ ...place, edition: '' });
        const out = join(sites.folder, 'bench', 'site');
        const options = { repository, out, cacheFolder: join(place.folder, 'blobs'), llmsFull: 'none' as const };
        const publish = () =>
          sites.publish({ project: 'bench', build: 'b', timeoutMs: 3_600_000, signal: new AbortController().signal });
        await buildSite(options);
        const whole = (await publish())!;
        git(repository, ['fast-import', '--quiet', '--force'], changeOf(pagePath(7, false)));
        await buildSite(options);
        const start = performance.now();
        const changed = (await publish())!;
        const ms = findSpread([performance.now() - start]);
        await sites.close();
        const name = `a changed page of ${pages.toLocaleString('en')}`;
        rows.push({ name, ms, note: `${changed.objects} objects, ${changed.bytes} bytes; at first ${whole.bytes}` });
        targets.push({ name: `${name}, MB`, value: changed.bytes / 1e6, limit: MOST_BYTES / 1e6, unit: 'MB' });
      }
      return { rows, targets };
    } finally {
      await server.stop();
    }
  },
};

function changeOf(path: string): string {
  const text = '# A page\n\nIt has changed.\n';
  const head = 'commit refs/heads/main\ncommitter Bench <bench@example.test> 1704164646 +0000\ndata 6\nChange\n';
  return `${head}from refs/heads/main^0\nM 100644 inline docs/${path}\ndata ${text.length}\n${text}\n`;
}

async function measure(
  folder: string,
  corpus: string,
  { server, rounds }: Pick<BenchSites, 'server'> & { readonly rounds: number },
): Promise<CaseResult> {
  const repository = join(folder, 'corpus.git');
  git(folder, ['clone', '--quiet', '--bare', corpus, repository]);
  const place = { server, bucket: `bench-${randomBytes(6).toString('hex')}`, folder };
  const sites = openBenchSites({ ...place, edition: '' });
  const out = join(sites.folder, 'bench', 'site');
  const build = () => buildSite({ repository, out, cacheFolder: join(folder, 'blobs'), refs: 'main|v*' });
  const publish = async (storage: SiteStorage): Promise<{ ms: number; objects: number; bytes: number }> => {
    const start = performance.now();
    const order = { project: 'bench', build: 'b', timeoutMs: 600_000, signal: new AbortController().signal };
    const upload = await storage.publish(order);
    return { ms: performance.now() - start, objects: 0, bytes: 0, ...upload };
  };
  await build();
  const distinct = [...readSite(out)!.sizes.values()].reduce((sum, size) => sum + size, 0);
  const whole = await publish(sites);
  const changes = [];
  for (let n = 0; n < CHANGES; n++) {
    changePage(repository, { branch: 'main', path: PAGE, text: `\nParagraph ${n}.\n` });
    await build();
    changes.push(await publish(sites));
  }
  const most = Math.max(...changes.map(({ objects }) => objects));
  const changedMs = findSpread(changes.map(({ ms }) => ms));
  const rows: Row[] = [
    {
      name: 'the first upload',
      ms: findSpread([whole.ms]),
      note: `${whole.objects} objects, ${whole.bytes} bytes for ${distinct} of distinct files`,
    },
    { name: 'a changed page, after its build', ms: changedMs, note: `${most} objects, ${changes.at(-1)!.bytes} bytes` },
  ];
  const targets: Target[] = [
    { name: 'uploaded bytes of those of distinct files', value: whole.bytes / distinct, limit: 1.2, unit: '×' },
    { name: 'objects of a changed page', value: most, limit: 20, unit: '' },
  ];
  const compressing = createFolderSites({ folder: sites.folder, onError: (error) => console.error(error) });
  await publish(compressing);
  await compressing.close();
  const edition = sites.edition();
  await sites.close();
  const own = JSON.stringify({ ...place, folder: join(folder, 'other'), edition });
  const servers = [await startSiteServer('site', out), await startSiteServer('s3', own)] as const;
  try {
    const seen: number[][] = [[], []];
    const cpu: number[][] = [[], []];
    const first: number[] = [];
    for (const path of PATHS) {
      const start = performance.now();
      await ask(servers[1], path, new Agent());
      first.push(performance.now() - start);
    }
    for (let round = 0; round < rounds * 2; round++) {
      // Whichever is measured second finds a busier machine, so they take turns.
      for (const i of round % 2 === 0 ? [0, 1] : [1, 0]) {
        const run = await load(servers[i]!);
        seen[i]!.push(run.perSecond);
        cpu[i]!.push(run.cpuUs);
      }
    }
    const ratio = findSpread(seen[1]!.map((perSecond, i) => perSecond / seen[0]![i]!)).median;
    rows.push({ name: 'a page that this node has not had yet', ms: findSpread(first) });
    for (const [i, name] of ['pages from folders', 'pages from S3, warm'].entries()) {
      const note = `${Math.round(findSpread(seen[i]!).median)} answers a second, ${findSpread(cpu[i]!).median.toFixed(0)} µs of CPU each`;
      rows.push({ name, note });
    }
    targets.push({ name: 'pages from folders of those from S3', value: 1 / ratio, limit: 1 / 0.9, unit: '×' });
    return { rows, targets };
  } finally {
    for (const one of servers) await one.stop();
  }
}

/** Asks for pages, some at a time. */
async function load(server: RunningServer): Promise<{ perSecond: number; cpuUs: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const run = async (count: number): Promise<void> => {
    let next = 0;
    const one = async (): Promise<void> => {
      while (next < count) await ask(server, PATHS[next++ % PATHS.length]!, agent);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, one));
  };
  await run(WARM_UP);
  const [start, cpuMs] = [performance.now(), readTreeCpuMs(server.pid)];
  await run(REQUESTS);
  const ms = performance.now() - start;
  agent.destroy();
  return {
    perSecond: (REQUESTS * 1_000) / ms,
    cpuUs: ((readTreeCpuMs(server.pid) - cpuMs) * 1_000) / REQUESTS,
  };
}

function ask({ url }: RunningServer, path: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url + path, { agent, headers: { 'accept-encoding': 'br' } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`"${path}" was answered ${response.statusCode}`));
      response.resume().once('end', resolve);
    }).once('error', reject);
  });
}
