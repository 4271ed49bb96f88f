import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { DataError } from '../../../data/data-error.ts';
import type { Store } from '../../../data/store.ts';
import { createBuildLogs } from '../../../platform/builds/build-logs.ts';
import { createLocalQueue } from '../../../platform/builds/local-queue.ts';
import { createLogFiles } from '../../../platform/builds/log-storages.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { openStore } from '../../helpers/open-store.ts';
import test from '../../helpers/serial-test.ts';
import { waitUntil } from '../../helpers/wait-until.ts';
import { openPlace, type QueueOptions, testQueue } from './queue-contract.ts';

/** A queue on real files. */
async function open(t: ExecutionContext, options: QueueOptions, wrap?: (store: Store) => Store) {
  const folder = createFolder(t);
  const store = await openStore(t, join(folder, 'store'));
  const { concurrency, ...means } = options;
  const queue = createLocalQueue({
    ...{ store: wrap?.(store) ?? store, logs: createBuildLogs(createLogFiles(join(folder, 'logs'))), ...means },
    places: () => ({ concurrency, quick: 0, quickMs: 5_000 }),
    now: () => new Date(),
  });
  t.teardown(() => queue.stop());
  return { folder, store, queue };
}

testQueue({ name: 'local', declare: test, open });

/** Opens a queue on files, whose builds wait until they are let go. */
async function createPlace(t: ExecutionContext, wrap?: (store: Store) => Store) {
  let folder = '';
  const place = await openPlace(t, {
    async open(t, options) {
      const opened = await open(t, options, wrap);
      folder = opened.folder;
      return opened;
    },
  });
  return { ...place, folder };
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
