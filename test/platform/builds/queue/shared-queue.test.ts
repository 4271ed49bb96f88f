import type { ExecutionContext } from 'ava';
import { PATIENCE } from '../../../../data/postgres/connections.ts';
import {
  openPostgresStore,
  type PostgresStoreOptions,
  type SharedStore,
} from '../../../../data/postgres/open-postgres-store.ts';
import type { Build } from '../../../../data/records/build.ts';
import { createBuildLogs } from '../../../../platform/builds/build-logs.ts';
import { createSharedLogs } from '../../../../platform/builds/log-storages.ts';
import type { BuildQueue } from '../../../../platform/builds/queue/build-queue.ts';
import type { BuildWork } from '../../../../platform/builds/queue/build-runner.ts';
import { createBuildQueue } from '../../../../platform/builds/queue/create-queue.ts';
import type { S3Sites } from '../../../../platform/sites/s3/s3-sites.ts';
import { siteFolder } from '../../../../platform/sites/site-storage.ts';
import { createOutcome, createProject } from '../../../helpers/create-records.ts';
import { createFolder } from '../../../helpers/create-repository.ts';
import { openS3Sites } from '../../../helpers/open-s3-sites.ts';
import { publishFiles } from '../../../helpers/publish-files.ts';
import { servePostgresProxy } from '../../../helpers/serve-postgres-proxy.ts';
import { serveS3 } from '../../../helpers/serve-s3.ts';
import { hasPostgres, postgresTest, shareCluster } from '../../../helpers/share-postgres.ts';
import { waitUntil } from '../../../helpers/wait-until.ts';
import { readText } from '../../sites/storage-contract.ts';
import { testLanes } from './lanes-contract.ts';
import { openPlace, type QueueAdapter, type QueueOptions, testQueue } from './queue-contract.ts';

const cluster = shareCluster();

/** Opens a node of a database: a store and a queue, which builds if it has a `concurrency`. */
async function openNode(
  t: ExecutionContext,
  database: Pick<PostgresStoreOptions, 'url' | 'patience'>,
  options: QueueOptions,
  wrapBuilds?: (store: SharedStore) => SharedStore['builds'],
) {
  const store = await openPostgresStore({ ...database, onWarning: () => {} });
  const { concurrency, quick = 0, quickMs = 5_000, ...means } = options;
  const isRunning = async (id: string) => (await store.builds.find(id))?.status === 'running';
  const logs = createBuildLogs(createSharedLogs(store.nodes.logs, isRunning));
  const queue = createBuildQueue({
    store: { ...store, builds: wrapBuilds?.(store) ?? store.builds },
    nodes: store.nodes,
    logs,
    ...means,
    places: () => ({ concurrency, quick, quickMs }),
    onWarning: () => {},
    isBuilding: concurrency > 0,
    now: () => new Date(),
  });
  t.teardown(async () => {
    await queue.stop();
    await store.close();
  });
  return { store, queue, logs };
}

async function createDatabase(): Promise<{ readonly url: string }> {
  const own = await cluster();
  return { url: own.url(await own.createMigrated()) };
}

/** An adapter whose queue is of a node that builds nothing, beside `count` nodes that do. */
function besides(
  count: number,
): Pick<QueueAdapter, 'open'> & { readonly opened: { store: SharedStore; queue: BuildQueue }[] } {
  const opened: { store: SharedStore; queue: BuildQueue }[] = [];
  return {
    opened,
    async open(t, options) {
      const database = await createDatabase();
      for (let i = 0; i < count; i++) opened.push(await openNode(t, database, options));
      const web = await openNode(t, database, { ...options, concurrency: 0 });
      const start = async () => {
        for (const { queue } of opened) await queue.start();
      };
      return { store: web.store, queue: { ...web.queue, start }, peers: opened.map(({ queue }) => queue) };
    },
  };
}

