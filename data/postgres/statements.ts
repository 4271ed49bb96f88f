import type { Collection, Index } from '../collection.ts';
import { DataError } from '../data-error.ts';
import type { Query, Range } from '../transaction.ts';
import { toColumnText } from './column-text.ts';
import { describeTable, type IndexLayout, type TableLayout } from './table-layout.ts';
import { writeTurn } from './turns.ts';

/** A statement with its values; the server prepares it once a session, by its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly (string | number | boolean | null | readonly string[])[];
}

/** How the queries of steps are asked in SQL. */
export interface Statements {
  /** Returns what to run for a query, in this order; the rows of the last statement are its answer. */
  write(query: Query): readonly Statement[];
  /** Returns the answer that rows are. Throws DataError `damaged` for a record that does not fit its schema. */
  readAnswer(query: Query, rows: readonly Row[]): unknown;
}

/** A row of any answer. */
export interface Row {
  readonly key?: string;
  /** As parsed from JSON. */
  readonly record?: unknown;
  readonly count?: number;
}

/** More records than a group has. */
const MAX_LIMIT = 2 ** 31;

/** Creates the statements for these collections. */
export function createStatements(collections: readonly Collection<unknown>[]): Statements {
  const layouts = new Map(collections.map((collection) => [collection, describeTable(collection)]));
  const indexes = new Map<Index<unknown>, IndexLayout & { readonly table: string }>();
  for (const { table, indexes: own } of layouts.values()) {
    for (const layout of own) indexes.set(layout.index, { ...layout, table });
  }
  const names = new Map<string, string>();
  const createStatement = (text: string, values: Statement['values']): Statement => {
    let name = names.get(text);
    if (name === undefined) {
      name = `docbuild_${names.size + 1}`;
      names.set(text, name);
    }
    return { name, text, values };
  };

  const writeRemoval = ({ collection, key }: Query & { readonly kind: 'remove' }): readonly Statement[] => {
    const value = toColumnText(key);
    const owned = collections.flatMap(({ owner }) =>
      owner?.collection === collection ? [indexes.get(owner.index)!] : [],
    );
    return [
      ...owned.map(({ table, group }) => createStatement(`DELETE FROM ${table} WHERE ${group} = $1`, [value])),
      createStatement(`DELETE FROM ${layouts.get(collection)!.table} WHERE key = $1 RETURNING key, record`, [value]),
    ];
  };

  return {
    write(query) {
      switch (query.kind) {
        case 'get': {
          const { table } = layouts.get(query.collection)!;
          return [createStatement(`SELECT key, record FROM ${table} WHERE key = $1`, [toColumnText(query.key)])];
        }
        case 'get-all': {
          const { table } = layouts.get(query.collection)!;
          const text = `SELECT key, record FROM ${table} WHERE key = ANY ($1)`;
          return [createStatement(text, [query.keys.map(toColumnText)])];
        }
        case 'list': {
          const { text, values } = selectRange(indexes.get(query.index)!, query.group, query.range);
          return [createStatement(text, values)];
        }
        case 'count': {
          const { table, group } = indexes.get(query.index)!;
          const text = `SELECT count(*)::int AS count FROM ${table} WHERE ${group} = $1`;
          return [createStatement(text, [toColumnText(query.group)])];
        }
        case 'groups':
          return [createStatement(selectGroups(indexes.get(query.index)!), [])];
        case 'put': {
          const layout = layouts.get(query.collection)!;
          return [createStatement(upsert(layout), listValues(layout, query.record))];
        }
        case 'remove':
          return writeRemoval(query);
        case 'turn':
          return writeTurn(query).map(({ text, values }) => createStatement(text, values));
      }
    },
    readAnswer(query, rows) {
      switch (query.kind) {
        case 'get':
        case 'remove':
          return rows[0] && adoptRow(query.collection, rows[0]);
        case 'get-all': {
          const { collection, keys } = query;
          const records = rows.map((row) => adoptRow(collection, row));
          const found = new Map(records.map((record) => [collection.keyOf(record), record]));
          return keys.map((key) => found.get(key));
        }
        case 'list':
          return rows.map((row) => adoptRow(query.index.collection, row));
        case 'count':
          return rows[0]!.count;
        case 'groups':
          // A column may not have the whole name, see `toColumnText`.
          return rows.map((row) => query.index.groupOf(adoptRow(query.index.collection, row)));
        case 'put':
        case 'turn':
          return undefined;
      }
    },
  };
}

