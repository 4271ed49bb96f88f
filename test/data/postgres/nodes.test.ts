import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import pg from 'pg';
import type { Transaction } from '../../../data/nodes.ts';
import { PATIENCE, type Patience } from '../../../data/postgres/connections.ts';
import { openPostgresStore, type SharedStore } from '../../../data/postgres/open-postgres-store.ts';
import { openPostgresVault } from '../../../data/postgres/open-postgres-vault.ts';
import { createBlock, createBuild, createProject } from '../../helpers/create-records.ts';
import { servePostgresProxy } from '../../helpers/serve-postgres-proxy.ts';
import { postgresTest, shareCluster } from '../../helpers/share-postgres.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

const cluster = shareCluster();

/** Opens several stores of a new database, with the project "guide"; the first one through a proxy. */
async function openNodes(t: ExecutionContext, count: number, patience: Partial<Patience> = {}) {
  const own = await cluster();
  const database = await own.createMigrated();
  const proxy = await servePostgresProxy(t, own);
  const stores: SharedStore[] = [];
  for (let i = 0; i < count; i++) {
    const store = await openPostgresStore({
      url: (i === 0 ? proxy : own).url(database),
      patience: { ...PATIENCE, ...patience },
      onWarning: () => {},
    });
    t.teardown(() => store.close());
    stores.push(store);
  }
  await stores[0]!.projects.add(createProject({ timeout: 0 }));
  return { stores, proxy, sql: (text: string) => own.query(database, text) };
}

const increase = ({ projects }: SharedStore) =>
  projects.change('guide', (one) => ({ ...one, timeout: (one.timeout ?? 0) + 1 }));

postgresTest('nodes: changes of all nodes are made one after the other, each of them once', async (t) => {
  const { stores } = await openNodes(t, 3);
  const seen: (number | undefined)[] = [];
  const work = Array.from({ length: 600 }, async (_, i) => {
    seen.push((await increase(stores[i % 3]!)).timeout);
  });
  await Promise.all(work);
  t.deepEqual(
    seen.toSorted((a, b) => a! - b!),
    Array.from({ length: 600 }, (_, i) => i + 1),
  );
});

postgresTest('nodes: each counts its connections, and times its questions and changes', async (t) => {
  const { stores, proxy } = await openNodes(t, 1);
  const [store] = stores as [SharedStore];
  const seen: Transaction[] = [];
  store.nodes.observe((transaction) => seen.push(transaction));
  const questions = (outcome: string) => seen.filter((one) => one.kind === 'question' && one.outcome === outcome);
  const changes = (outcome: string) => seen.filter((one) => one.kind === 'change' && one.outcome === outcome);
  t.like(store.nodes.measure(), { connections: { inUse: 0, waiting: 0 }, changes: 0 });
  const asking = Array.from({ length: 20 }, () => store.builds.listOpen());
  const changing = Array.from({ length: 70 }, () => increase(store));
  await waitUntil(() => store.nodes.measure().connections.inUse > 0);
  const during = store.nodes.measure();
  t.deepEqual([during.connections.inUse, during.connections.waiting], [8, 12]);
  t.is(during.changes, 70);
  await Promise.all([...asking, ...changing]);
  await waitUntil(() => store.nodes.measure().connections.inUse === 0);
  t.deepEqual(store.nodes.measure().connections, { inUse: 0, idle: 8, waiting: 0 });
  t.is(store.nodes.measure().changes, 0);
  t.is(questions('answered').length, 20);
  // As many as wait share one, fifty at most.
  t.is(changes('answered').length, 2);
  for (const { ms } of seen) t.true(ms > 0 && ms < 60_000, `${ms}`);
  t.deepEqual([...questions('failed'), ...changes('failed')], []);

  proxy.cutAt('COMMIT', 'before');
  await increase(store);
  t.is(proxy.cuts, 1);
  t.is(changes('failed').length, 1, 'it was made again');
});