if (!hasPostgres) postgresTest('shared queue: the contract of all queues', () => {});
else {
  const adapter: QueueAdapter = {
    name: 'shared',
    declare: postgresTest,
    open: async (t, options) => openNode(t, await createDatabase(), options),
  };
  testQueue(adapter);
  testLanes(adapter);
  testQueue({ name: 'web node’s', declare: postgresTest, open: (t, options) => besides(1).open(t, options) });
}

postgresTest('shared queue: nodes never run two builds of a project at once, and each build once', async (t) => {
  const adapter = besides(3);
  let most = 0;
  const running = new Map<string, number>();
  const place = await openPlace(
    t,
    {
      open: (t, options) =>
        adapter.open(t, {
          ...options,
          async run(build, context) {
            running.set(build.project, (running.get(build.project) ?? 0) + 1);
            most = Math.max(most, ...running.values());
            const outcome = await options.run(build, context);
            running.set(build.project, running.get(build.project)! - 1);
            return outcome;
          },
        }),
    },
    { nameBuild: ({ id }) => id },
  );
  place.letGo();
  await place.queue.start();
  const projects = ['guide', 'a', 'b', 'c'];
  for (const name of projects.slice(1)) await place.store.projects.add(createProject({ name, versions: [] }));
  const queues = [place.queue, ...adapter.opened.map(({ queue }) => queue)];
  const asked: Build[] = [];
  for (let round = 0; round < 20; round++) {
    const ref = `ref-${round % 3}`;
    asked.push(
      ...(await Promise.all(
        projects.map((project, i) =>
          queues[(round + i) % queues.length]!.request({ project, ref, commit: '', cause: 'api' }),
        ),
      )),
    );
  }
  for (const { id } of asked) t.is((await place.queue.waitFor(id))?.status, 'passing');
  t.is(most, 1);
  t.deepEqual([...place.order].sort(), [...new Set(asked.map(({ id }) => id))].sort());
});

postgresTest('shared queue: a hook whose commit another node takes up meanwhile gets that build', async (t) => {
  const database = await createDatabase();
  let begun = 0;
  const run: BuildWork = async ({ ref, commit }) => {
    begun++;
    return createOutcome({ versions: [{ ref, kind: 'branch', oid: commit, builtAt: '2026-01-01T00:00:00.000Z' }] });
  };
  const onError = (error: unknown) => t.fail(String(error));
  const one = await openNode(t, database, { run, concurrency: 1, onError });
  await one.store.projects.add(createProject({ versions: [] }));
  await one.queue.start();
  const push = { project: 'guide', ref: 'main', commit: 'a'.repeat(40), cause: 'webhook' } as const;
  let built: Build | undefined;
  const other = await openNode(t, database, { run, concurrency: 0, onError }, (store) => ({
    ...store.builds,
    // Whatever it reads before it changes anything is old by then.
    async list(query) {
      const found = await store.builds.list(query);
      built ??= await one.queue.waitFor((await one.queue.request(push)).id);
      return found;
    },
  }));
  const answer = await other.queue.request(push);
  t.is(built?.status, 'passing');
  t.deepEqual(answer, built);
  t.is(begun, 1);
});

postgresTest('shared queue: a build is cancelled by a node that does not run it', async (t) => {
  const { store, queue, order } = await openPlace(t, besides(2));
  await queue.start();
  const { id } = await queue.request({ project: 'guide', ref: 'main', commit: '', cause: 'api' });
  await waitUntil(() => order.length === 1);
  t.is((await queue.cancel(id))?.status, 'cancelled');
  t.is((await store.builds.find(id))?.run, undefined);
});

postgresTest('shared queue: a node that stops leaves its builds to others', async (t) => {
  const adapter = besides(2);
  const { store, queue, order, letGo, ask } = await openPlace(t, adapter);
  await queue.start();
  const { id } = await ask('main');
  await waitUntil(async () => order.length === 1 && (await store.builds.find(id))?.run !== undefined);
  const node = (await store.builds.find(id))!.run!.node;
  const stopped = adapter.opened.find((one) => one.store.nodes.id === node)!;
  const waiting = queue.waitFor(id);
  await stopped.queue.stop();
  letGo();
  t.is((await waiting)?.status, 'passing');
  t.deepEqual(order, ['build main', 'build main']);
});

