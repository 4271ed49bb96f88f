import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { openPostgresStore } from '../../data/postgres/open-postgres-store.ts';
import { objectNames, openContentCache } from '../../platform/sites/s3/content-cache.ts';
import { createListMemory, readEdition } from '../../platform/sites/s3/open-edition.ts';
import { parseS3Address } from '../../platform/sites/s3/s3-address.ts';
import { type Bucket, listKeys, openBucket } from '../../platform/sites/s3/s3-bucket.ts';
import { createS3Sites } from '../../platform/sites/s3/s3-sites.ts';
import type { S3Server } from '../../test/helpers/s3-server.ts';
import type { Check } from '../attacks/attack.ts';
import { createRandom } from '../corpus/random.ts';
import { createMarkedProject, findMarks, type MarkedProject } from '../fleet/marked-project.ts';
import type { NodeProcess } from '../fleet/node-process.ts';
import { type Place, withPlace } from '../fleet/with-place.ts';

/** How many sites are published at least, and how many build nodes are killed meanwhile, evenly. */
const PUBLISHES = 1_000;
const KILLS = 60;
/** Nothing that is not named is in the bucket after this time; `docs/en/s3.md` says so. */
const LIMIT_HOURS = 96;
/** How often one node looks. */
const EVERY_HOURS = 6;
const HOUR_MS = 3_600_000;
/** Most that the bucket may hold, as a multiple of what sites name. */
const MOST = 1.2;
const PROJECTS = ['guide', 'manual', 'handbook', 'primer'];
const PATIENCE = { retryMs: 20_000 };
const AT_ONCE = 16;

interface Held {
  readonly objects: number;
  readonly bytes: number;
}

