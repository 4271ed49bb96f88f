import { readdirSync } from 'node:fs';
import type { ExecutionContext } from 'ava';
import pg from 'pg';
import { PATIENCE } from '../../../data/postgres/connections.ts';
import { openPostgresStore } from '../../../data/postgres/open-postgres-store.ts';
import type { Store } from '../../../data/store.ts';
import { createBuild, createProject } from '../../helpers/create-records.ts';
import { SAMPLES } from '../../helpers/record-samples.ts';
import { postgresTest, shareCluster } from '../../helpers/share-postgres.ts';
import { waitUntil } from '../../helpers/wait-until.ts';
import { throwsData } from '../contract/adapter.ts';

const cluster = shareCluster();

/** Creates a database; returns what opens its store, and what runs SQL in it. */
async function createDatabase(): Promise<{
  open: (warnings?: string[]) => Promise<Store>;
  sql: (text: string) => Promise<readonly Record<string, unknown>[]>;
  connect: (t: ExecutionContext) => Promise<pg.Client>;
}> {
  const own = await cluster();
  const database = await own.createDatabase();
  return {
    open: (warnings = []) =>
      openPostgresStore({ url: own.url(database), onWarning: (message) => void warnings.push(message) }),
    sql: (text) => own.query(database, text),
    async connect(t) {
      const client = new pg.Client(own.url(database));
      await client.connect();
      t.teardown(() => client.end());
      return client;
    },
  };
}

/** Everything in the database that migrations make, but for the owner. */
const DESCRIBE = `SELECT table_name, column_name, data_type, collation_name FROM information_schema.columns WHERE table_schema = 'docbuild'
UNION ALL SELECT tablename, indexname, indexdef, NULL FROM pg_indexes WHERE schemaname = 'docbuild'
UNION ALL SELECT collection, name, revision::text, NULL FROM docbuild.indexes ORDER BY 1, 2`;

async function fill(store: Store): Promise<void> {
  await store.projects.add(createProject({ domain: 'docs.example' }));
  for (let i = 0; i < 3; i++) await store.builds.add(createBuild({ status: i === 1 ? 'passing' : 'queued' }));
}

async function expectFilled(t: ExecutionContext, store: Store): Promise<void> {
  t.is((await store.projects.findByDomain('docs.example'))?.name, 'guide');
  t.is((await store.builds.listOpen()).length, 2);
  t.is((await store.builds.listEnded({ limit: 9 })).length, 1);
}

postgresTest('postgres: a database that is up to date is not changed by a start', async (t) => {
  const { open, sql } = await createDatabase();
  await (await open()).close();
  const before = await sql(DESCRIBE);
  t.true(before.length > 50);
  const warnings: string[] = [];
  await (await open(warnings)).close();
  t.deepEqual(await sql(DESCRIBE), before);
  t.deepEqual(warnings, []);
});

postgresTest('postgres: of several starts on an empty database one prepares it, and all use it', async (t) => {
  const { open, sql } = await createDatabase();
  const warnings: string[] = [];
  const stores = await Promise.all([1, 2, 3, 4].map(() => open(warnings)));
  await fill(stores[0]!);
  for (const store of stores) await expectFilled(t, store);
  t.is((await sql('SELECT id FROM docbuild.nodes WHERE NOT is_dead')).length, 4);
  for (const store of stores) await store.close();
  t.deepEqual(await sql('SELECT id FROM docbuild.nodes'), []);
  t.deepEqual(warnings, []);
});

postgresTest('postgres: the tables of the queue are those of the package that is used', async (t) => {
  const { open, sql } = await createDatabase();
  await (await open()).close();
  const files = readdirSync(new URL('../../../../node_modules/graphile-worker/sql', import.meta.url));
  t.deepEqual(await sql('SELECT max(id) AS newest FROM docbuild_jobs.migrations'), [{ newest: files.length }]);
});

