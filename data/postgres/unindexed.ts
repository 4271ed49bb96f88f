import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { Collection } from '../collection.ts';
import { adoptRow, listIndexValues } from './statements.ts';
import { describeTable, SCHEMA, type TableLayout } from './table-layout.ts';
import type { Row, Run } from './table-rows.ts';

/*
 * During an upgrade nodes of the release before write records, too, and do not know the newest indexes. Each session that
 * writes says which indexes it keeps (`docbuild.layout`); a trigger notes the keys of what others write, and a node that knows better
 * computes the columns of these records again, usually within a second.
 */

/** Makes the table that keys are noted in, and what notes them. */
export const MAKE_UNINDEXED = `CREATE TABLE ${SCHEMA}.unindexed (collection text COLLATE "C", key text COLLATE "C", PRIMARY KEY (collection, key));
CREATE FUNCTION ${SCHEMA}.note_unindexed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ${SCHEMA}.unindexed VALUES (TG_ARGV[0], NEW.key) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
ALTER TABLE ${SCHEMA}.state ADD COLUMN layout text NOT NULL DEFAULT '';`;

/** Records whose columns are computed in one transaction. */
const AT_ONCE = 500;

/** Returns what stands for the indexes that a release keeps. */
export function hashLayout(collections: readonly Collection<unknown>[]): string {
  const names = collections.flatMap(({ name, indexes }) =>
    Object.values(indexes).map(({ name: index, revision }) => `${name}.${index} ${revision}`),
  );
  return createHash('sha256').update(names.sort().join('\n')).digest('hex').slice(0, 16);
}

/** Says which indexes the session keeps, or, where `isLocal`, the transaction. */
export async function declareLayout(
  client: pg.ClientBase,
  collections: readonly Collection<unknown>[],
  isLocal = false,
): Promise<void> {
  await client.query(`SELECT set_config('docbuild.layout', $1, $2)`, [hashLayout(collections), isLocal]);
}

/** Lets the database note what is written without these indexes from now on. */
export async function watchLayout(run: Run, collections: readonly Collection<unknown>[]): Promise<void> {
  const layout = hashLayout(collections);
  const [state] = await run<{ layout: string }>(`SELECT layout FROM ${SCHEMA}.state`);
  if (state!.layout === layout) return;
  for (const collection of collections) {
    const { table } = describeTable(collection);
    await run(`DROP TRIGGER IF EXISTS note_unindexed ON ${table}`);
    await run(`CREATE TRIGGER note_unindexed AFTER INSERT OR UPDATE ON ${table} FOR EACH ROW
WHEN (current_setting('docbuild.layout', true) IS DISTINCT FROM '${layout}')
EXECUTE FUNCTION ${SCHEMA}.note_unindexed('${collection.name}')`);
  }
  await run(`UPDATE ${SCHEMA}.state SET layout = $1`, [layout]);
}

/**
 * Computes the columns of records that were noted, unless a newer release does; returns whether there may be more. The caller holds
 * the lock of changes.
 */
export async function indexNoted(run: Run, collections: readonly Collection<unknown>[]): Promise<boolean> {
  const [state] = await run<{ layout: string }>(`SELECT layout FROM ${SCHEMA}.state`);
  if (state!.layout !== hashLayout(collections)) return false;
  const noted = await run<{ collection: string; key: string }>(
    `DELETE FROM ${SCHEMA}.unindexed WHERE (collection, key) IN (SELECT collection, key FROM ${SCHEMA}.unindexed LIMIT ${AT_ONCE})
RETURNING collection, key`,
  );
  for (const collection of collections) {
    const keys = noted.filter((one) => one.collection === collection.name).map(({ key }) => key);
    if (keys.length === 0) continue;
    const layout = describeTable(collection);
    const rows = await run<Row>(`SELECT key, record FROM ${layout.table} WHERE key = ANY ($1)`, [keys]);
    await fillRows(run, layout, rows);
  }
  return noted.length === AT_ONCE;
}

/** Computes the columns of rows from their records. */
export async function fillRows(
  run: Run,
  { collection, table, indexes }: TableLayout,
  rows: readonly Row[],
): Promise<void> {
  // Of a collection without indexes, other releases' writes are noted, too.
  if (indexes.length === 0) return;
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
