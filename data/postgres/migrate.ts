import type pg from 'pg';
import type { Collection } from '../collection.ts';
import { DataError } from '../data-error.ts';
import { findRunningNode } from './node-table.ts';
import { adoptRow, listIndexValues } from './statements.ts';
import { describeTable, SCHEMA, type TableLayout } from './table-layout.ts';
import { createRun, type Row, type Run, readRows } from './table-rows.ts';

/** Goes up with every change of `TABLES` and with every index that is new or has another rule. */
const VERSION = 10;
/** Projects that wait for a turn or have one, in the lane of the build that waits. */
const TURNS = `CREATE TABLE ${SCHEMA}.turns (project text COLLATE "C" PRIMARY KEY, owner text COLLATE "C" NOT NULL, turn bigint NOT NULL,
  place bigint NOT NULL DEFAULT nextval('${SCHEMA}.turn_places'), lane text COLLATE "C" NOT NULL, is_held boolean NOT NULL,
  asked timestamptz NOT NULL DEFAULT now(), claimed timestamptz NOT NULL DEFAULT '-infinity');
CREATE INDEX turns_of_owners ON ${SCHEMA}.turns (owner, turn);
CREATE INDEX turns_that_wait ON ${SCHEMA}.turns (lane, turn, place) WHERE NOT is_held;`;
/** The tables besides those of collections, which follow from `COLLECTIONS`. */
const TABLES = `
CREATE TABLE ${SCHEMA}.version (version int NOT NULL);
INSERT INTO ${SCHEMA}.version VALUES (${VERSION});
-- Which indexes the tables of collections have.
CREATE TABLE ${SCHEMA}.indexes (collection text, name text, revision int NOT NULL, PRIMARY KEY (collection, name));
-- Has no rows: nodes lock it to make changes one after the other.
CREATE TABLE ${SCHEMA}.change_lock ();
-- \`batch\` is the last one of a node's changes, \`about\` what it says of itself.
CREATE TABLE ${SCHEMA}.nodes (id int PRIMARY KEY, name text NOT NULL, batch text NOT NULL, seen timestamptz NOT NULL,
  is_dead boolean NOT NULL, about json);
-- One row: who does what one node does for all.
CREATE TABLE ${SCHEMA}.duty (node int NOT NULL, until timestamptz NOT NULL);
INSERT INTO ${SCHEMA}.duty VALUES (0, now());
-- One row: the last turn that was used, and what hashes of settings begin with.
CREATE TABLE ${SCHEMA}.state (turn bigint NOT NULL, salt uuid NOT NULL DEFAULT gen_random_uuid());
INSERT INTO ${SCHEMA}.state VALUES (0);
CREATE SEQUENCE ${SCHEMA}.turn_places;
${TURNS}
-- Logs of builds: a row has lines that were written together, from the one with the number \`place\` on.
CREATE TABLE ${SCHEMA}.log_lines (project text COLLATE "C", build text COLLATE "C", place int, lines text NOT NULL,
  PRIMARY KEY (project, build, place));
CREATE TABLE ${SCHEMA}.problems (project text COLLATE "C", build text COLLATE "C", problems text NOT NULL, PRIMARY KEY (project, build));
-- What nodes remember for minutes, by hashes of keys; empty after a crash of the server.
CREATE UNLOGGED TABLE ${SCHEMA}.attempts (key text COLLATE "C" PRIMARY KEY, count int NOT NULL, until timestamptz NOT NULL,
  forgotten timestamptz NOT NULL);
CREATE INDEX attempts_forgotten ON ${SCHEMA}.attempts (forgotten);
CREATE UNLOGGED TABLE ${SCHEMA}.memory (key text COLLATE "C" PRIMARY KEY, value text NOT NULL, until timestamptz NOT NULL);
CREATE INDEX memory_until ON ${SCHEMA}.memory (until);`;
/** The first release has none before it; 8 and 9 are what was there until then. */
const OLDEST = 8;
/** Whoever builds asks for turns of what waits when it starts. */
const FROM_8 = `
DROP TABLE ${SCHEMA}.turns;
${TURNS}
ALTER TABLE ${SCHEMA}.nodes DROP COLUMN workers;
DROP FUNCTION ${SCHEMA}.note_unindexed CASCADE;
DROP TABLE ${SCHEMA}.unindexed;
ALTER TABLE ${SCHEMA}.state DROP COLUMN owner, DROP COLUMN batch, DROP COLUMN layout;
ALTER TABLE ${SCHEMA}.version DROP COLUMN least;`;
const FROM_9 = `
ALTER TABLE ${SCHEMA}.nodes ADD COLUMN about json;
ALTER TABLE ${SCHEMA}.state ADD COLUMN salt uuid NOT NULL DEFAULT gen_random_uuid();`;
/** Brings tables of former versions to this one: each those of the version before it. */
const STEPS = [FROM_8, FROM_9];
/** Records that are read at once to fill an index. */
const PAGE = 1_000;

interface MigrationOptions {
  /** The database's, for messages. */
  readonly name: string;
  readonly collections: readonly Collection<unknown>[];
  readonly onWarning: (message: string) => void;
}

/**
 * Makes the tables of a database those of this release, all or nothing. An index that is new, or whose rule has changed, is
 * filled from the records; one that this release does not know is left alone. Whoever calls it holds the lock of migrations. Throws
 * DataError `invalid` for the database of a newer version, `busy` where tables would change that a node uses.
 */