postgresTest('postgres: a release that had the database to itself is waited for, and named', async (t) => {
  const own = await cluster();
  const database = await own.createDatabase();
  const former = new pg.Client({ connectionString: own.url(database), application_name: 'docbuild 7 on old.example' });
  await former.connect();
  t.teardown(() => former.end());
  await former.query('SELECT pg_advisory_lock(1685021538, 1)');
  const patience = { ...PATIENCE, startMs: 100 };
  const opening = openPostgresStore({ url: own.url(database), patience, onWarning: t.fail });
  await throwsData(t, opening, 'busy', /: docbuild 7 on old\.example is using it$/);
});

postgresTest('postgres: a database that a newer docbuild has prepared is refused and not changed', async (t) => {
  const { open, sql } = await createDatabase();
  await (await open()).close();
  await sql('UPDATE docbuild.version SET version = 99, least = 99');
  await sql(`DELETE FROM docbuild.indexes WHERE name = 'byDomain'`);
  const before = await sql(DESCRIBE);
  await throwsData(t, open(), 'invalid', /a newer docbuild has prepared it \(version 99, this one knows 8\)/);
  t.deepEqual(await sql(DESCRIBE), before);
});

postgresTest(
  'postgres: indexes that are new or have another rule are filled from the records, and unknown ones left alone',
  async (t) => {
    const { open, sql } = await createDatabase();
    const store = await open();
    const before = await sql(DESCRIBE);
    await fill(store);
    await store.close();
    // As an earlier release left it, which had no index by domain, another rule for "open", and an index of its own.
    await sql(`ALTER TABLE docbuild.projects DROP COLUMN by_domain_group, DROP COLUMN by_domain_order;
    ALTER TABLE docbuild.builds ADD COLUMN former_group text, ADD COLUMN former_order text;
    UPDATE docbuild.builds SET open_group = 'other', open_order = 'x';
    DELETE FROM docbuild.indexes WHERE name = 'byDomain';
    UPDATE docbuild.indexes SET revision = 0 WHERE collection = 'builds' AND name = 'open';
    INSERT INTO docbuild.indexes VALUES ('builds', 'former', 1)`);
    const warnings: string[] = [];
    const again = await open(warnings);
    await expectFilled(t, again);
    await again.close();
    t.deepEqual(
      (await sql(DESCRIBE)).filter((row) => !/former/.test(JSON.stringify(row))),
      before,
    );
    t.deepEqual(await sql(`SELECT revision FROM docbuild.indexes WHERE name = 'former'`), [{ revision: 1 }]);
    t.is((await sql(`SELECT column_name FROM information_schema.columns WHERE column_name LIKE 'former%'`)).length, 2);
    t.deepEqual(warnings, [
      'Filled 1 new or changed indexes of docbuild."projects" from 1 records',
      'Filled 1 new or changed indexes of docbuild."builds" from 3 records',
    ]);
  },
);

postgresTest(
  'postgres: a start that changes tables waits for a change under way, which then still gets every table',
  async (t) => {
    const { open, sql, connect } = await createDatabase();
    const store = await open();
    await fill(store);
    await store.close();
    await sql('UPDATE docbuild.indexes SET revision = 0');
    const former = await connect(t);
    const change = (table: string) => former.query(`UPDATE docbuild.${table} SET record = record`);
    await former.query('BEGIN; LOCK TABLE docbuild.change_lock IN EXCLUSIVE MODE');
    await change('builds');
    const starting = open();
    await waitUntil(async () => (await sql('SELECT FROM pg_locks WHERE NOT granted')).length > 0);
    for (const table of ['projects', 'blocks', 'users']) await change(table);
    await former.query('COMMIT');
    const again = await starting;
    await expectFilled(t, again);
    await again.close();
  },
);

