import test, { type ExecutionContext } from 'ava';
import { openPostgresStore } from '../../data/postgres/open-postgres-store.ts';
import { createLocalMemory, type ShortTermMemory } from '../../data/short-term-memory.ts';
import { postgresTest, shareCluster } from '../helpers/share-postgres.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const cluster = shareCluster();
const HOUR_MS = 3_600_000;

async function openNodes(t: ExecutionContext, count: number) {
  const own = await cluster();
  const database = await own.createMigrated();
  const url = own.url(database);
  const nodes = [];
  for (let i = 0; i < count; i++) {
    const store = await openPostgresStore({ url, onWarning: () => {} });
    t.teardown(() => store.close());
    nodes.push(store.nodes);
  }
  return { nodes, sql: (text: string) => own.query(database, text) };
}

/** Two ways to the same memory. */
async function keepsPromises(t: ExecutionContext, one: ShortTermMemory, other: ShortTermMemory): Promise<void> {
  await one.put('a', 'text \u{1F600} "', HOUR_MS);
  t.is(await other.find('a'), 'text \u{1F600} "');
  await other.put('a', 'new', HOUR_MS);
  t.is(await one.take('a'), 'new');
  t.is(await other.take('a'), undefined);
  t.is(await other.find('a'), undefined);
  t.is(await one.claim('b', '1', HOUR_MS), undefined);
  t.is(await other.claim('b', '2', HOUR_MS), '1');
  await one.put('short', 'gone', 1);
  await waitUntil(async () => (await other.find('short')) === undefined);
  t.is(await one.take('short'), undefined);
  await one.put('short', 'gone', 1);
  await waitUntil(async () => (await other.find('short')) === undefined);
  t.is(await one.claim('short', 'mine', HOUR_MS), undefined);
  await one.put('prey', 'x', HOUR_MS);
  const hunters = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? one : other));
  const taken = await Promise.all(hunters.map((memory) => memory.take('prey')));
  t.is(taken.filter((value) => value === 'x').length, 1);
  const claims = await Promise.all(hunters.map((memory, i) => memory.claim('one', `${i}`, HOUR_MS)));
  const winner = claims.indexOf(undefined);
  t.deepEqual(
    claims.filter((_, i) => i !== winner),
    Array.from({ length: 19 }, () => `${winner}`),
  );
}

test.serial('short-term memory: of one process', async (t) => {
  const memory = createLocalMemory(() => performance.now());
  await keepsPromises(t, memory, memory);
});

postgresTest(
  'short-term memory: of several nodes, in a table that shows no keys, and is emptied of what has expired',
  async (t) => {
    const { nodes, sql } = await openNodes(t, 2);
    await keepsPromises(t, nodes[0]!.memory, nodes[1]!.memory);
    await nodes[0]!.memory.put('session of somebody', 'x', 1);
    t.false(JSON.stringify(await sql('SELECT key FROM docbuild.memory')).includes('session'));
    await waitUntil(async () => (await nodes[1]!.memory.find('session of somebody')) === undefined);
    const before = (await sql('SELECT key FROM docbuild.memory')).length;
    await nodes[0]!.prune();
    t.true((await sql('SELECT key FROM docbuild.memory')).length < before);
    t.is(await nodes[0]!.memory.find('short'), 'mine');
  },
);

postgresTest('short-term memory: values that are too large are refused', async (t) => {
  const { nodes } = await openNodes(t, 1);
  await t.throwsAsync(nodes[0]!.memory.put('a', 'x'.repeat(1_000_001), HOUR_MS), { message: /too large/ });
});

const LIMIT = { free: 10, firstMs: 60_000, mostMs: 90_000, forgetMs: HOUR_MS };

postgresTest('attempts: those at three nodes count together, however many come at once', async (t) => {
  const { nodes, sql } = await openNodes(t, 3);
  const account = { kind: 'account', key: 'reader', limit: LIMIT };
  const attempt = (i: number) => {
    const source = { kind: 'source', key: `192.0.2.${i}`, limit: LIMIT };
    return nodes[i % 3]!.attempts.count([account, source]);
  };
  const waits = await Promise.all(Array.from({ length: 90 }, (_, i) => attempt(i)));
  t.is(waits.filter((ms) => ms === 0).length, LIMIT.free);
  t.true(waits.every((ms) => ms >= 0 && ms <= 60_000));
  // Another account, and a source that was refused with the first one, are not slowed down by it.
  const other = { kind: 'account', key: 'other', limit: LIMIT };
  for (let i = 0; i < 90; i += 9) {
    t.is(await nodes[1]!.attempts.count([{ kind: 'source', key: `192.0.2.${i}`, limit: LIMIT }]), 0);
  }
  t.is(await nodes[2]!.attempts.count([other]), 0);
  t.is(await nodes[2]!.attempts.count([{ ...other, kind: 'device' }]), 0);
  t.false(/reader|192\.0/.test(JSON.stringify(await sql('SELECT * FROM docbuild.attempts'))));
});

postgresTest('attempts: waits double, one can be taken back, and all of them', async (t) => {
  const { nodes, sql } = await openNodes(t, 2);
  const [one, other] = nodes.map(({ attempts }) => attempts) as [
    (typeof nodes)[0]['attempts'],
    (typeof nodes)[0]['attempts'],
  ];
  const own = [{ kind: 'account', key: 'reader', limit: { ...LIMIT, free: 3, firstMs: 100_000, mostMs: 250_000 } }];
  const wait = async () =>
    Number((await sql(`SELECT extract(epoch FROM until - now()) * 1000 AS ms FROM docbuild.attempts`))[0]?.ms);
  t.is(await one.count(own), 0);
  t.is(await other.count(own), 0);
  await one.forgive(own);
  t.is(await one.count(own), 0);
  t.is(await other.count(own), 0);
  t.true((await wait()) > 90_000 && (await wait()) <= 100_000);
  t.true((await other.count(own)) > 90_000);
  for (const [least, most] of [
    [190_000, 200_000],
    [240_000, 250_000],
    [240_000, 250_000],
  ] as const) {
    // A second is remembered without asking.
    await sql(`UPDATE docbuild.attempts SET until = now()`);
    await waitUntil(async () => (await one.count(own)) === 0);
    t.true((await wait()) > least && (await wait()) <= most);
  }
  await other.forget(own);
  t.deepEqual(await sql('SELECT * FROM docbuild.attempts'), []);
  t.is(await other.count(own), 0);
  await sql(`UPDATE docbuild.attempts SET count = 9, forgotten = now()`);
  t.is(await other.count(own), 0);
  t.is((await sql('SELECT count FROM docbuild.attempts'))[0]?.count, 1);
  await sql(`UPDATE docbuild.attempts SET forgotten = now()`);
  await nodes[0]!.prune();
  t.deepEqual(await sql('SELECT * FROM docbuild.attempts'), []);
});
