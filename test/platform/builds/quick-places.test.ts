import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { openPostgresStore } from '../../../data/postgres/open-postgres-store.ts';
import { type Build, hasEnded } from '../../../data/records/build.ts';
import { createBuildLogs } from '../../../platform/builds/build-logs.ts';
import type { BuildRequest } from '../../../platform/builds/build-queue.ts';
import type { BuildWork } from '../../../platform/builds/build-runner.ts';
import { createSharedLogs } from '../../../platform/builds/log-storages.ts';
import { createSharedQueue } from '../../../platform/builds/shared-queue.ts';
import { createBuild, createOutcome, createProject } from '../../helpers/create-records.ts';
import { postgresTest, shareCluster } from '../../helpers/share-postgres.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

const cluster = shareCluster();

const FOREVER_MS = 1e8;
/** Longer than a place needs to notice who waits. */
const PAUSE_MS = 1_500;
const QUICK = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];
const SIX = ['one', 'two', 'three', 'four', 'five', 'six'];
const passing = createOutcome();

/** A build that runs, as a test sees it. */
interface Work {
  readonly build: Build;
  readonly node: number;
  end(): void;
  publish(): void;
}

/** Nodes with one place for any build and one for quick ones each, whose builds run until they are told to end, and one that builds nothing. */
async function openNodes(t: ExecutionContext, { count = 1, quickMs = FOREVER_MS } = {}) {
  const own = await cluster();
  const database = await own.createMigrated();
  const works: Work[] = [];
  const open = new Set<Work>();
  const changes: Build[] = [];
  const openNode = async (node: number, isBuilding: boolean) => {
    const run: BuildWork = (build, { signal, onPublished }) =>
      new Promise((resolve) => {
        const end = (outcome: Awaited<ReturnType<BuildWork>> = passing): void => {
          open.delete(work);
          resolve(outcome);
        };
        const work: Work = { build, node, publish: onPublished, end: () => end() };
        open.add(work);
        works.push(work);
        const abort = (): void => end({ status: 'cancelled', reason: 'Cancelled' });
        signal.addEventListener('abort', abort);
        if (signal.aborted) abort();
      });
    const store = await openPostgresStore({ url: own.url(database), onWarning: t.log });
    const queue = createSharedQueue({
      ...{ store, nodes: store.nodes, run, isBuilding },
      logs: createBuildLogs(createSharedLogs(store.nodes.logs, async () => false)),
      places: () => ({ concurrency: 1, quick: 1, quickMs }),
      onChange: (build) => changes.push(build),
      onError: (error) => t.fail(String(error)),
      now: () => new Date(),
    });
    t.teardown(async () => {
      await queue.stop();
      await store.close();
    });
    return { store, queue };
  };
  const { store, queue } = await openNode(-1, false);
  const nodes = await Promise.all(Array.from({ length: count }, (_, node) => openNode(node, true)));
  for (const name of [...QUICK, ...SIX]) {
    const url = `https://code.example/${name}/docs`;
    await store.projects.add(createProject({ name, url, versions: [] }));
  }
  const ask = (project: string, values: Partial<BuildRequest> = {}) =>
    queue.request({ project, ref: 'main', commit: '', cause: 'api', ...values });
  /** Stores that a build of a project took so long, and has just ended. */
  const remember = async (project: string, ms: number): Promise<void> => {
    const [startedAt, finishedAt] = [new Date(Date.now() - ms).toISOString(), new Date().toISOString()];
    await store.builds.add(createBuild({ project, status: 'passing', startedAt, finishedAt }));
  };
  const findOpen = (project: string) => [...open].find(({ build }) => build.project === project);
  /** Requests a build, and returns it once it has begun. */
  const begin = async (project: string): Promise<Work> => {
    const { id } = await ask(project);
    await waitUntil(() => findOpen(project)?.build.id === id);
    return findOpen(project)!;
  };
  return {
    ...{ store, queue, nodes, works, open, changes, ask, remember, begin, findOpen },
    sql: (text: string) => own.query(database, text),
    start: () => Promise.all(nodes.map((node) => node.queue.start())),
    begun: () => works.map(({ build }) => build.project),
  };
}

