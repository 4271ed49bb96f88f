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

/** An index of a collection, and the one of its table. */
export interface IndexLayout {
  readonly index: Index<unknown>;
  /** Its columns, quoted for SQL. */
  readonly group: string;
  readonly order: string;
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
      index,
      group: `"${toSnake(index.name)}_group"`,
      order: `"${toSnake(index.name)}_order"`,
      name: `"${table}_${toSnake(index.name)}"`,
    })),
  };
}

function toSnake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll('-', '_');
}
