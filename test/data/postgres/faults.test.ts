import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import pg from 'pg';
import { PATIENCE, type Patience } from '../../../data/postgres/connections.ts';
import { openPostgresStore, type SharedStore } from '../../../data/postgres/open-postgres-store.ts';
import type { Store } from '../../../data/store.ts';
import { createBlock, createProject } from '../../helpers/create-records.ts';
import type { Cluster } from '../../helpers/postgres-cluster.ts';
import { type PostgresProxy, servePostgresProxy } from '../../helpers/serve-postgres-proxy.ts';
import { postgresTest, shareCluster } from '../../helpers/share-postgres.ts';
import { waitUntil } from '../../helpers/wait-until.ts';
import { throwsData } from '../contract/adapter.ts';

const cluster = shareCluster();

interface Setup {
  readonly store: SharedStore;
  readonly proxy: PostgresProxy;
  readonly database: string;
  readonly cluster: Cluster;
  readonly warnings: readonly string[];
}

/** Opens the store of a new database, with the project "guide", through a proxy. */
async function openThroughProxy(t: ExecutionContext, patience: Partial<Patience> = {}): Promise<Setup> {
  const own = await cluster();
  const proxy = await servePostgresProxy(t, own);
  const database = await own.createMigrated();
  const warnings: string[] = [];
  const store = await openPostgresStore({
    url: proxy.url(database),
    patience: { ...PATIENCE, ...patience },
    onWarning: (message) => void warnings.push(message),
  });
  t.teardown(() => store.close());
  await store.projects.add(createProject({ timeout: 0 }));
  return { store, proxy, database, cluster: own, warnings };
}

const increase = ({ projects }: Store) =>
  projects.change('guide', (one) => ({ ...one, timeout: (one.timeout ?? 0) + 1 }));

for (const when of ['before', 'after'] as const) {
  postgresTest(
    `postgres: a change is made once where the connection is cut ${when} its commit has arrived`,
    async (t) => {
      const { store, proxy } = await openThroughProxy(t);
      proxy.cutAt('COMMIT', when);
      const changed = await Promise.all([increase(store), increase(store), increase(store)]);
      t.is(proxy.cuts, 1);
      t.deepEqual(
        changed.map(({ timeout }) => timeout),
        [1, 2, 3],
      );
      t.is((await store.projects.find('guide'))?.timeout, 3);
    },
  );
}

postgresTest('postgres: where the connection is cut again and again, each change is made once', async (t) => {
  const { store, proxy, warnings } = await openThroughProxy(t);
  const work = Array.from({ length: 200 }, () => increase(store));
  const questions = Array.from({ length: 50 }, () => store.projects.find('guide'));
  for (let i = 0; i < 8; i++) {
    await sleep(Math.random() * 30);
    proxy.cut();
  }
  const counts = (await Promise.all(work)).map(({ timeout }) => timeout);
  t.deepEqual(
    counts,
    counts.map((_, i) => i + 1),
  );
  for (const found of await Promise.all(questions)) t.is(found?.name, 'guide');
  t.deepEqual(warnings, []);
});

for (const then of ['cut', 'hang'] as const) {
  postgresTest(
    `postgres: answers of which half arrives before the connection is ${then === 'cut' ? 'cut' : 'silent'} are never taken for the whole`,
    async (t) => {
      const { store, proxy } = await openThroughProxy(t, { answerMs: 700, connectMs: 700 });
      for (let round = 1; round <= 6; round++) {
        const many = Array.from({ length: 20 }, () => store.projects.find('guide'));
        proxy.breakOff(then);
        const changed = await Promise.all([increase(store), increase(store)]);
        t.deepEqual(
          changed.map(({ timeout }) => timeout),
          [2 * round - 1, 2 * round],
        );
        for (const found of await Promise.all(many)) t.is(found?.name, 'guide');
      }
      t.true(proxy.brokenOff >= 6, String(proxy.brokenOff));
    },
  );
}