postgresTest('quick places: beside six new projects, one that is known to be quick begins at once', async (t) => {
  const place = await openNodes(t);
  await place.remember('alpha', 100);
  for (const name of SIX) await place.ask(name);
  await place.start();
  await waitUntil(() => place.open.size === 2);
  const [one, two] = [...place.open];
  // No other build ends, and none is late for a day.
  const quick = await place.begin('alpha');
  const [given] = [one!, two!].filter((work) => !place.open.has(work));
  const back = (await place.store.builds.find(given!.build.id))!;
  t.is(back.status, 'queued');
  t.regex(back.reason, /^A build that is known to be quick came first/);
  quick.end();
  // It has had a turn, and is tried again after the others.
  const others = SIX.filter((name) => !place.begun().includes(name));
  for (const name of [...others, given!.build.project]) {
    await waitUntil(() => place.begun().at(-1) === name);
    place.works.at(-1)!.end();
  }
  t.is((await place.queue.waitFor(back.id))?.status, 'passing');
  t.is(place.open.size, 1);
});

postgresTest('quick places: what is known to be quick goes before what is not, up to four times', async (t) => {
  const place = await openNodes(t);
  for (const name of QUICK) await place.remember(name, 100);
  // It can begin in the first place only.
  await place.remember('one', 2 * FOREVER_MS);
  await place.start();
  const first = await place.begin('one');
  const second = await place.begin('alpha');
  for (const name of ['two', 'three', ...QUICK.slice(1)]) await place.ask(name);
  await place.ask('alpha', { ref: 'next' });
  second.end();
  const expected = [...QUICK.slice(1), 'two', 'alpha', 'three'];
  for (const [i, name] of expected.entries()) {
    await waitUntil(() => place.works.length === 3 + i);
    t.is(place.begun().at(-1), name);
    place.works.at(-1)!.end();
  }
  t.true(place.open.has(first));
});

postgresTest('quick places: one that is not known gives way four times, and then has its time', async (t) => {
  const quickMs = 8 * PAUSE_MS;
  const place = await openNodes(t, { quickMs });
  for (const name of QUICK) await place.remember(name, 100);
  await place.remember('one', 2 * quickMs);
  await place.start();
  await place.begin('one');
  await place.begin('two');
  for (const name of QUICK.slice(0, 4)) {
    (await place.begin(name)).end();
    await waitUntil(() => place.begun().at(-1) === 'two');
  }
  const tried = place.works.at(-1)!;
  await place.ask('epsilon');
  await sleep(PAUSE_MS);
  t.true(place.open.has(tried));
  // Its time is over before it is late.
  await waitUntil(() => place.begun().at(-1) === 'epsilon');
  const back = (await place.store.builds.find(tried.build.id))!;
  t.regex(back.reason, /^Others could be built quickly/);
});

postgresTest(
  'quick places: a project that is known to be slow waits for the first place, and has its turn there',
  async (t) => {
    const place = await openNodes(t);
    for (const name of ['one', 'two', 'three']) await place.remember(name, 2 * FOREVER_MS);
    await place.start();
    const first = await place.begin('one');
    await place.ask('two');
    await place.ask('three');
    const other = await place.begin('four');
    await sleep(PAUSE_MS);
    t.deepEqual(place.begun(), ['one', 'four']);
    for (const work of [first, other]) work.end();
    await waitUntil(() => place.begun().at(-1) === 'two');
    place.works.at(-1)!.end();
    await waitUntil(() => place.begun().at(-1) === 'three');
  },
);

postgresTest('quick places: a turn counts as waiting once places at other nodes had time to take it', async (t) => {
  const { store, ask, remember } = await openNodes(t);
  const { nodes } = store;
  await remember('alpha', 100);
  await ask('alpha');
  await ask('one');
  t.deepEqual(await nodes.findWaiting(0), { quick: true, unknown: true });
  t.deepEqual(await nodes.findWaiting(60_000), { quick: false, unknown: false });
  t.false(await nodes.claimQuick(60_000));
  await sleep(20);
  t.deepEqual(await nodes.findWaiting(20), { quick: true, unknown: true });
  t.true(await nodes.claimQuick(20));
  t.false(await nodes.claimQuick(0), 'somebody makes way');
});

