import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { programs } from '../../test/helpers/postgres-cluster.ts';
import { serveGit } from '../../test/helpers/serve-git.ts';
import type { BenchCase, Row } from '../bench-case.ts';
import { type Place, withPlace } from '../fleet/with-place.ts';
import { pushPage } from '../measure/push-page.ts';
import { findSpread } from '../measure/statistics.ts';
import { createSmall, NEIGHBOUR_MS, readStatus } from './neighbour.ts';

const PAGE = { project: 'small', path: 'docs/index.md', url: 'en/main/' };
const BUILD_NODES = [1, 2];
const SLOW = 6;
/** Longer than all pushes take. */
const SLOW_SECONDS = 300;
/** How long the slow builds run before the first push. */
const HEAD_START_MS = 500;
const PUSHES = 6;
const PAUSE_MS = 3_000;

/** From a webhook to the changed page of a small project, over nodes, while all others are slow and new. */
export const neighbourNodesCase: BenchCase = {
  name: 'neighbour-nodes',
  title: `Push to live beside ${SLOW} slow projects over nodes: PostgreSQL, \`concurrency: 1\`, \`quick: 1\``,
  needsCorpus: false,
  async run(bench) {
    if (!programs) throw new Error('PostgreSQL is missing');
    const rows: Row[] = [];
    let worst = 0;
    for (const count of BUILD_NODES) {
      bench.say(`  ${count}`);
      const ms = await withPlace(bench.folder, { quick: 1 }, (place) => measureBeside(place, count));
      worst = Math.max(worst, ...ms);
      const name = `beside ${SLOW} projects that wait, ${count} build node${count === 1 ? '' : 's'}`;
      rows.push({ name, ms: findSpread(ms), note: ms.map((one) => one.toFixed(0)).join(', ') });
    }
    return { rows, targets: [{ name: 'the slowest push beside them', value: worst, limit: NEIGHBOUR_MS, unit: 'ms' }] };
  },
};

/** Requests builds of slow projects at once, each of another owner, and measures pushes to a small one every few seconds. */
async function measureBeside({ t, folder, start }: Place, count: number): Promise<readonly number[]> {
  const served = join(folder, 'git');
  mkdirSync(served);
  const small = createSmall(served);
  const { url } = await serveGit(t, served);
  const [web] = await start('web', 1);
  await start('build', count);
  const operations = await web!.operations();
  const create = (name: string, settings: { readonly url: string; readonly before?: string }) =>
    operations.createProject({ name, settings: { latest: 'main', ...settings } });
  await create('small', { url: `${url}/small.git` });
  const slow = Array.from({ length: SLOW }, (_, number) => `slow${number}`);
  for (const name of slow) {
    const own = join(folder, name);
    mkdirSync(own);
    await create(name, { url: createSmall(own), before: `sleep ${SLOW_SECONDS}` });
  }
  // Each node has built it once.
  for (let n = 0; n < 2 * count; n++) await pushPage(web!.origin, small, PAGE);
  const builds = await Promise.all(slow.map((name) => operations.build({ name, all: true })));
  await sleep(HEAD_START_MS);
  const ms: number[] = [];
  for (let n = 0; n < PUSHES; n++) {
    ms.push((await pushPage(web!.origin, small, PAGE)).ms);
    await sleep(PAUSE_MS);
  }
  for (const { id } of builds) {
    const status = await readStatus(web!.origin, id);
    if (status !== 'running' && status !== 'queued') throw new Error(`A slow build ended too early: ${status}`);
  }
  return ms;
}