postgresTest('nodes: one that joins while its connections break waits for the next one, and joins once', async (t) => {
  const { stores, proxy } = await openNodes(t, 2);
  const [first, other] = stores as [SharedStore, SharedStore];
  const state = { role: 'all', version: '1', since: '2026-01-01T00:00:00.000Z', isDraining: false, trouble: '' };
  await other.nodes.join({ ...state, name: 'other:1', settings: { timezone: 'a' } }, (others) =>
    t.deepEqual(others, []),
  );
  let checks = 0;
  proxy.cutAt('pg_advisory_xact_lock', 'after');
  await first.nodes.join({ ...state, name: 'first:1', settings: {} }, (others) => {
    checks++;
    t.deepEqual(
      others.map(({ name, settings }) => [name, settings]),
      [['other:1', { timezone: 'a' }]],
    );
  });
  t.is(proxy.cuts, 1);
  t.true(checks >= 1);
  t.deepEqual((await other.nodes.list()).map(({ name }) => name).sort(), ['first:1', 'other:1']);
});

postgresTest(
  'nodes: a database that a command had to itself is free as soon as the command has closed it',
  async (t) => {
    const own = await cluster();
    const url = own.url(await own.createMigrated());
    for (let i = 0; i < 40; i++) {
      const vault = await openPostgresVault(url, t.fail);
      await vault.close();
    }
    // What is left of a process that was killed is waited for.
    for (const key of [1, 2 ** 20]) {
      const killed = new pg.Client(url);
      await killed.connect();
      await killed.query('SELECT pg_advisory_lock(1685021538, $1)', [key]);
      const opening = openPostgresVault(url, t.fail);
      let isOpen = false;
      const noted = opening.then(() => {
        isOpen = true;
      });
      await sleep(300);
      t.false(isOpen);
      await killed.end();
      await t.notThrowsAsync(noted);
      await (await opening).close();
    }
  },
);

postgresTest('nodes: what each request for a page asks is answered from memory, as another node left it', async (t) => {
  const { stores } = await openNodes(t, 2);
  const [one, other] = stores as [SharedStore, SharedStore];
  const ask = async () => [
    (await one.projects.find('guide'))?.timeout,
    (await one.projects.findByDomain('docs.example'))?.name,
    (await one.projects.find('new'))?.name,
    (await one.blocks.listMatching('source', '203.0.113.7/32')).length,
  ];
  t.deepEqual(await ask(), [0, undefined, undefined, 0]);
  const block = createBlock({ kind: 'source', target: '203.0.113.0/24' });
  await other.blocks.put('source', block.target, () => block);
  await other.projects.add(createProject({ name: 'new', url: 'https://code.example/new', domain: 'docs.example' }));
  await increase(other);
  await waitUntil(async () => (await one.projects.find('guide'))?.timeout === 1);
  t.deepEqual(await ask(), [1, 'new', 'new', 1]);
  await other.projects.change('new', (project) => ({ ...project, domain: '' }));
  await other.blocks.remove('source', block.target);
  await other.projects.remove('guide');
  await waitUntil(async () => (await one.projects.find('guide')) === undefined);
  t.deepEqual(await ask(), [undefined, undefined, 'new', 0]);
});

postgresTest('nodes: what was changed while the connection was lost is seen when it is back', async (t) => {
  const { stores, proxy, sql } = await openNodes(t, 2, { heartbeatMs: 50 });
  const [one, other] = stores as [SharedStore, SharedStore];
  t.is((await one.projects.find('guide'))?.timeout, 0);
  let gaps = 0;
  one.nodes.listen({ onBuild() {}, onGap: () => void gaps++, async onDead() {} });
  const block = createBlock({ kind: 'source', target: '203.0.113.0/24' });
  for (let round = 1; round <= 5; round++) {
    proxy.cut();
    await increase(other);
    if (round === 5) await other.blocks.put('source', block.target, () => block);
    await waitUntil(() => gaps === round);
    t.is((await one.projects.find('guide'))?.timeout, round);
  }
  t.is((await one.blocks.listMatching('source', '203.0.113.7/32')).length, 1);
  // The node is still the same one.
  t.is((await sql('SELECT id FROM docbuild.nodes')).length, 2);
});

postgresTest('nodes: more changes at once than a notice can hold are seen, too', async (t) => {
  const { stores } = await openNodes(t, 2);
  const [one, other] = stores as [SharedStore, SharedStore];
  const names = Array.from({ length: 50 }, (_, i) => `${'x'.repeat(200)}${i}`);
  for (const name of names) t.is(await one.projects.find(name), undefined);
  await Promise.all(names.map((name) => other.projects.add(createProject({ name }))));
  const list = async () =>
    (await Promise.all(names.map((name) => one.projects.find(name)))).map((found) => found?.name);
  await waitUntil(async () => !(await list()).includes(undefined));
  t.deepEqual(await list(), names);
});

