import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { DataError } from '../../../data/data-error.ts';
import type { Build } from '../../../data/records/build.ts';
import type { Store } from '../../../data/store.ts';
import { createBuildLogs } from '../../../platform/builds/build-logs.ts';
import { createBuildQueue } from '../../../platform/builds/build-queue.ts';
import type { BuildWork } from '../../../platform/builds/build-runner.ts';
import type { BuildOutcome } from '../../../platform/builds/run-build.ts';
import { createOutcome, createProject } from '../../helpers/create-records.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { openStore } from '../../helpers/open-store.ts';
import test from '../../helpers/serial-test.ts';

const passing = createOutcome();

/** A queue on real files, whose builds wait until they are let go. */
async function createPlace(
  t: ExecutionContext,
  options: { concurrency?: number; outcome?: (build: Build) => BuildOutcome; wrap?: (store: Store) => Store } = {},
) {
  const folder = createFolder(t);
  const store = await openStore(t, join(folder, 'store'));
  await store.projects.add(createProject({ versions: [] }));
  const order: string[] = [];
  const errors: unknown[] = [];
  let letGo: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const run: BuildWork = async (build, { signal }) => {
    order.push(`${build.kind} ${build.ref}`);
    const isAborted = new Promise<'aborted'>((resolve) => {
      if (signal.aborted) resolve('aborted');
      signal.addEventListener('abort', () => resolve('aborted'));
    });
    return (await Promise.race([gate, isAborted])) === 'aborted'
      ? { status: 'cancelled', reason: 'Cancelled' }
      : (options.outcome?.(build) ?? passing);
  };
  const queue = createBuildQueue({
    ...{ store: options.wrap?.(store) ?? store, run, logs: createBuildLogs(join(folder, 'logs')) },
    places: () => ({ concurrency: options.concurrency ?? 2, quick: 0, quickMs: 5_000 }),
    onError: (error) => errors.push(error),
    now: () => new Date(),
  });
  t.teardown(() => queue.stop());
  const ask = (ref: string, values: Partial<Build> = {}) =>
    queue.request({ project: 'guide', ref, commit: '', cause: 'api', ...values });
  return { folder, store, queue, order, errors, letGo: () => letGo(), ask };
}

/** Lets writes of builds fail until the function it gives is called. */
function blockBuilds(folder: string): () => void {
  const path = join(folder, 'store/builds.json.tmp');
  mkdirSync(path);
  return () => rmdirSync(path);
}

async function waitUntil(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await setTimeout(5);
}

