import type pg from 'pg';
import type { Collection } from '../collection.ts';
import { DataError } from '../data-error.ts';
import { isConflict } from './connections.ts';
import { describeTable, nameColumns, SCHEMA, TAKE_TURN, type TableLayout } from './table-layout.ts';
import { createRun, type Run, readRows } from './table-rows.ts';
import { declareLayout, fillRows, indexNoted, MAKE_UNINDEXED, watchLayout } from './unindexed.ts';

/**
 * What makes a database of one version one of the next. The tables of collections are no part of it: they follow from
 * `COLLECTIONS`. A step may only add (expand); what it makes superfluous is removed by a later release (contract), so that
 * the release before still runs.
 */
const STEPS: readonly string[] = [
  // `state` is one row.
  `CREATE TABLE ${SCHEMA}.state (owner text NOT NULL, batch text NOT NULL);
INSERT INTO ${SCHEMA}.state VALUES ('', '');
CREATE TABLE ${SCHEMA}.indexes (collection text, name text, revision int NOT NULL, PRIMARY KEY (collection, name));`,
  // Several nodes: `state` has the last turn that was used; its `owner` and `batch` are of the release before. `change_lock`
  // has no rows: nodes lock it to make changes one after the other. `batch` is the last one of a node's changes,
  // `duty` one row: who does what one node does for all.
  `ALTER TABLE ${SCHEMA}.state ADD COLUMN turn bigint NOT NULL DEFAULT 0;
CREATE TABLE ${SCHEMA}.change_lock ();
CREATE TABLE ${SCHEMA}.nodes (id int PRIMARY KEY, name text NOT NULL, batch text NOT NULL, seen timestamptz NOT NULL,
  is_dead boolean NOT NULL, workers text[] NOT NULL);
CREATE TABLE ${SCHEMA}.duty (node int NOT NULL, until timestamptz NOT NULL);
INSERT INTO ${SCHEMA}.duty VALUES (0, now());
CREATE SEQUENCE ${SCHEMA}.turn_places;
CREATE TABLE ${SCHEMA}.turns (project text COLLATE "C" PRIMARY KEY, owner text COLLATE "C" NOT NULL, turn bigint NOT NULL,
  place bigint NOT NULL DEFAULT nextval('${SCHEMA}.turn_places'));
CREATE INDEX turns_of_owners ON ${SCHEMA}.turns (owner, turn);`,
  // Logs of builds: a row has lines that were written together, from the one with the number `place` on.
  `CREATE TABLE ${SCHEMA}.log_lines (project text COLLATE "C", build text COLLATE "C", place int, lines text NOT NULL,
  PRIMARY KEY (project, build, place));
CREATE TABLE ${SCHEMA}.problems (project text COLLATE "C", build text COLLATE "C", problems text NOT NULL, PRIMARY KEY (project, build));`,
  // What nodes remember for minutes, by hashes of keys; empty after a crash of the server. `least` is the oldest version that
  // works on these tables.
  `CREATE UNLOGGED TABLE ${SCHEMA}.attempts (key text COLLATE "C" PRIMARY KEY, count int NOT NULL, until timestamptz NOT NULL,
  forgotten timestamptz NOT NULL);
CREATE INDEX attempts_forgotten ON ${SCHEMA}.attempts (forgotten);
CREATE UNLOGGED TABLE ${SCHEMA}.memory (key text COLLATE "C" PRIMARY KEY, value text NOT NULL, until timestamptz NOT NULL);
CREATE INDEX memory_until ON ${SCHEMA}.memory (until);
ALTER TABLE ${SCHEMA}.version ADD COLUMN least int NOT NULL DEFAULT 0;`,
  MAKE_UNINDEXED,
  // What is known of the build that waits for a turn, and when somebody has made way for it.
  `ALTER TABLE ${SCHEMA}.turns ADD COLUMN speed text COLLATE "C" NOT NULL DEFAULT 'unknown', ADD COLUMN claimed timestamptz;
CREATE INDEX turns_of_speed ON ${SCHEMA}.turns (speed, turn, place);`,
  // Indexes of builds by status and ref, of projects in natural order and by schedule.
  'SELECT 1',
  // What a CDN is to forget.
  'SELECT 1',
];
/**
 * The version of this release. A new index takes a step, too, even an empty one: it tells which of two releases is the newer one.
 */
const VERSION = STEPS.length;
/** The oldest version whose nodes may run beside this one, and be started again. Only a step that removes something raises it. */
const LEAST = 2;
/** Records that are read at once to fill an index. */
const PAGE = 1_000;
/** How often a migration is tried that conflicts with what others do. */
const MAX_TRIES = 5;

/** What a migration works with. */
interface MigrationOptions {
  /** The database's, for messages. */
  readonly name: string;
  readonly collections: readonly Collection<unknown>[];
  readonly onWarning: (message: string) => void;
}

/**
 * Brings the tables of a database up to this release, all or nothing. An index that is new, or whose
 * rule has changed, is filled from the records; one that this release does not know is left alone. Throws DataError `invalid` for the database of a newer version.
 */
