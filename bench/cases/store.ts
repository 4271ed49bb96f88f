import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openLowdbStore } from '../../data/lowdb/open-lowdb-store.ts';
import type { Build } from '../../data/records/build.ts';
import type { Store } from '../../data/store.ts';
import type { BenchCase, Row, Target } from '../bench-case.ts';
import { watchEventLoop } from '../measure/event-loop-delay.ts';
import { findSpread } from '../measure/statistics.ts';
import { waitForCalm } from '../measure/wait-for-calm.ts';
import { fillStoreFolder } from '../store/fill-store-folder.ts';
import { measureLookUps } from '../store/measure-look-ups.ts';
import { writePlainly } from '../store/write-plainly.ts';

const PROJECTS = 10_000;
const FEW_BUILDS = 1_000;
const BUILDS = 100_000;
const CALLERS = 200;
const BATCHES = 40;
const CALM_LIMIT_MS = 60_000;

/** The store with 10,000 projects and 100,000 builds: opening it, asking it, changing it from 200 sides at once. */
export const storeCase: BenchCase = {
  name: 'store',
  title: `The store of ${PROJECTS} projects and ${BUILDS} builds`,
  needsCorpus: false,
  async run({ folder, short, calm, say }) {
    const [few, many] = [join(folder, 'few'), join(folder, 'many')];
    await fillStoreFolder(few, { projects: PROJECTS, builds: FEW_BUILDS });
    await fillStoreFolder(many, { projects: PROJECTS, builds: BUILDS });

    const openMs: number[] = [];
    const openCpuMs: number[] = [];
    const fewUs: number[] = [];
    const manyUs: number[] = [];
    const ratios: number[] = [];
    const oursMs: number[] = [];
    const plainMs: number[] = [];
    const delays: number[] = [];
    let changes = 0;
    for (let round = 1; round <= short; round++) {
      if (calm && !(await waitForCalm(CALM_LIMIT_MS))) say('The machine does not become calm');
      const small = await openStore(few);
      const [start, cpu] = [performance.now(), process.cpuUsage()];
      const store = await openStore(many);
      openMs.push(performance.now() - start);
      const { user, system } = process.cpuUsage(cpu);
      openCpuMs.push((user + system) / 1000);
      // In turn, so that the machine's moods hit both.
      fewUs.push(await measureLookUps(small, { projects: PROJECTS, builds: FEW_BUILDS }));
      manyUs.push(await measureLookUps(store, { projects: PROJECTS, builds: BUILDS }));
      await small.close();

      const run = await changeAtOnce(store);
      changes = run.changes;
      oursMs.push(run.ms);
      delays.push(run.delayMs);
      await store.close();
      const place = join(folder, `plain-${round}`);
      mkdirSync(place);
      plainMs.push(writePlainly(join(many, 'builds.json'), place, BATCHES));
      ratios.push(plainMs.at(-1)! / oursMs.at(-1)!);
      say(
        `store, round ${round} of ${short}: open ${openMs.at(-1)!.toFixed(0)} ms, ratio ${ratios.at(-1)!.toFixed(2)}`,
      );
    }
    const lookUp = findSpread(manyUs).median / findSpread(fewUs).median;
    const ratio = findSpread(ratios).median;
    const perSecond = (ms: number): string => ((changes / ms) * 1000).toFixed(0);
    const ours = findSpread(oursMs);
    const plain = findSpread(plainMs);
    const rows: Row[] = [
      {
        name: 'open',
        ms: findSpread(openMs),
        note: `CPU of all threads ${findSpread(openCpuMs).median.toFixed(0)} ms`,
      },
      { name: 'look-ups', note: `${us(fewUs)} with ${FEW_BUILDS} builds, ${us(manyUs)} with ${BUILDS}` },
      { name: `${changes} durable changes, ${CALLERS} callers`, ms: ours, note: `${perSecond(ours.median)} a second` },
      { name: `${BATCHES} plain write-fsync-rename`, ms: plain, note: `${perSecond(plain.median)} changes a second` },
      { name: 'longest delay of the event loop', ms: findSpread(delays) },
    ];
    const targets: Target[] = [
      { name: 'open', value: findSpread(openMs).median, limit: 2000, unit: 'ms' },
      { name: 'look-up, many of few builds', value: lookUp, limit: 2, unit: '×' },
      { name: 'time of changes against plain batches', value: 1 / ratio, limit: 2, unit: '×' },
      { name: 'longest delay of the event loop', value: findSpread(delays).median, limit: 20, unit: 'ms' },
    ];
    return { rows, targets };
  },
};

function openStore(folder: string): Promise<Store> {
  return openLowdbStore({ folder, onWarning: (message) => console.error(message) });
}

/** Lets callers change builds, each the next one when its last change is on disk, `BATCHES` each. */
export async function changeAtOnce(store: Store) {
  const ids: Build[] = [];
  for (let i = 0; ids.length < CALLERS * 10; i++)
    ids.push((await store.builds.list({ project: `project-${i}`, limit: 1 }))[0]!);
  const stop = watchEventLoop();
  const start = performance.now();
  await Promise.all(
    Array.from({ length: CALLERS }, async (_, caller) => {
      for (let i = 0; i < BATCHES; i++) {
        const { id } = ids[(i * CALLERS + caller) % ids.length]!;
        await store.builds.change(id, (build) => ({ ...build, requests: build.requests + 1 }));
      }
    }),
  );
  return { ms: performance.now() - start, delayMs: stop(), changes: CALLERS * BATCHES };
}

function us(values: readonly number[]): string {
  return `${findSpread(values).median.toFixed(2)} µs`;
}