postgresTest(
  'shared queue: what a node that drains does not end in its time begins at once elsewhere, and what waits does so before',
  async (t) => {
    const adapter = besides(2);
    const { store, queue, order, ask, letGo } = await openPlace(t, adapter, { concurrency: 1 });
    await store.projects.add(createProject({ name: 'other', versions: [] }));
    const [leaving, staying] = adapter.opened as [(typeof adapter.opened)[0], (typeof adapter.opened)[0]];
    await leaving.queue.start();
    const first = await ask('main');
    await waitUntil(async () => (await store.builds.find(first.id))?.run?.node === leaving.store.nodes.id);
    await staying.queue.start();
    const alive = setInterval(() => {}, 1_000);
    t.teardown(() => clearInterval(alive));
    const draining = leaving.queue.drain(1_500);
    const second = await ask('next', { project: 'other' });
    await waitUntil(async () => (await store.builds.find(second.id))?.run?.node === staying.store.nodes.id);
    await draining;
    t.is((await store.builds.find(first.id))?.run?.node, leaving.store.nodes.id);
    await queue.cancel(second.id);
    const startMs = performance.now();
    await leaving.queue.stop();
    await waitUntil(async () => (await store.builds.find(first.id))?.run?.node === staying.store.nodes.id);
    t.true(performance.now() - startMs < 5_000);
    letGo();
    t.is((await queue.waitFor(first.id))?.status, 'passing');
    t.deepEqual(order, ['build main', 'build next', 'build main']);
  },
);

postgresTest(
  'shared queue: builds of a node that is not heard of run again once elsewhere, and it cannot end them',
  async (t) => {
    const own = await cluster();
    const database = await own.createMigrated();
    const proxy = await servePostgresProxy(t, own);
    const patience = { ...PATIENCE, heartbeatMs: 50, goneMs: 400, silentMs: 1_000, connectMs: 500, answerMs: 1_000 };
    const ends: string[] = [];
    /** A node whose builds end when they are let go, whatever they are told. */
    const open = async (name: string, url: string) => {
      let letGo: () => void = () => {};
      const gate = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      let begun = 0;
      const run: BuildWork = async (build) => {
        begun++;
        await gate;
        ends.push(`${name} ${build.ref}`);
        return createOutcome({ versions: [{ ref: name, kind: 'branch', oid: 'a'.repeat(40), builtAt: '' }] });
      };
      const node = await openNode(t, { url, patience }, { run, concurrency: 2, onError: () => {} });
      return { ...node, letGo: () => letGo(), begun: () => begun };
    };
    const lost = await open('lost', proxy.url(database));
    const other = await open('other', own.url(database));
    await lost.store.projects.add(createProject({ versions: [] }));
    await lost.queue.start();
    const { id } = await other.queue.request({ project: 'guide', ref: 'main', commit: '', cause: 'api' });
    await waitUntil(() => lost.begun() === 1);
    await other.queue.start();
    proxy.swallow();
    t.like(await other.queue.waitFor(id), { status: 'interrupted', reason: 'The node that ran this build is gone' });
    await waitUntil(() => other.begun() === 1);
    const [again] = await other.store.builds.listOpen();
    t.like(again, { status: 'running', retryOf: id, ref: 'main' });
    // The node comes back.
    proxy.restore();
    lost.letGo();
    await waitUntil(async () => (await lost.queue.counts()).running === 0);
    t.deepEqual((await other.store.projects.find('guide'))?.versions, []);
    t.is((await other.store.builds.find(id))?.status, 'interrupted');
    other.letGo();
    t.is((await other.queue.waitFor(again!.id))?.status, 'passing');
    t.deepEqual(
      (await other.store.projects.find('guide'))?.versions.map(({ ref }) => ref),
      ['other'],
    );
    t.deepEqual(ends, ['lost main', 'other main']);
    // It builds again.
    const next = await lost.queue.request({ project: 'guide', ref: 'next', commit: '', cause: 'api' });
    t.is((await lost.queue.waitFor(next.id))?.status, 'passing');
  },
);