postgresTest('postgres: a start that fails in the middle leaves the database as it was', async (t) => {
  const { open, sql } = await createDatabase();
  const store = await open();
  await fill(store);
  await store.close();
  await sql(`UPDATE docbuild.builds SET record = '{}' WHERE open_group IS NULL`);
  await sql('UPDATE docbuild.indexes SET revision = 0');
  const before = await sql(DESCRIBE);
  await throwsData(t, open(), 'damaged', /^Row "\w{20}" of docbuild\."builds" is damaged/);
  t.deepEqual(await sql(DESCRIBE), before);
});

postgresTest('postgres: a database of another encoding is refused', async (t) => {
  const own = await cluster();
  await own.query('postgres', `CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`);
  const opening = openPostgresStore({ url: own.url('latin'), onWarning: t.fail });
  await throwsData(t, opening, 'invalid', /its encoding is LATIN1; create it with "createdb --encoding UTF8"$/);
});

postgresTest(
  'postgres: a release runs on what a newer one has prepared, unless that has removed something',
  async (t) => {
    const { open, sql } = await createDatabase();
    await (await open()).close();
    // A newer release knows a further index, and has one more step.
    await sql(`ALTER TABLE docbuild.projects ADD COLUMN newer_group text, ADD COLUMN newer_order text;
    INSERT INTO docbuild.indexes VALUES ('projects', 'newer', 1);
    UPDATE docbuild.version SET version = version + 1`);
    const before = await sql(DESCRIBE);
    const store = await open();
    await fill(store);
    await expectFilled(t, store);
    await store.close();
    t.deepEqual(await sql(DESCRIBE), before);
    await sql('UPDATE docbuild.version SET least = version');
    await throwsData(t, open(), 'invalid', /a newer docbuild has prepared it/);
  },
);

postgresTest('postgres: what a node of another release writes gets the indexes that it does not know', async (t) => {
  const { open, sql } = await createDatabase();
  const store = await open();
  await fill(store);
  t.deepEqual(await sql('SELECT * FROM docbuild.unindexed'), []);
  const record = createProject({ name: 'other', domain: 'other.example' });
  // With the statements of a release before the index by domain.
  const older = `SET docbuild.layout = 'older'; INSERT INTO docbuild.projects (key, record) VALUES ('other', '${JSON.stringify(record)}');
    UPDATE docbuild.projects SET record = replace(record::text, 'docs.example', 'new.example')::json WHERE key = 'guide'`;
  await sql(older);
  const list = () => sql(`SELECT key, by_domain_group AS domain FROM docbuild.projects ORDER BY key`);
  await waitUntil(async () => (await sql('SELECT * FROM docbuild.unindexed')).length === 0);
  t.deepEqual(await list(), [
    { key: 'guide', domain: 'new.example' },
    { key: 'other', domain: 'other.example' },
  ]);
  await store.close();
  // While no node of this release runs, it is noted; the next one computes it before it answers.
  await sql(older.replaceAll('other', 'third'));
  t.is((await sql('SELECT * FROM docbuild.unindexed')).length, 2);
  const again = await open();
  t.is((await again.projects.findByDomain('third.example'))?.name, 'third');
  t.deepEqual(await sql('SELECT * FROM docbuild.unindexed'), []);
  // So do collections without any index.
  const [redirect] = SAMPLES['redirects']!;
  const count = (key: string) =>
    sql(
      `SET docbuild.layout = 'older'; INSERT INTO docbuild.redirects (key, record) VALUES ('${key}', '${JSON.stringify(redirect)}')`,
    );
  await sql('DELETE FROM docbuild.redirects');
  await count('first');
  await waitUntil(async () => (await sql('SELECT * FROM docbuild.unindexed')).length === 0);
  // A newer release is there: notes are its business.
  await sql(`UPDATE docbuild.state SET layout = 'newer'; INSERT INTO docbuild.unindexed VALUES ('projects', 'guide')`);
  await again.projects.change('guide', (one) => ({ ...one, timeout: 7 }));
  await again.close();
  t.is((await sql('SELECT * FROM docbuild.unindexed')).length, 1);
});