export async function migrate(client: pg.Client, options: MigrationOptions): Promise<void> {
  const run = createRun(client);
  for (let tries = 1; ; tries++) {
    try {
      return await migrateOnce(client, run, options);
    } catch (error) {
      await run('ROLLBACK').catch(() => {});
      // Whoever reads several tables may wait for one that is being changed, and hold another one.
      if (tries === MAX_TRIES || !isConflict(error)) throw error;
    }
  }
}

async function migrateOnce(client: pg.Client, run: Run, options: MigrationOptions): Promise<void> {
  const { name, collections, onWarning } = options;
  await run('BEGIN');
  await run('SET LOCAL statement_timeout = 0');
  await run('SET LOCAL idle_in_transaction_session_timeout = 0');
  const [lock] = await run<{ exists: boolean }>(`SELECT to_regclass('${SCHEMA}.change_lock') IS NOT NULL AS "exists"`);
  // Otherwise a change under way and this one could each wait for a table that the other one has.
  if (lock!.exists) await run(TAKE_TURN);
  // A newer release has prepared everything, and keeps what this one needs.
  const isNewest = await runSteps(run, name);
  if (!isNewest) return void (await run('ROLLBACK'));
  await declareLayout(client, collections, true);
  const known = await run<{ collection: string; name: string; revision: number }>(
    `SELECT collection, name, revision FROM ${SCHEMA}.indexes`,
  );
  for (const collection of collections) {
    const revisions = new Map(
      known.filter((one) => one.collection === collection.name).map((one) => [one.name, one.revision]),
    );
    await migrateTable(run, { layout: describeTable(collection), revisions, onWarning });
  }
  await watchLayout(run, collections);
  while (await indexNoted(run, collections));
  await run('COMMIT');
}

/** Returns false where a newer release has prepared the database, on which this one may still run. */
async function runSteps(run: Run, name: string): Promise<boolean> {
  const [found] = await run<{ hasSchema: boolean; hasVersion: boolean }>(
    `SELECT to_regnamespace('${SCHEMA}') IS NOT NULL AS "hasSchema", to_regclass('${SCHEMA}.version') IS NOT NULL AS "hasVersion"`,
  );
  // Only where it is missing: otherwise nobody needs the right to make one.
  if (!found!.hasSchema) await run(`CREATE SCHEMA ${SCHEMA}`);
  if (!found!.hasVersion) {
    await run(`CREATE TABLE ${SCHEMA}.version (version int NOT NULL)`);
    await run(`INSERT INTO ${SCHEMA}.version VALUES (0)`);
  }
  const [row] = await run<{ version: number; least?: number }>(`SELECT * FROM ${SCHEMA}.version`);
  const { version = 0, least = 0 } = row ?? {};
  if (version > VERSION) {
    if (least > 0 && least <= VERSION) return false;
    const message = `Cannot use ${name}: a newer docbuild has prepared it (version ${version}, this one knows ${VERSION}); start that one`;
    throw new DataError('invalid', message);
  }
  for (const step of STEPS.slice(version)) await run(step);
  if (version < VERSION) {
    await run(`UPDATE ${SCHEMA}.version SET version = $1, least = $2`, [VERSION, LEAST]);
  }
  return true;
}

async function migrateTable(
  run: Run,
  options: {
    readonly layout: TableLayout;
    /** Of the indexes that the table has, by name. */
    readonly revisions: ReadonlyMap<string, number>;
    readonly onWarning: (message: string) => void;
  },
): Promise<void> {
  const { layout, revisions, onWarning } = options;
  const { collection, table, indexes } = layout;
  if (revisions.size === 0) {
    await run(`CREATE TABLE IF NOT EXISTS ${table} (key text COLLATE "C" PRIMARY KEY, record json NOT NULL)`);
  }
  const stale = indexes.filter(({ index }) => revisions.get(index.name) !== index.revision);
  if (stale.length === 0) return;
  for (const { index, group, order } of stale) {
    await dropIndex(run, layout, index.name);
    await run(`ALTER TABLE ${table} ADD COLUMN ${group} text COLLATE "C", ADD COLUMN ${order} text COLLATE "C"`);
  }
  const filled = await fillColumns(run, { ...layout, indexes: stale });
  if (filled > 0) onWarning(`Filled ${stale.length} new or changed indexes of ${table} from ${filled} records`);
  for (const { index, group, order, name } of stale) {
    await run(`CREATE INDEX ${name} ON ${table} (${group}, ${order}) WHERE ${group} IS NOT NULL`);
    await run(
      `INSERT INTO ${SCHEMA}.indexes VALUES ($1, $2, $3) ON CONFLICT (collection, name) DO UPDATE SET revision = excluded.revision`,
      [collection.name, index.name, index.revision],
    );
  }
}

/** Drops the columns of an index, and with them the index. */
async function dropIndex(run: Run, { table }: TableLayout, name: string): Promise<void> {
  const { group, order } = nameColumns(name);
  await run(`ALTER TABLE ${table} DROP COLUMN IF EXISTS ${group}, DROP COLUMN IF EXISTS ${order}`);
}

/** Computes the columns of indexes from all records; returns how many there are. */
async function fillColumns(run: Run, layout: TableLayout): Promise<number> {
  let count = 0;
  for await (const rows of readRows(run, layout, PAGE)) {
    await fillRows(run, layout, rows);
    count += rows.length;
  }
  return count;
}
