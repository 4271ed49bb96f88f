import { mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { DataError } from '../../../../data/data-error.ts';
import { hasEnded } from '../../../../data/records/build.ts';
import type { Store } from '../../../../data/store.ts';
import { createBuildLogs } from '../../../../platform/builds/build-logs.ts';
import { createLogFiles } from '../../../../platform/builds/log-storages.ts';
import { createBuildQueue } from '../../../../platform/builds/queue/create-queue.ts';
import { createBuild, createOutcome, createProject } from '../../../helpers/create-records.ts';
import { createFolder } from '../../../helpers/create-repository.ts';
import { createSlowStore } from '../../../helpers/create-slow-store.ts';
import fc from '../../../helpers/fast-check.ts';
import { openStore } from '../../../helpers/open-store.ts';
import { waitUntil } from '../../../helpers/wait-until.ts';
import { openWorks, testLanes, WORK_PROJECTS } from './lanes-contract.ts';
import { openPlace, type QueueOptions, testQueue } from './queue-contract.ts';

/** A queue on real files. */
async function open(
  t: ExecutionContext,
  options: QueueOptions,
  wrap?: (store: Store) => Store,
  folder = createFolder(t),
) {
  const store = await openStore(t, join(folder, 'store'));
  const { concurrency, quick = 0, quickMs = 5_000, ...means } = options;
  const warnings: string[] = [];
  const queue = createBuildQueue({
    store: wrap?.(store) ?? store,
    logs: createBuildLogs(createLogFiles(join(folder, 'logs'))),
    ...means,
    places: () => ({ concurrency, quick, quickMs }),
    onWarning: (message) => warnings.push(message),
    now: () => new Date(),
  });
  t.teardown(() => queue.stop());
  return { folder, store, queue, warnings };
}

testQueue({ name: 'local', declare: test, open });
testLanes({ name: 'local', declare: test, open });

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
  const refuseOnce = (store: Store): Store['builds']['changeOpen'] =>
    async function changeOpen(...values) {
      if (refusals-- > 0) throw new DataError('busy', 'Too many requests wait');
      return await store.builds.changeOpen(...values);
    };
  const { queue, order, errors, letGo, ask } = await createPlace(t, (store) => ({
    ...store,
    builds: { ...store.builds, changeOpen: refuseOnce(store) },
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

/** A queue on a store that waits before each query. */
async function openSlow(t: ExecutionContext, { concurrency, quick = 0, quickMs = 5_000, ...means }: QueueOptions) {
  const store = createSlowStore();
  const queue = createBuildQueue({
    store,
    logs: createBuildLogs(createLogFiles(createFolder(t))),
    ...means,
    places: () => ({ concurrency, quick, quickMs }),
    onWarning: t.fail,
    now: () => new Date(),
  });
  t.teardown(() => queue.stop());
  return { store, queue };
}

/** Events, one after the other; numbers choose projects, refs and builds. */
const event = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('push' as const), at: fc.nat(WORK_PROJECTS.length - 1), ref: fc.nat(2) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('end' as const), at: fc.nat(5), passes: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), at: fc.nat(20) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('gone' as const), at: fc.nat(WORK_PROJECTS.length - 1), ref: fc.nat(2) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('publish' as const), at: fc.nat(5) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(4) }) },
);
const push = (at: number) => ({ kind: 'push' as const, at, ref: 0 });
/** Two builds that take long and a third one, for which the second one is put back. */
const TWO_SLOW = [push(0), push(1), { kind: 'wait' as const, ms: 30 }, push(2), { kind: 'wait' as const, ms: 1_000 }];
const settings = fc.record({ concurrency: fc.integer({ min: 1, max: 2 }), quick: fc.nat(2), quickMs: fc.constant(1) });

test('local queue: whatever happens, limits hold, every build ends once, and the newest push of a ref is built', async (t) => {
  let putBack = 0;
  await t.notThrowsAsync(
    fc.assert(
      fc.asyncProperty(settings, fc.array(event, { maxLength: 40 }), async (limits, events) => {
        const place = await openWorks(t, { open: openSlow }, limits);
        const { queue, open, works, changes } = place;
        const cancelled = new Set<string>();
        const newest = new Map<string, { id: string; commit: string }>();
        const check = (): void => {
          const projects = [...open].map(({ build }) => build.project);
          if (new Set(projects).size < projects.length) throw new Error(`Two builds of one project run: ${projects}`);
          if (open.size > limits.concurrency + limits.quick) throw new Error(`${open.size} builds run`);
        };
        await queue.start();
        for (const [number, one] of events.entries()) {
          const ref = 'ref' in one ? ['main', 'next', ''][one.ref]! : '';
          const project = WORK_PROJECTS[one.kind === 'push' || one.kind === 'gone' ? one.at : 0]!;
          const work = 'at' in one ? [...open][one.at] : undefined;
          if (one.kind === 'push') {
            const commit = ref === '' ? '' : String(number).padStart(40, '0');
            const { id } = await place.ask(project, { ref, commit, cause: 'webhook' });
            newest.set(`${project} ${ref}`, { id, commit });
          } else if (one.kind === 'end')
            work?.end(one.passes ? createOutcome() : { status: 'failing', reason: 'Broken' });
          else if (one.kind === 'publish') work?.publish();
          else if (one.kind === 'gone') await queue.removeVersion(project, ref === '' ? 'main' : ref);
          else if (one.kind === 'cancel') {
            const id = changes[one.at]?.id;
            if (id !== undefined) cancelled.add(id);
            if (id !== undefined && !hasEnded((await queue.cancel(id))!.status)) throw new Error('Cancelled, but runs');
          } else await sleep(one.ms);
          check();
        }
        // One that begins is not counted for a moment: it waits no more, and does not run here yet.
        while ((await place.store.builds.listOpen()).length > 0) {
          [...open][0]?.end();
          await sleep(1);
          check();
        }
        if (place.errors.length > 0) throw place.errors[0];
        const ids = new Set(changes.map(({ id }) => id));
        // What has ended is stored first, and told then.
        const isTold = (id: string) => changes.some((build) => build.id === id && hasEnded(build.status));
        for (let looks = 0; looks < 1_000 && ![...ids].every(isTold); looks++) await sleep(1);
        for (const id of ids) {
          const states = changes.filter((build) => build.id === id).map(({ status }) => status);
          if (states.filter(hasEnded).length !== 1) throw new Error(`${id} ended otherwise than once: ${states}`);
          if (!hasEnded(states.at(-1)!)) throw new Error(`${id} went on after its end: ${states}`);
          const begun = works.filter(({ build }) => build.id === id).length;
          if (begun > 2) throw new Error(`${id} was put back more often than promised: ${states}`);
          if (begun > 1) putBack++;
          if (begun > 1 && limits.quick === 0) throw new Error(`${id} was put back for nobody: ${states}`);
        }
        for (const { id, commit } of newest.values()) {
          const last = (await place.store.builds.find(id))!;
          const isDone = last.status === 'passing' || last.status === 'failing' || last.status === 'superseded';
          if (!isDone && !cancelled.has(id)) throw new Error(`The newest push ended ${last.status}`);
          if (isDone && last.status !== 'superseded' && last.commit !== commit) throw new Error(`Built ${last.commit}`);
        }
        await queue.stop();
      }),
      { numRuns: 60, examples: [[{ concurrency: 1, quick: 1, quickMs: 1 }, TWO_SLOW]] },
    ),
  );
  t.true(putBack > 0);
});