postgresTest(
  'shared queue: what a node had built before it was cut off does not come after what others have published since',
  async (t) => {
    const own = await cluster();
    const database = await own.createMigrated();
    const proxy = await servePostgresProxy(t, own);
    const s3 = await serveS3(t);
    s3.buckets.set('docs', new Map());
    const server = { endpoint: s3.url, accessKeyId: 'key', secretAccessKey: 'secret' };
    const patience = { ...PATIENCE, heartbeatMs: 50, goneMs: 400, silentMs: 1_000, connectMs: 500, answerMs: 1_000 };
    const failures: string[] = [];
    const open = async (push: string, url: string, beforePublishing: () => void) => {
      let sites: S3Sites | undefined;
      const run: BuildWork = async ({ id }, { mayPublish, isCurrent }) => {
        if (!(await mayPublish!())) return { status: 'cancelled', reason: '' };
        beforePublishing();
        await publishFiles(siteFolder(sites!.folder, 'guide'), { 'index.html': push });
        // It is told late that it is not to go on, or not at all.
        const signal = new AbortController().signal;
        try {
          await sites!.publish({ project: 'guide', build: id, timeoutMs: 60_000, signal, isCurrent });
        } catch (error) {
          failures.push(`${push}: ${(error as Error).message}`);
          return { status: 'failing', reason: '' };
        }
        return createOutcome({ versions: [{ ref: push, kind: 'branch', oid: 'a'.repeat(40), builtAt: '' }] });
      };
      const node = await openNode(t, { url, patience }, { run, concurrency: 1, onError: () => {} });
      const { projects, builds } = node.store;
      sites = openS3Sites(t, { server, bucket: 'docs', folder: createFolder(t), projects, builds }).sites;
      return { ...node, sites };
    };
    let isCutOff = false;
    const lost = await open('push 89', proxy.url(database), () => {
      isCutOff = true;
      proxy.swallow();
    });
    const other = await open('push 90', own.url(database), () => {});
    await lost.store.projects.add(createProject({ versions: [] }));
    await lost.queue.start();
    const { id } = await other.queue.request({ project: 'guide', ref: 'main', commit: '', cause: 'api' });
    await waitUntil(() => isCutOff);
    await other.queue.start();
    t.is((await other.queue.waitFor(id))?.status, 'interrupted');
    const read = async () => readText(await other.sites.find('guide'), '/index.html');
    await waitUntil(async () => (await read()) === 'push 90');
    await waitUntil(async () => (await other.store.builds.listOpen()).length === 0);
    const published = await other.store.projects.find('guide');
    // What it was about to say when it was cut off is heard now.
    proxy.restore();
    await waitUntil(async () => (await lost.queue.counts()).running === 0);
    t.is(await read(), 'push 90');
    t.deepEqual(await other.store.projects.find('guide'), published);
    t.deepEqual(failures, ['push 89: This build was cancelled or is run again elsewhere, and publishes nothing']);
  },
);

postgresTest('shared queue: a build that is about to publish waits for a database that is away', async (t) => {
  const own = await cluster();
  const proxy = await servePostgresProxy(t, own);
  const patience = { ...PATIENCE, connectMs: 1_000, outageMs: 500 };
  let refusals = 0;
  const { store, queue } = await openNode(
    t,
    { url: proxy.url(await own.createMigrated()), patience },
    {
      concurrency: 1,
      onError: () => void refusals++,
      async run(_build, { mayPublish }) {
        proxy.swallow();
        const asked = mayPublish!();
        await Promise.race([asked.catch(() => {}), waitUntil(() => refusals > 0)]);
        proxy.restore();
        return (await asked) ? createOutcome() : { status: 'cancelled', reason: '' };
      },
    },
  );
  await store.projects.add(createProject({ name: 'guide', versions: [] }));
  await queue.start();
  const { id } = await queue.request({ project: 'guide', ref: 'main', commit: '', cause: 'api' });
  await waitUntil(async () =>
    /passing|failing|cancelled/.test((await store.builds.find(id).catch(() => undefined))?.status ?? ''),
  );
  t.is((await store.builds.find(id))?.status, 'passing');
});