test('build queue: a build whose end cannot be written keeps its result until it can', async (t) => {
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

test('build queue: a build whose begin cannot be written begins when it can', async (t) => {
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

test('build queue: a build whose end finds the store busy keeps its result until it can be written', async (t) => {
  let refusals = 0;
  const refuseOnce = (store: Store): Store['builds']['change'] =>
    async function change(...values) {
      if (refusals-- > 0) throw new DataError('busy', 'Too many requests wait');
      return await store.builds.change(...values);
    };
  const { queue, order, errors, letGo, ask } = await createPlace(t, {
    wrap: (store) => ({ ...store, builds: { ...store.builds, change: refuseOnce(store) } }),
  });
  await queue.start();
  const { id } = await ask('main');
  await waitUntil(() => order.length === 1);
  refusals = 1;
  letGo();
  t.is((await queue.waitFor(id))?.status, 'passing');
  t.deepEqual(order, ['build main']);
  t.is(errors.length, 1);
});

test('build queue: a build that was requested before the queue was started runs once', async (t) => {
  const { queue, order, letGo, ask } = await createPlace(t);
  const { id } = await ask('main');
  letGo();
  await queue.start();
  t.is((await queue.waitFor(id))?.status, 'passing');
  await ask('next').then((next) => queue.waitFor(next.id));
  t.deepEqual(order, ['build main', 'build next']);
});

test('build queue: a stop begins nothing more and lets nobody wait', async (t) => {
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

test('build queue: a ref that goes while all are built is taken out afterwards', async (t) => {
  const { queue, order, letGo, ask } = await createPlace(t);
  await queue.start();
  await ask('');
  await waitUntil(() => order.length === 1);
  const removal = await queue.removeVersion('guide', 'gone');
  t.is(removal?.kind, 'remove');
  letGo();
  await queue.waitFor(removal!.id);
  t.deepEqual(order, ['build ', 'remove gone']);
});

test('build queue: pushes while a build runs lead to exactly one more', async (t) => {
  const { store, queue, order, letGo, ask } = await createPlace(t);
  await queue.start();
  const first = await ask('main', { commit: 'a'.repeat(40), cause: 'webhook' });
  await waitUntil(() => order.length === 1);
  const [second, third] = await Promise.all([
    ask('main', { commit: 'b'.repeat(40), cause: 'webhook' }),
    ask('main', { commit: 'c'.repeat(40), cause: 'webhook' }),
  ]);
  t.not(first.id, second.id);
  t.is(second.id, third.id);
  const joined = await store.builds.find(second.id);
  t.deepEqual([joined?.requests, joined?.commit], [2, 'c'.repeat(40)]);
  letGo();
  await queue.waitFor(second.id);
  t.deepEqual(order, ['build main', 'build main']);
});

test('build queue: a webhook gets the build of its commit, passing or failing; a person gets a new one', async (t) => {
  const failing: BuildOutcome = { status: 'failing', reason: 'No pages' };
  const publish = ({ ref, commit }: Build): BuildOutcome => {
    const version = { ref, kind: 'branch' as const, oid: commit, builtAt: '2026-01-01T00:00:00.000Z' };
    return { ...passing, versions: ref === '' ? [] : [version] };
  };
  const outcome = (build: Build): BuildOutcome => (build.ref === 'broken' ? failing : publish(build));
  const { queue, letGo, ask } = await createPlace(t, { outcome });
  await queue.start();
  letGo();
  const push = async (ref: string, sign: string): Promise<Build> => {
    const { id } = await ask(ref, { commit: sign.repeat(40), cause: 'webhook' });
    return (await queue.waitFor(id))!;
  };
  const broken = await push('broken', 'a');
  t.is(broken.status, 'failing');
  t.is((await push('broken', 'a')).id, broken.id);
  t.not((await push('broken', 'b')).id, broken.id);
  t.not((await push('broken', 'a')).id, broken.id);

  const main = await push('main', 'a');
  t.is((await push('main', 'a')).id, main.id);
  const person = await ask('main', { commit: 'a'.repeat(40), cause: 'api' });
  t.not(person.id, main.id);
  await queue.waitFor(person.id);
  t.is((await push('main', 'a')).id, person.id);
  // A build of all refs found it gone; now it is back.
  await queue.waitFor((await ask('')).id);
  t.not((await push('main', 'a')).id, person.id);
});

test('build queue: a webhook gets the build of a commit that passed with nothing to publish', async (t) => {
  const { queue, letGo, ask } = await createPlace(t);
  await queue.start();
  letGo();
  const push = { commit: 'a'.repeat(40), cause: 'webhook' as const };
  const { id } = await ask('empty', push);
  await queue.waitFor(id);
  t.is((await ask('empty', push)).id, id);
});

test('build queue: cancelling races with the beginning and the end of a build', async (t) => {
  const { queue, letGo, ask } = await createPlace(t, { concurrency: 1 });
  await queue.start();
  letGo();
  for (let round = 0; round < 30; round++) {
    const { id } = await ask('main');
    for (let turn = 0; turn < round % 10; turn++) await Promise.resolve();
    const [build, other] = await Promise.all([queue.cancel(id), queue.waitFor(id), queue.cancel(id)]);
    t.true(build?.status === 'cancelled' || build?.status === 'passing', build?.status);
    t.is(other?.status, build?.status);
  }
  t.deepEqual(queue.counts(), { waiting: 0, running: 0 });
});

test('build queue: 500 refs wait, one more is refused, and a build of all takes their place', async (t) => {
  const { store, ask } = await createPlace(t);
  for (let at = 0; at < 500; at++) await ask(`ref-${at}`);
  await t.throwsAsync(ask('one-more'), { message: /500 builds waiting/ });
  t.is((await ask('ref-7')).requests, 2);
  const { id } = await ask('');
  t.deepEqual(
    (await store.builds.listOpen()).map((build) => build.id),
    [id],
  );
});

test('removeProject() lets nobody ask for a build between the last one and the removal of the project', async (t) => {
  const { store, queue, order, ask } = await createPlace(t);
  await queue.start();
  await ask('main');
  const removing = queue.removeProject('guide', () => store.projects.remove('guide'));
  await t.throwsAsync(ask('late'), { code: 'not-found' } as object);
  await removing;
  t.deepEqual(order, ['build main']);
  t.deepEqual(queue.counts(), { waiting: 0, running: 0 });
});
