import { readdirSync } from 'node:fs';
import type { ExecutionContext } from 'ava';
import pg from 'pg';
import { PATIENCE } from '../../../data/postgres/connections.ts';
import { openPostgresStore } from '../../../data/postgres/open-postgres-store.ts';
import type { Store } from '../../../data/store.ts';
import { createBuild, createProject } from '../../helpers/create-records.ts';
import { postgresTest, shareCluster } from '../../helpers/share-postgres.ts';
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

postgresTest('postgres: a process that changes tables is waited for, and named', async (t) => {
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
  await sql('UPDATE docbuild.version SET version = 99');
  await sql(`DELETE FROM docbuild.indexes WHERE name = 'byDomain'`);
  const before = await sql(DESCRIBE);
  await throwsData(t, open(), 'invalid', /a newer docbuild has prepared it \(version 99, this one knows 10\)/);
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

postgresTest('postgres: a start that would change tables is refused while a node uses them', async (t) => {
  const { open, sql } = await createDatabase();
  const store = await open();
  await fill(store);
  await sql(`UPDATE docbuild.indexes SET revision = 0 WHERE name = 'open'`);
  const before = await sql(DESCRIBE);
  await throwsData(
    t,
    open(),
    'busy',
    /tables of database .* while docbuild \d+ on \S+ is using it: stop all nodes first$/,
  );
  t.deepEqual(await sql(DESCRIBE), before);
  await store.close();
  const again = await open([]);
  await expectFilled(t, again);
  await again.close();
});

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

postgresTest('postgres: tables from before the first release become its own', async (t) => {
  const { open, sql } = await createDatabase();
  const store = await open();
  const before = await sql(DESCRIBE);
  await fill(store);
  await store.close();
  await sql(`ALTER TABLE docbuild.version ADD COLUMN least int NOT NULL DEFAULT 0;
    ALTER TABLE docbuild.state ADD COLUMN owner text NOT NULL DEFAULT '', ADD COLUMN batch text NOT NULL DEFAULT '', ADD COLUMN layout text NOT NULL DEFAULT '';
    CREATE TABLE docbuild.unindexed (collection text COLLATE "C", key text COLLATE "C", PRIMARY KEY (collection, key));
    CREATE FUNCTION docbuild.note_unindexed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
    CREATE TRIGGER note_unindexed AFTER INSERT OR UPDATE ON docbuild.builds FOR EACH ROW EXECUTE FUNCTION docbuild.note_unindexed('builds');
    DROP TABLE docbuild.turns;
    CREATE TABLE docbuild.turns (project text COLLATE "C" PRIMARY KEY, owner text COLLATE "C" NOT NULL, turn bigint NOT NULL,
      place bigint NOT NULL DEFAULT nextval('docbuild.turn_places'), speed text COLLATE "C" NOT NULL DEFAULT 'unknown', claimed timestamptz);
    CREATE INDEX turns_of_owners ON docbuild.turns (owner, turn);
    CREATE INDEX turns_of_speed ON docbuild.turns (speed, turn, place);
    ALTER TABLE docbuild.nodes ADD COLUMN workers text[] NOT NULL DEFAULT '{}', DROP COLUMN about;
    ALTER TABLE docbuild.state DROP COLUMN salt;
    UPDATE docbuild.version SET version = 8, least = 2`);
  const again = await open();
  await expectFilled(t, again);
  await again.close();
  t.deepEqual(await sql(DESCRIBE), before);
  t.deepEqual(await sql(`SELECT tgname FROM pg_trigger WHERE tgname = 'note_unindexed'`), []);
});

postgresTest('postgres: tables of the version before become those of this one', async (t) => {
  const { open, sql } = await createDatabase();
  const store = await open();
  const before = await sql(DESCRIBE);
  await fill(store);
  await store.close();
  await sql(`ALTER TABLE docbuild.nodes DROP COLUMN about;
    ALTER TABLE docbuild.state DROP COLUMN salt;
    UPDATE docbuild.version SET version = 9`);
  const again = await open();
  await expectFilled(t, again);
  await again.close();
  t.deepEqual(await sql(DESCRIBE), before);
});