postgresTest('postgres: a server that answers late is waited for, and each change is made once', async (t) => {
  const { store, proxy } = await openThroughProxy(t);
  await increase(store);
  proxy.delay(1_000);
  const changed = await Promise.all([increase(store), increase(store), increase(store)]);
  t.deepEqual(
    changed.map(({ timeout }) => timeout),
    [2, 3, 4],
  );
  proxy.delay(0);
  t.is((await store.projects.find('guide'))?.timeout, 4);
});

postgresTest(
  'postgres: connections that hang are noticed, and the session that has the lock is replaced',
  async (t) => {
    const { store, proxy, database, cluster } = await openThroughProxy(t, { answerMs: 700, connectMs: 700 });
    t.is((await store.projects.find('guide'))?.timeout, 0);
    proxy.freeze();
    const [changed, found] = await Promise.all([increase(store), store.projects.find('guide')]);
    t.deepEqual([changed.timeout, found?.name], [1, 'guide']);
    const holders = await cluster.query(database, `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted`);
    t.is(holders.length, 1);
  },
);

postgresTest('postgres: a connection that hangs is noticed also while nothing is asked', async (t) => {
  const { store, proxy, warnings } = await openThroughProxy(t, { heartbeatMs: 50, connectMs: 300 });
  proxy.freeze();
  while (warnings.length === 0) await sleep(10);
  t.regex(warnings[0]!, /^Lost the connection to database "test_\d+" at "127\.0\.0\.1:\d+": /);
  t.is((await increase(store)).timeout, 1);
});

postgresTest('postgres: a node whose heartbeats are rejected pauses, goes on with changes, and recovers', async (t) => {
  const { store, proxy, database, cluster, warnings } = await openThroughProxy(t, { heartbeatMs: 20 });
  store.nodes.joinDuty();
  await cluster.query(database, 'ALTER TABLE docbuild.duty RENAME TO hidden');
  await waitUntil(() => warnings.length > 0);
  const before = proxy.accepted;
  // A node that sent a heartbeat every 20 ms would connect 50 times.
  for (const end = performance.now() + 1_000; performance.now() < end; await sleep(10)) await increase(store);
  t.true(proxy.accepted - before < 12, `${proxy.accepted - before}`);
  t.is(warnings.length, 1);
  t.regex(warnings[0]!, /^Cannot tell database .* that this node lives: relation "docbuild.duty" does not exist$/);
  await cluster.query(database, 'ALTER TABLE docbuild.hidden RENAME TO duty');
  await waitUntil(() => store.nodes.isOnDuty());
});