export async function migrate(client: pg.Client, options: MigrationOptions): Promise<void> {
  const run = createRun(client);
  await run('BEGIN');
  try {
    await migrateAll(run, options);
    await run('COMMIT');
  } catch (error) {
    await run('ROLLBACK').catch(() => {});
    throw error;
  }
}

async function migrateAll(run: Run, { name, collections, onWarning }: MigrationOptions): Promise<void> {
  await run('SET LOCAL statement_timeout = 0');
  await run('SET LOCAL idle_in_transaction_session_timeout = 0');
  const version = await findVersion(run);
  if (version > VERSION || (version > 0 && version < OLDEST)) {
    const found = `version ${version}, this one knows ${VERSION}`;
    throw new DataError(
      'invalid',
      version > VERSION
        ? `Cannot use ${name}: a newer docbuild has prepared it (${found}); start that one`
        : `Cannot use ${name}: it is older than the first release (${found})`,
    );
  }
  if (version === 0) await run(TABLES);
  const known = await run<{ collection: string; name: string; revision: number }>(
    `SELECT collection, name, revision FROM ${SCHEMA}.indexes`,
  );
  const revisions = new Map(known.map((one) => [`${one.collection} ${one.name}`, one.revision]));
  const stale = collections.map((collection) => {
    const layout = describeTable(collection);
    const isStale = ({ index }: TableLayout['indexes'][number]): boolean =>
      revisions.get(`${collection.name} ${index.name}`) !== index.revision;
    return { ...layout, indexes: layout.indexes.filter(isStale) };
  });
  const isCurrent = version === VERSION && stale.every(({ indexes }) => indexes.length === 0);
  if (version > 0 && !isCurrent) {
    const other = await findRunningNode(run);
    if (other !== undefined) {
      const message = `Cannot bring the tables of ${name} up to date while ${other} is using it: stop all nodes first`;
      throw new DataError('busy', message);
    }
    for (const step of STEPS.slice(version - OLDEST)) await run(step);
    await run(`UPDATE ${SCHEMA}.version SET version = ${VERSION}`);
  }
  for (const layout of stale) await migrateTable(run, layout, onWarning);
}

/** Returns the version of the tables; 0 = there are none. */
async function findVersion(run: Run): Promise<number> {
  const [found] = await run<{ hasSchema: boolean; hasVersion: boolean }>(
    `SELECT to_regnamespace('${SCHEMA}') IS NOT NULL AS "hasSchema", to_regclass('${SCHEMA}.version') IS NOT NULL AS "hasVersion"`,
  );
  // Only where it is missing: otherwise nobody needs the right to make one.
  if (!found!.hasSchema) await run(`CREATE SCHEMA ${SCHEMA}`);
  if (!found!.hasVersion) return 0;
  const [row] = await run<{ version: number }>(`SELECT version FROM ${SCHEMA}.version`);
  return row!.version;
}

/** Makes a table, and the columns and indexes of those indexes that the layout names. */
async function migrateTable(run: Run, layout: TableLayout, onWarning: (message: string) => void): Promise<void> {
  const { collection, table, indexes } = layout;
  await run(`CREATE TABLE IF NOT EXISTS ${table} (key text COLLATE "C" PRIMARY KEY, record json NOT NULL)`);
  if (indexes.length === 0) return;
  for (const { group, order } of indexes) {
    // Values of the former rule go, and their index with them.
    await run(`ALTER TABLE ${table} DROP COLUMN IF EXISTS ${group}, DROP COLUMN IF EXISTS ${order}`);
    await run(`ALTER TABLE ${table} ADD COLUMN ${group} text COLLATE "C", ADD COLUMN ${order} text COLLATE "C"`);
  }
  let filled = 0;
  for await (const rows of readRows(run, layout, PAGE)) {
    await fillRows(run, layout, rows);
    filled += rows.length;
  }
  if (filled > 0) onWarning(`Filled ${indexes.length} new or changed indexes of ${table} from ${filled} records`);
  for (const { index, group, order, name } of indexes) {
    await run(`CREATE INDEX ${name} ON ${table} (${group}, ${order}) WHERE ${group} IS NOT NULL`);
    await run(
      `INSERT INTO ${SCHEMA}.indexes VALUES ($1, $2, $3) ON CONFLICT (collection, name) DO UPDATE SET revision = excluded.revision`,
      [collection.name, index.name, index.revision],
    );
  }
}

/** Computes the columns of rows from their records. */
async function fillRows(run: Run, { collection, table, indexes }: TableLayout, rows: readonly Row[]): Promise<void> {
  const columns = indexes.flatMap(({ group, order }) => [group, order]);
  const changes = columns.map((column) => `${column} = new.${column}`).join(', ');
  const arrays = ['key', ...columns].map((_, i) => `$${i + 1}::text[]`).join(', ');
  const values = rows.map((row) => {
    const record = adoptRow(collection, row);
    return [row.key, ...indexes.flatMap((layout) => listIndexValues(layout, record))];
  });
  await run(
    `UPDATE ${table} old SET ${changes} FROM unnest(${arrays}) AS new (key, ${columns.join(', ')}) WHERE old.key = new.key`,
    ['key', ...columns].map((_, i) => values.map((row) => row[i])),
  );
}