postgresTest('nodes: a turn whose worker is gone, or never heard that it has it, is taken again', async (t) => {
  const { stores, proxy } = await openNodes(t, 2);
  const [one, other] = stores as [SharedStore, SharedStore];
  const ask = () => one.builds.changeOpen('guide', () => ({ builds: [createBuild()] }));
  const taken: string[] = [];
  const use = async (project: string): Promise<void> => {
    const [build] = await other.builds.changeOpen(project, ({ builds }) => ({
      builds: builds.map((one) => ({ ...one, status: 'passing' })),
      isTurnUsed: true,
    }));
    if (build) taken.push(project);
  };
  const places = () => ({ long: 1, short: 0 });
  // It never uses its turn.
  let release = (): void => {};
  let isHeld = false;
  const holder = await one.turns.serve({
    places,
    take: () => {
      isHeld = true;
      return new Promise((resolve) => {
        release = resolve;
      });
    },
  });
  t.teardown(() => {
    release();
    return holder.stop();
  });
  await ask();
  await waitUntil(() => isHeld);
  const server = await other.turns.serve({ places, take: use });
  t.teardown(() => server.stop());
  await waitUntil(() => taken.length === 1);
  // The name of the statement by which a worker asks for a turn.
  proxy.cutAt('get_job/', 'after');
  await ask();
  await waitUntil(() => taken.length === 2);
  t.deepEqual(taken, ['guide', 'guide']);
});

postgresTest('nodes: one node has the duty, and another one takes it over', async (t) => {
  const { stores } = await openNodes(t, 3, { heartbeatMs: 50 });
  for (const { nodes } of stores) nodes.joinDuty();
  const onDuty = () => stores.filter(({ nodes }) => nodes.isOnDuty());
  await waitUntil(() => onDuty().length > 0);
  const [first] = onDuty();
  for (let i = 0; i < 20; i++) {
    t.deepEqual(onDuty(), [first!]);
    await sleep(20);
  }
  await first!.close();
  stores.splice(stores.indexOf(first!), 1);
  await waitUntil(() => onDuty().length > 0);
  t.is(onDuty().length, 1);
});

postgresTest('nodes: a command that shares the database for a moment does not get the duty', async (t) => {
  const { stores } = await openNodes(t, 2, { heartbeatMs: 20 });
  const [command, server] = stores as [SharedStore, SharedStore];
  // It has said that it lives several times by then.
  await waitUntil(async () => command.nodes.isOnDuty() || (await increase(command)).timeout! > 20);
  server.nodes.joinDuty();
  await waitUntil(() => server.nodes.isOnDuty());
  t.false(command.nodes.isOnDuty());
});

postgresTest('nodes: a node that hears nothing any more gives up the duty before another one has it', async (t) => {
  const { stores, proxy } = await openNodes(t, 2, { heartbeatMs: 50, dutyMs: 1_000 });
  const [hanging, other] = stores as [SharedStore, SharedStore];
  hanging.nodes.joinDuty();
  await waitUntil(() => hanging.nodes.isOnDuty());
  other.nodes.joinDuty();
  proxy.freeze();
  let both = 0;
  await waitUntil(() => {
    if (hanging.nodes.isOnDuty() && other.nodes.isOnDuty()) both++;
    return other.nodes.isOnDuty();
  });
  t.is(both, 0);
  t.false(hanging.nodes.isOnDuty());
  // It does not have to ask for it again.
  await other.close();
  stores.pop();
  await waitUntil(() => hanging.nodes.isOnDuty());
});

postgresTest('nodes: a notice of another release counts as one that everything has changed', async (t) => {
  const { stores, sql } = await openNodes(t, 1);
  const [one] = stores as [SharedStore];
  t.is((await one.projects.find('guide'))?.timeout, 0);
  await sql(
    `UPDATE docbuild.projects SET record = jsonb_set(record::jsonb, '{timeout}', '5')::json WHERE key = 'guide'`,
  );
  t.is((await one.projects.find('guide'))?.timeout, 0);
  await sql(`SELECT pg_notify('docbuild', '{"format":2}')`);
  await waitUntil(async () => (await one.projects.find('guide'))?.timeout === 5);
});