/** Returns what a record's row has in the columns of an index: group and order, or null twice. */
export function listIndexValues({ index }: IndexLayout, record: unknown): readonly (string | null)[] {
  const group = index.groupOf(record);
  return group === undefined ? [null, null] : [toColumnText(group), toColumnText(index.orderOf(record))];
}

/** Returns what a record's row has in all its columns. */
export function listValues({ collection, indexes }: TableLayout, record: unknown): readonly (string | null)[] {
  return [
    toColumnText(collection.keyOf(record)),
    JSON.stringify(record),
    ...indexes.flatMap((layout) => listIndexValues(layout, record)),
  ];
}

/** Returns the columns of a table, in the order of `listValues`. */
export function listColumns({ indexes }: TableLayout): readonly string[] {
  return ['key', 'record', ...indexes.flatMap(({ group, order }) => [group, order])];
}

function upsert(layout: TableLayout): string {
  const { table } = layout;
  const columns = listColumns(layout);
  const places = columns.map((_, i) => `$${i + 1}`);
  const changes = columns.slice(1).map((column) => `${column} = excluded.${column}`);
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')}) ON CONFLICT (key) DO UPDATE SET ${changes.join(', ')}`;
}

function selectRange(
  { table, group, order }: IndexLayout & { readonly table: string },
  name: string,
  range: Range,
): Pick<Statement, 'text' | 'values'> {
  const { from, after, before, isDescending = false, skip = 0, limit } = range;
  const values: (string | number)[] = [toColumnText(name)];
  const put = (value: string | number): string => `$${values.push(value)}`;
  let text = `SELECT key, record FROM ${table} WHERE ${group} = $1`;
  if (after !== undefined) text += ` AND ${order} > ${put(toColumnText(after))}`;
  else if (from !== undefined) text += ` AND ${order} >= ${put(toColumnText(from))}`;
  if (before !== undefined) text += ` AND ${order} < ${put(toColumnText(before))}`;
  text += ` ORDER BY ${order}${isDescending ? ' DESC' : ''}`;
  if (limit !== undefined && limit !== Number.POSITIVE_INFINITY)
    text += ` LIMIT ${put(limit > 0 ? Math.floor(Math.min(limit, MAX_LIMIT)) : 0)}`;
  if (skip > 0) text += ` OFFSET ${put(Math.floor(skip))}`;
  return { text, values };
}

/** Selects a record of each group: one look into the index a group, however many records it has. */
function selectGroups({ table, group }: IndexLayout & { readonly table: string }): string {
  return `WITH RECURSIVE found (name) AS (
  (SELECT ${group} FROM ${table} WHERE ${group} IS NOT NULL ORDER BY ${group} LIMIT 1)
  UNION ALL
  SELECT (SELECT ${group} FROM ${table} WHERE ${group} > found.name ORDER BY ${group} LIMIT 1) FROM found WHERE found.name IS NOT NULL
)
SELECT one.key, one.record FROM found, LATERAL (SELECT key, record FROM ${table} WHERE ${group} = found.name LIMIT 1) one`;
}

/** Returns the record of a row. Throws DataError `damaged` for one that does not fit its schema. */
export function adoptRow(collection: Collection<unknown>, { key, record }: Row): unknown {
  try {
    return collection.adopt(record);
  } catch (cause) {
    const { table } = describeTable(collection);
    // The message names a key of the record, and shows no value.
    const message = `Row "${key?.slice(0, 200)}" of ${table} is damaged (${(cause as Error).message}); correct it, or restore it from a backup`;
    throw new DataError('damaged', message, { cause });
  }
}
