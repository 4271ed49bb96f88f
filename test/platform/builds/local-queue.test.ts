import { mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { DataError } from '../../../data/data-error.ts';
import type { Store } from '../../../data/store.ts';
import { createBuildLogs } from '../../../platform/builds/build-logs.ts';
import { createLocalQueue } from '../../../platform/builds/local-queue.ts';
import { createLogFiles } from '../../../platform/builds/log-storages.ts';
import { createBuild, createOutcome, createProject } from '../../helpers/create-records.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { openStore } from '../../helpers/open-store.ts';
import test from '../../helpers/serial-test.ts';
import { waitUntil } from '../../helpers/wait-until.ts';
import { openPlace, type QueueOptions, testQueue } from './queue-contract.ts';

/** A queue on real files. */
async function open(
  t: ExecutionContext,
  options: QueueOptions,
  wrap?: (store: Store) => Store,
  folder = createFolder(t),
) {
  const store = await openStore(t, join(folder, 'store'));
  const { concurrency, ...means } = options;
  const warnings: string[] = [];
  const queue = createLocalQueue({
    ...{ store: wrap?.(store) ?? store, logs: createBuildLogs(createLogFiles(join(folder, 'logs'))), ...means },
    places: () => ({ concurrency, quick: 0, quickMs: 5_000 }),
    onWarning: (message) => warnings.push(message),
    now: () => new Date(),
  });
  t.teardown(() => queue.stop());
  return { folder, store, queue, warnings };
}

testQueue({ name: 'local', declare: test, open });

/** Opens a queue on files, whose builds wait until they are let go. */
async function createPlace(t: ExecutionContext, wrap?: (store: Store) => Store) {
  let folder = '';
  let warnings: readonly string[] = [];
  const place = await openPlace(t, {
    async open(t, options) {
      const opened = await open(t, options, wrap);
      ({ folder, warnings } = opened);
      return opened;
    },
  });
  return { ...place, folder, warnings };
}

/** Lets writes of builds fail until the function it gives is called. */
function blockBuilds(folder: string): () => void {
  const path = join(folder, 'store/builds.json.tmp');
  mkdirSync(path);
  return () => rmdirSync(path);
}

test('local queue: a build whose end cannot be written keeps its result until it can', async (t) => {
  const { folder, queue, order, errors, letGo, ask } = await createPlace(t);
  await queue.start();
  const { id } = await ask('main');
  await waitUntil(() => order.length === 1);
  const unblock = blockBuilds(folder);
  letGo();
  await waitUntil(() => errors.length > 0);
  t.is((await queue.cancel('none'))?.id, undefined);
  unblock();
  t.is((await queue.waitFor(id))?.status, 'passing');
  t.deepEqual(order, ['build main']);
  t.is(errors.length, 1);
});

test('local queue: a build whose begin cannot be written begins when it can', async (t) => {
  const { folder, queue, order, errors, letGo, ask } = await createPlace(t);
  const { id } = await ask('main');
  letGo();
  const unblock = blockBuilds(folder);
  await queue.start();
  await waitUntil(() => errors.length > 0);
  t.deepEqual(order, []);
  unblock();
  t.is((await queue.waitFor(id))?.status, 'passing');
});

test('local queue: a build whose end finds the store busy keeps its result until it can be written', async (t) => {
  let refusals = 0;
  const refuseOnce = (store: Store): Store['builds']['change'] =>
    async function change(...values) {
      if (refusals-- > 0) throw new DataError('busy', 'Too many requests wait');
      return await store.builds.change(...values);
    };
  const { queue, order, errors, letGo, ask } = await createPlace(t, (store) => ({
    ...store,
    builds: { ...store.builds, change: refuseOnce(store) },
  }));
  await queue.start();
  const { id } = await ask('main');
  await waitUntil(() => order.length === 1);
  refusals = 1;
  letGo();
  t.is((await queue.waitFor(id))?.status, 'passing');
  t.deepEqual(order, ['build main']);
  t.is(errors.length, 1);
});

test('local queue: a stop begins nothing more and lets nobody wait', async (t) => {
  const { store, queue, order, ask } = await createPlace(t);
  await queue.start();
  const [running, waiting] = [await ask('main'), await ask('next')];
  await waitUntil(() => order.length === 1);
  const waits = [queue.waitFor(running.id), queue.waitFor(waiting.id)];
  await queue.stop();
  t.deepEqual(
    (await Promise.all(waits)).map((build) => build?.status),
    ['running', 'queued'],
  );
  t.is((await queue.waitFor(waiting.id))?.status, 'queued');
  t.deepEqual(order, ['build main']);
  t.is((await store.builds.listOpen()).length, 2);
});

test('local queue: what an earlier process left can be cancelled before the queue is started, and does not run then', async (t) => {
  const { store, queue, order, letGo, ask } = await createPlace(t);
  const left = { status: 'running', startedAt: '2026-05-04T03:02:01.000Z' } as const;
  const [interrupted, waiting] = [createBuild(left), createBuild({ ref: 'next' })];
  for (const build of [interrupted, waiting]) await store.builds.add(build);
  for (const { id } of [interrupted, waiting]) {
    t.like(await queue.cancel(id), { status: 'cancelled', reason: 'Cancelled' });
    t.not((await queue.cancel(id))?.finishedAt, '');
  }
  letGo();
  await queue.start();
  await queue.waitFor((await ask('last')).id);
  t.deepEqual(order, ['build last']);
});

test('local queue: a request joins the build that an earlier process left waiting, before the queue is started', async (t) => {
  const { store, ask } = await createPlace(t);
  const left = createBuild();
  await store.builds.add(left);
  t.like(await ask('main'), { id: left.id, requests: 2 });
});

test('local queue: a start ends builds whose project does not exist, and says so', async (t) => {
  const folder = createFolder(t);
  const left = [createBuild({ status: 'running' }), createBuild({ ref: 'next' })];
  const before = await openStore(t, join(folder, 'store'));
  await before.projects.add(createProject());
  for (const build of left) await before.builds.add(build);
  await before.close();
  // An operator has moved away what could not be read.
  rmSync(join(folder, 'store/projects.json'));
  const onError = (error: unknown) => t.fail(String(error));
  const run = async () => createOutcome();
  const { store, queue, warnings } = await open(t, { run, concurrency: 1, onError }, undefined, folder);
  await queue.start();
  t.deepEqual(await store.builds.listOpen(), []);
  for (const { id } of left) {
    t.like(await store.builds.find(id), { status: 'cancelled', reason: 'The project was removed' });
  }
  t.deepEqual(
    warnings,
    left.map(({ id }) => `Ended build "${id}": its project "guide" does not exist`),
  );
});