postgresTest('shared queue: a build whose beginning or end finds the database away waits for it', async (t) => {
  const own = await cluster();
  const proxy = await servePostgresProxy(t, own);
  const patience = { ...PATIENCE, connectMs: 1_000, outageMs: 500 };
  let refusals = 0;
  const away = async (): Promise<void> => {
    const before = refusals;
    proxy.swallow();
    await waitUntil(() => refusals > before);
    proxy.restore();
  };
  const { store, queue } = await openNode(
    t,
    { url: proxy.url(await own.createMigrated()), patience },
    {
      concurrency: 1,
      onError: () => void refusals++,
      onChange: ({ status }) => void (status === 'running' && away()),
      async run() {
        void away();
        return createOutcome();
      },
    },
  );
  await store.projects.add(createProject({ name: 'guide', versions: [] }));
  await queue.start();
  const { id } = await queue.request({ project: 'guide', ref: 'main', commit: '', cause: 'api' });
  await waitUntil(async () =>
    /passing|failing|cancelled/.test((await store.builds.find(id).catch(() => undefined))?.status ?? ''),
  );
  t.is((await store.builds.find(id))?.status, 'passing');
  t.true(refusals >= 2, `${refusals}`);
});

postgresTest('shared queue: the end of a turn is stored again where the connection breaks meanwhile', async (t) => {
  const own = await cluster();
  const proxy = await servePostgresProxy(t, own);
  const { store, queue } = await openNode(
    t,
    { url: proxy.url(await own.createMigrated()) },
    { concurrency: 1, onError: (error) => t.fail(String(error)), run: async () => createOutcome() },
  );
  await store.projects.add(createProject({ name: 'guide', versions: [] }));
  await queue.start();
  for (const [i, when] of (['before', 'after'] as const).entries()) {
    proxy.cutAt('complete_job', when);
    const { id } = await queue.request({ project: 'guide', ref: 'main', commit: '', cause: 'api' });
    t.is((await queue.waitFor(id))?.status, 'passing');
    await waitUntil(() => proxy.cuts === i + 1);
    const next = await queue.request({ project: 'guide', ref: 'next', commit: '', cause: 'api' });
    t.is((await queue.waitFor(next.id))?.status, 'passing');
  }
});

postgresTest(
  'shared queue: the log of a build is followed at another node while it is written, and read there after',
  async (t) => {
    const database = await createDatabase();
    let goOn: () => void = () => {};
    const run: BuildWork = async (_build, { log }) => {
      log('first');
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      log('second\nthird');
      return createOutcome({
        problems: [{ severity: 'warning', ref: 'main', file: 'a.md', line: 3, code: 'dead-link', message: 'Gone' }],
      });
    };
    const one = await openNode(t, database, { run, concurrency: 1, onError: (error) => t.fail(String(error)) });
    const other = await openNode(t, database, { run, concurrency: 0, onError: (error) => t.fail(String(error)) });
    await one.store.projects.add(createProject({ versions: [] }));
    await one.queue.start();
    const { id } = await other.queue.request({ project: 'guide', ref: 'main', commit: '', cause: 'api' });
    await waitUntil(async () => (await other.store.builds.find(id))?.status === 'running');
    const lines: string[] = [];
    for await (const line of other.logs.follow('guide', id, new AbortController().signal)) {
      lines.push(line);
      if (line === 'first') goOn();
    }
    t.deepEqual(lines, ['first', 'second', 'third', 'Passing']);
    t.is((await other.queue.waitFor(id))?.status, 'passing');
    t.is(await other.logs.read('guide', id), 'first\nsecond\nthird\nPassing\n');
    t.like(await other.logs.readProblems('guide', id), [{ file: 'a.md', line: 3 }]);
    await one.logs.remove('guide', [id]);
    t.is(await other.logs.read('guide', id), '');
    t.deepEqual(await other.logs.readProblems('guide', id), []);
  },
);