/** Findings, hour by hour. */
export interface GarbageResult {
  readonly checks: readonly Check[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * Publishes sites from nodes that are killed meanwhile, and then lets days pass for what collects garbage: nodes and S3 are real,
 * the clock of the collector is ahead.
 */
export async function measureGarbage(
  folder: string,
  options: { readonly s3: S3Server; readonly seed: number; readonly say: (text: string) => void },
): Promise<GarbageResult> {
  return await withPlace(folder, { s3: options.s3, quick: 1 }, (place) => measure(place, options));
}

async function measure(place: Place, { s3, seed, say }: Parameters<typeof measureGarbage>[1]): Promise<GarbageResult> {
  const random = createRandom(seed);
  const [web] = (await place.start('web', 1)) as [NodeProcess];
  const builders = await place.start('build', 2);
  const projects = await Promise.all(
    PROJECTS.map((name, i) => createMarkedProject(place.folder, { name, isWhole: i % 2 === 0 })),
  );
  const operations = await web.operations();
  for (const { name, repository } of projects) {
    await operations.createProject({ name, settings: { url: repository, showNav: false }, isPublic: true });
  }
  const ends = new Map<string, number>();
  let published = 0;
  let kills = 0;
  const publish = async (project: MarkedProject): Promise<void> => {
    while (published < PUBLISHES) {
      const { id } = await operations.build({ name: project.name, all: true });
      const { status } = await operations.waitForBuild({ id });
      ends.set(status, (ends.get(status) ?? 0) + 1);
      if (status === 'passing') published++;
      await project.push();
    }
  };
  const kill = async (): Promise<void> => {
    for (; kills < KILLS; kills++) {
      while (published < ((kills + 1) * PUBLISHES) / (KILLS + 1)) await sleep(20);
      await sleep(random.number(400));
      const node = random.pick(builders);
      await node.kill();
      await node.start();
      if (kills % 10 === 0) say(`${published} published, ${kills + 1} kills`);
    }
  };
  await Promise.all([...projects.map(publish), kill()]);
  for (const { name } of projects) {
    const { id } = await operations.build({ name, all: true });
    await operations.waitForBuild({ id });
  }

  const { store, address } = await readPlace(place, s3);
  const bucket = openBucket(address, () => s3);
  let aheadMs = 0;
  const errors: string[] = [];
  const sites = createS3Sites({
    bucket,
    projects: store.projects,
    builds: store.builds,
    maxCacheBytes: 100_000_000,
    folder: join(place.folder, 'collector', 'sites'),
    cacheFolder: join(place.folder, 'collector', 'cache'),
    now: () => new Date(Date.now() + aheadMs),
    onWarning: (message) => void errors.push(message),
    onError: (error) => void errors.push((error as Error).message),
  });
  const named = await readNamed(store, bucket, join(place.folder, 'named'));
  const before = await weigh(bucket);
  const rows = [describe('after the last push', before, named)];
  for (let hours = 0; hours <= LIMIT_HOURS; hours += EVERY_HOURS) {
    aheadMs = hours * HOUR_MS;
    await sites.collect();
    if (hours % 24 === 0) rows.push(describe(`${hours} h later`, await weigh(bucket), named));
  }
  const after = await weigh(bucket);
  const missing = [...named.keys].filter((key) => !after.keys.has(key));
  // A node that has nothing on its disk.
  const [cold] = (await place.start('web', 1)) as [NodeProcess];
  const wrong: string[] = [];
  for (const project of projects) {
    for (const page of ['latest/', 'latest/one.html', 'main/two.html', 'v1/three.html']) {
      const answer = await fetch(`${cold.origin}/docs/${project.name}/en/${page}`);
      const marks = findMarks(await answer.text());
      if (answer.status !== 200 || marks.join() !== String(project.mark)) {
        wrong.push(`${project.name}/${page}: ${answer.status}, pushes ${marks.join(', ')} of ${project.mark}`);
      }
    }
  }
  await sites.close();
  await store.close();
  const share = after.bytes / named.bytes;
  return {
    rows,
    checks: [
      {
        name: `the bucket holds at most ${MOST} times what is named, ${LIMIT_HOURS} h after ${PUBLISHES} publishes and ${KILLS} kills`,
        holds: share <= MOST && after.objects <= MOST * named.objects && published >= PUBLISHES && kills === KILLS,
        seen: `${share.toFixed(3)} of the bytes, ${(after.objects / named.objects).toFixed(3)} of the objects; ${published} published, builds ${[...ends].map(([status, count]) => `${status} × ${count}`).join(', ')}, ${kills} kills`,
      },
      {
        name: 'nothing that is named is gone, and a node without a disk cache shows all of the newest push',
        holds: missing.length === 0 && wrong.length === 0,
        seen:
          [...missing.slice(0, 3), ...wrong.slice(0, 3)].join('; ') ||
          `${named.objects} objects, ${projects.length} sites`,
      },
      {
        name: 'the collector reports no error',
        holds: errors.length === 0,
        seen: errors.slice(0, 3).join('; ') || 'none',
      },
    ],
  };
}

async function readPlace({ cluster, sql }: Place, s3: S3Server) {
  const [row] = await sql('SELECT current_database() AS name');
  const name = String(row!['name']);
  const store = await openPostgresStore({ url: cluster.url(name), onWarning: console.error });
  return { store, address: parseS3Address(`s3://docs/${name}?endpoint=${s3.endpoint}`) };
}

/** Returns what the records name: roots, lists and contents of the editions that readers get. */
async function readNamed(
  store: Pick<Awaited<ReturnType<typeof openPostgresStore>>, 'projects'>,
  bucket: Bucket,
  folder: string,
): Promise<Held & { readonly keys: ReadonlySet<string> }> {
  const cache = openContentCache({ folder, bucket, maxBytes: 500_000_000, onProblem: console.error });
  const keys = new Set<string>();
  for (const project of PROJECTS) {
    const edition = (await store.projects.find(project))?.site?.edition ?? '';
    const { contents } = await readEdition(project, edition, { cache, findList: createListMemory(cache) });
    for (const content of contents) {
      for (const name of objectNames(content)) keys.add(`${project}/${content.day}/${name}`);
    }
  }
  return { keys, objects: keys.size, bytes: await sumBytes(bucket, keys) };
}

async function weigh(bucket: Bucket): Promise<Held & { readonly keys: ReadonlySet<string> }> {
  const keys = new Set<string>();
  for await (const key of listKeys(bucket, '', PATIENCE)) keys.add(key);
  return { keys, objects: keys.size, bytes: await sumBytes(bucket, keys) };
}

async function sumBytes(bucket: Bucket, keys: ReadonlySet<string>): Promise<number> {
  const sizes = await pMap(keys, async (key) => (await bucket.get(key, PATIENCE))?.length ?? 0, {
    concurrency: AT_ONCE,
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

function describe(when: string, held: Held, named: Held): readonly string[] {
  const share = (key: keyof Held): string => `${(held[key] / named[key]).toFixed(2)} ×`;
  return [when, `${held.objects} (${share('objects')})`, `${(held.bytes / 1e6).toFixed(1)} MB (${share('bytes')})`];
}