postgresTest('quick places: who comes after a turn was taken out of order waits behind nobody for that', async (t) => {
  const place = await openNodes(t, { quickMs: 60_000 });
  // It keeps the first place.
  await place.remember('one', 70_000);
  await place.ask('one');
  await place.start();
  await waitUntil(() => place.begun().length === 1);
  const many = Array.from({ length: 8 }, (_, i) => `many-${i}`);
  for (const name of many) {
    const url = `https://code.example/many/${name}`;
    await place.store.projects.add(createProject({ name, url, versions: [] }));
    // Nothing is known of the last one.
    if (name !== many.at(-1)) await place.remember(name, 100);
  }
  await place.remember('alpha', 100);
  for (const name of many) await place.ask(name);
  for (const name of [...many.slice(0, 5), many[7]!]) {
    await waitUntil(() => place.begun().at(-1) === name);
    // The one before that has had its turn, which was the last of all.
    if (name === many[7]) await place.ask('alpha');
    place.findOpen(name)!.end();
  }
  for (const name of [many[5]!, 'alpha', many[6]!]) {
    await waitUntil(() => place.open.size === 2);
    t.is(place.begun().at(-1), name);
    place.findOpen(name)?.end();
  }
});

postgresTest('quick places: of several nodes one gives way to a quick build', async (t) => {
  const place = await openNodes(t, { count: 3 });
  await place.remember('alpha', 100);
  for (const name of SIX) await place.ask(name);
  await place.start();
  await waitUntil(() => place.open.size === 6);
  const quick = await place.begin('alpha');
  await sleep(PAUSE_MS);
  const given = place.changes.filter(({ status, reason }) => status === 'queued' && reason !== '');
  t.is(given.length, 1);
  t.is(
    given[0]!.project,
    place.works.find(({ node, build }) => node === quick.node && build.id === given[0]!.id)!.build.project,
  );
});

postgresTest('quick places: one that takes longer than it used to gives way to another one', async (t) => {
  const quickMs = 3 * PAUSE_MS;
  const place = await openNodes(t, { quickMs });
  for (const name of QUICK) await place.remember(name, 1);
  await place.remember('one', 2 * quickMs);
  await place.start();
  await place.begin('one');
  const late = await place.begin('alpha');
  await place.begin('beta');
  t.false(place.open.has(late));
  t.regex((await place.store.builds.find(late.build.id))!.reason, /^A build that is known to be quick came first/);
});

postgresTest('quick places: one that has published does not give way', async (t) => {
  const place = await openNodes(t);
  await place.remember('alpha', 100);
  await place.remember('one', 2 * FOREVER_MS);
  await place.start();
  const works = [await place.begin('one'), await place.begin('two')];
  for (const work of works) work.publish();
  await place.ask('alpha');
  await sleep(PAUSE_MS);
  t.deepEqual(place.begun(), ['one', 'two']);
  works[1]!.end();
  await waitUntil(() => place.begun().at(-1) === 'alpha');
});

postgresTest('quick places: turns that a node of the release before has asked for are taken, too', async (t) => {
  const place = await openNodes(t);
  await place.remember('alpha', 100);
  const asked = [await place.ask('alpha'), await place.ask('one'), await place.ask('two')];
  // It names no speeds.
  await place.sql(`UPDATE docbuild_jobs._private_jobs SET flags = NULL`);
  await place.sql(`UPDATE docbuild.turns SET speed = DEFAULT`);
  await place.start();
  const timer = setInterval(() => {
    for (const work of place.open) work.end();
  }, 10);
  t.teardown(() => clearInterval(timer));
  for (const { id } of asked) t.true(hasEnded((await place.queue.waitFor(id))!.status));
});