postgresTest('postgres: a node that is refused when it connects again pauses, and recovers', async (t) => {
  const { store, proxy, database, cluster, warnings } = await openThroughProxy(t, { heartbeatMs: 20 });
  await cluster.query(
    database,
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not now'; END $$;
CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON docbuild.nodes FOR EACH ROW EXECUTE FUNCTION refuse()`,
  );
  proxy.cut();
  const before = proxy.accepted;
  for (let i = 0; i < 100; i++) await throwsData(t, increase(store), 'unwritable', /^The database has refused this/);
  t.true(proxy.accepted - before < 30, `${proxy.accepted - before}`);
  // Once each: that the connection was lost, and that another one was refused.
  t.true(warnings.length <= 2, warnings.join('\n'));
  t.regex(warnings.join('\n'), /not now/);
  await cluster.query(database, 'DROP TRIGGER refuse ON docbuild.nodes');
  await waitUntil(() =>
    increase(store).then(
      () => true,
      () => false,
    ),
  );
});

postgresTest(
  'postgres: without a server changes and questions fail after a while, and work again when it is back',
  async (t) => {
    const own = await cluster();
    const database = await own.createMigrated();
    const warnings: string[] = [];
    let failures = 0;
    const store = await openPostgresStore({
      url: own.url(database),
      patience: { ...PATIENCE, outageMs: 300, connectMs: 60_000 },
      onWarning: (message) => void warnings.push(message),
      onWriteFailed: () => void failures++,
    });
    t.teardown(() => store.close());
    await store.projects.add(createProject({ timeout: 0 }));
    t.teardown(() => own.start());
    await own.stop();
    // Callers may be anybody: names and addresses are for the operator.
    await throwsData(t, increase(store), 'unwritable', /^The database cannot be reached; try again in a moment$/);
    await throwsData(t, store.projects.find('guide'), 'unwritable', /^The database cannot be reached/);
    t.is(failures, 1);
    t.is(warnings.length, 1);
    // No more than some wait.
    const asked = await Promise.allSettled(Array.from({ length: 1_500 }, () => store.projects.find('guide')));
    const codes = asked.map((one) => (one.status === 'rejected' ? one.reason.code : 'answered'));
    t.deepEqual([codes.filter((code) => code === 'unwritable').length, codes.lastIndexOf('busy')], [1_000, 1_499]);
    t.regex(warnings[0]!, /^Cannot use database "test_\d+" at "\/.*": no such file/);
    await own.start();
    t.is((await increase(store)).timeout, 1);
    t.is((await store.projects.find('guide'))?.timeout, 1);
  },
);

postgresTest(
  'postgres: changes that wait for a server that is not heard of fail together, and it can be closed',
  async (t) => {
    const { store, proxy } = await openThroughProxy(t, { connectMs: 500, outageMs: 0, heartbeatMs: 60_000 });
    proxy.swallow();
    const askMany = () => Array.from({ length: 500 }, () => increase(store));
    for (const one of await Promise.allSettled(askMany())) {
      t.is(one.status === 'rejected' && one.reason.message, 'The database cannot be reached; try again in a moment');
    }
    // Not once for each 50 of them.
    t.is(proxy.swallowed, 1);
    const last = Promise.allSettled(askMany());
    await store.close();
    t.true((await last).every(({ status }) => status === 'rejected'));
    t.is(proxy.swallowed, 2);
  },
);

postgresTest('postgres: a server that comes back as a replica is waited for until it can be written', async (t) => {
  const own = await cluster();
  const warnings: string[] = [];
  const open = async (outageMs: number): Promise<Store> => {
    const store = await openPostgresStore({
      url: own.url(await own.createMigrated()),
      patience: { ...PATIENCE, outageMs },
      onWarning: (message) => void warnings.push(message),
    });
    t.teardown(() => store.close());
    await store.projects.add(createProject({ timeout: 0 }));
    return store;
  };
  const [patient, hasty] = [await open(60_000), await open(0)];
  t.teardown(() => own.start());
  await own.stop();
  await own.startAsReplica();
  const changing = increase(patient);
  changing.catch(() => {});
  await throwsData(t, increase(hasty), 'unwritable', /^The database cannot be reached; try again in a moment$/);
  t.regex(warnings.join('\n'), /^Cannot use database "test_\d+" at ".*": it is a replica, which cannot be written/m);
  await own.query('postgres', 'SELECT pg_promote()');
  t.is((await changing).timeout, 1);
  t.is((await increase(hasty)).timeout, 1);
});

postgresTest(
  'postgres: a server that does not run yet is waited for, and one that cannot be used is not',
  async (t) => {
    const own = await cluster();
    const database = await own.createMigrated();
    const warnings: string[] = [];
    const open = (patience: Partial<Patience> = {}, name = database) =>
      openPostgresStore({
        url: own.url(name),
        patience: { ...PATIENCE, ...patience },
        onWarning: (message) => void warnings.push(message),
      });
    t.teardown(() => own.start());
    await own.stop();
    await throwsData(
      t,
      open({ startMs: 100 }),
      'unwritable',
      /^Cannot use database "test_\d+" at "\/.*": no such file/,
    );
    t.regex(
      warnings.splice(0).join('\n'),
      /^Cannot reach database "test_\d+" at ".*" \(no such file .*\); trying for 0.1 seconds$/,
    );
    const opening = open();
    while (warnings.length === 0) await sleep(10);
    await own.start();
    await (await opening).close();
    await throwsData(
      t,
      open({}, 'unknown'),
      'unwritable',
      /"unknown" does not exist; create it first, with "createdb"$/,
    );
  },
);

postgresTest('postgres: a change that conflicts with another session is made again from what that left', async (t) => {
  const { store, database, cluster } = await openThroughProxy(t);
  const other = new pg.Client(cluster.url(database));
  await other.connect();
  t.teardown(() => other.end());
  await other.query('BEGIN');
  await other.query(
    `UPDATE docbuild.projects SET record = jsonb_set(record::jsonb, '{timeout}', '41')::json WHERE key = 'guide'`,
  );
  const calls: (number | undefined)[] = [];
  const changed = store.projects.change('guide', (one) => {
    calls.push(one.timeout);
    return { ...one, timeout: (one.timeout ?? 0) + 1 };
  });
  for (let isWaiting = false; !isWaiting; ) {
    const waiting = await cluster.query(database, 'SELECT 1 FROM pg_locks WHERE NOT granted');
    isWaiting = waiting.length > 0;
  }
  await other.query('COMMIT');
  t.is((await changed).timeout, 42);
  t.deepEqual(calls, [0, 41]);
});

postgresTest(
  'postgres: a change that cannot be stored fails alone, not with those made at the same time',
  async (t) => {
    const { store, database, cluster, warnings } = await openThroughProxy(t);
    await cluster.query(database, `ALTER TABLE docbuild.projects ADD CHECK (key <> 'bad')`);
    const adding = ['a', 'bad', 'b'].map((name) => store.projects.add(createProject({ name })));
    const outcomes = await Promise.allSettled(adding);
    t.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    await throwsData(t, adding[1]!, 'unwritable', /^The database has refused this/);
    t.regex(warnings.join('\n'), /violates check constraint/);
    const names = (await store.projects.list({ limit: 9 })).map(({ name }) => name);
    t.deepEqual(names, ['a', 'b', 'guide']);
  },
);

postgresTest('postgres: a damaged row is named, and rows keep what the schema does not know', async (t) => {
  const { store, database, cluster, warnings } = await openThroughProxy(t);
  await cluster.query(
    database,
    `UPDATE docbuild.projects SET record = jsonb_set(record::jsonb, '{later}', '"kept"')::json`,
  );
  await increase(store);
  const [row] = await cluster.query(database, `SELECT record->>'later' AS later FROM docbuild.projects`);
  t.is(row?.later, 'kept');
  await cluster.query(database, `UPDATE docbuild.projects SET record = '{"name":"guide","secret":5}'`);
  for (const asking of [store.projects.find('guide'), increase(store)]) {
    await throwsData(t, asking, 'damaged', /^A record in the database is damaged/);
  }
  t.is(warnings.length, 1);
  t.regex(warnings[0]!, /^Row "guide" of docbuild\."projects" is damaged \(.*"url".*\); correct it/);
});

postgresTest(
  'postgres: what each request for a page asks is answered without the database, as it is now',
  async (t) => {
    const { store, cluster } = await openThroughProxy(t);
    await store.projects.change('guide', (one) => ({ ...one, domain: 'docs.example' }));
    await store.projects.add(createProject({ name: 'other', url: 'https://code.example/other' }));
    const block = createBlock({ kind: 'source', target: '203.0.113.0/24' });
    await store.blocks.put('source', block.target, () => block);
    const ask = async () => [
      (await store.projects.find('guide'))?.timeout,
      (await store.projects.findByDomain('docs.example'))?.name,
      (await store.projects.findByDomain('other.example'))?.name,
      (await store.projects.find('new'))?.name,
      (await store.blocks.listMatching('source', '203.0.113.7/32')).length,
      (await store.blocks.listMatching('source', '203.0.114.7/32')).length,
    ];
    t.deepEqual(await ask(), [0, 'guide', undefined, undefined, 1, 0]);
    await increase(store);
    await store.projects.add(createProject({ name: 'new', url: 'https://code.example/new' }));
    t.deepEqual(await ask(), [1, 'guide', undefined, 'new', 1, 0]);
    await store.projects.change('guide', (one) => ({ ...one, domain: '' }));
    await store.projects.change('other', (one) => ({ ...one, domain: 'docs.example' }));
    await store.projects.change('new', (one) => ({ ...one, domain: 'other.example' }));
    await store.blocks.remove('source', block.target);
    await store.projects.remove('guide');
    const last = [undefined, 'other', 'new', 'new', 0, 0];
    t.deepEqual(await ask(), last);
    t.teardown(() => cluster.start());
    await cluster.stop();
    t.deepEqual(await ask(), last);
    await cluster.start();
  },
);
