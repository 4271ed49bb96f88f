import type pg from 'pg';
import { unfinishedError } from '../vault.ts';
import { SCHEMA } from './table-layout.ts';

/** A table that is there while records are being brought into the database from elsewhere. */
const MARK = `${SCHEMA}.unfinished`;

/** Returns whether the records of a database were not brought there whole. */
export async function isUnfinished(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ isMarked: boolean }>(`SELECT to_regclass('${MARK}') IS NOT NULL AS "isMarked"`);
  return rows[0]!.isMarked;
}

/** Notes whether the records of a database are whole. */
export async function setUnfinished(client: pg.ClientBase, isMarked: boolean): Promise<void> {
  await client.query(isMarked ? `CREATE TABLE IF NOT EXISTS ${MARK} ()` : `DROP TABLE IF EXISTS ${MARK}`);
}

/** Throws DataError `invalid` for a database whose records were not brought there whole. */
export async function checkFinished(client: pg.ClientBase, name: string): Promise<void> {
  if (!(await isUnfinished(client))) return;
  throw unfinishedError(name, `drop the schema "${SCHEMA}"`);
}
