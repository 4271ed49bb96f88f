import type { Collection, Index } from '../collection.ts';

/** The namespace of all tables, so that a database can be shared with others. */
export const SCHEMA = 'docbuild';
/**
 * The lock under which records, their tables and their computed columns change. What a transaction sees is decided after this: LOCK
 * takes no snapshot. Nodes that wait get it in the order in which they came.
 */
export const TAKE_TURN = `LOCK TABLE ${SCHEMA}.change_lock IN EXCLUSIVE MODE`;
/** Through which nodes are told of changes (NOTIFY). */
export const CHANNEL = 'docbuild';

/** The columns of an index, quoted for SQL. */
export interface IndexColumns {
  readonly group: string;
  readonly order: string;
}

/** An index of a collection, and the one of its table. */
export interface IndexLayout extends IndexColumns {
  readonly index: Index<unknown>;
  /** Its name in the database, quoted. */
  readonly name: string;
}

/** The table of a collection, quoted for SQL: `key`, `record` (JSON), and two columns for each index. */
export interface TableLayout {
  readonly collection: Collection<unknown>;
  readonly table: string;
  readonly indexes: readonly IndexLayout[];
}

/** Returns the layout of a collection's table. */
export function describeTable(collection: Collection<unknown>): TableLayout {
  const table = toSnake(collection.name);
  return {
    collection,
    table: `${SCHEMA}."${table}"`,
    indexes: Object.values(collection.indexes).map((index) => ({
      ...{ index, name: `"${table}_${toSnake(index.name)}"` },
      ...nameColumns(index.name),
    })),
  };
}

/** Returns the columns of the index of this name. */
export function nameColumns(index: string): IndexColumns {
  return { group: `"${toSnake(index)}_group"`, order: `"${toSnake(index)}_order"` };
}

function toSnake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll('-', '_');
}
