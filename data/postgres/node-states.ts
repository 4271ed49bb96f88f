import type pg from 'pg';
import * as z from 'zod';
import { DataError } from '../data-error.ts';
import type { KnownNode, NodeState, Nodes } from '../nodes.ts';
import type { Connections } from './connections.ts';
import { LOCKS } from './node-session.ts';
import { IS_CONNECTED } from './node-table.ts';
import { SCHEMA } from './table-layout.ts';

/** Second key of the lock under which nodes join, one after the other. */
const JOIN_LOCK = 2;
const WRITE = `UPDATE ${SCHEMA}.nodes SET about = $2 WHERE id = $1`;
const LIST = `SELECT id, seen, is_dead AS "isGone", about,
  EXISTS (SELECT FROM ${SCHEMA}.duty WHERE node = nodes.id AND until > now()) AS "isOnDuty"
FROM ${SCHEMA}.nodes WHERE about IS NOT NULL ORDER BY about->>'since', id`;
const OTHERS = `SELECT about FROM ${SCHEMA}.nodes WHERE id <> $1 AND about IS NOT NULL AND NOT is_dead AND ${IS_CONNECTED}
ORDER BY about->>'since', id`;
const SALT = `SELECT salt::text FROM ${SCHEMA}.state`;

/** Report of a node of this release; one of another release may say something else. */
const schema = z.object({
  name: z.string(),
  role: z.string(),
  version: z.string(),
  since: z.string(),
  isDraining: z.boolean(),
  trouble: z.string(),
  settings: z.record(z.string(), z.string()),
});

/** Creates what a node says of itself to others, and hears of them. */
export function createNodeStates(
  { readers, fail, insist }: Pick<Connections, 'readers' | 'fail' | 'insist'>,
  node: number,
): Pick<Nodes, 'join' | 'tell' | 'list' | 'findSalt'> {
  /** Runs work on a connection; what the database refuses is thrown as DataError. */
  const run = <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> =>
    insist(async () => {
      const client = await readers.connect();
      try {
        const value = await work(client);
        client.release();
        return value;
      } catch (error) {
        // It may be in the middle of a transaction.
        client.release(true);
        throw error;
      }
    }).catch((error: unknown) => {
      // What `check` throws is for whoever starts this node.
      throw error instanceof DataError && error.code === 'invalid' ? error : fail(error);
    });
  return {
    join: (state, check) =>
      run(async (client) => {
        await client.query('BEGIN');
        await client.query('SELECT pg_advisory_xact_lock($1, $2)', [LOCKS, JOIN_LOCK]);
        const { rows } = await client.query<{ about: unknown }>(OTHERS, [node]);
        check(rows.flatMap(({ about }) => parse(about) ?? []));
        await client.query(WRITE, [node, JSON.stringify(state)]);
        await client.query('COMMIT');
      }),
    tell: (state) => run(async (client) => void (await client.query(WRITE, [node, JSON.stringify(state)]))),
    list: () =>
      run(async (client) => {
        const { rows } = await client.query<{
          id: number;
          seen: Date;
          isGone: boolean;
          isOnDuty: boolean;
          about: unknown;
        }>(LIST);
        return rows.flatMap(({ about, seen, ...row }): readonly KnownNode[] => {
          const state = parse(about);
          return state ? [{ ...row, ...state, seen: seen.toISOString() }] : [];
        });
      }),
    findSalt: () => run(async (client) => (await client.query<{ salt: string }>(SALT)).rows[0]!.salt),
  };
}

function parse(about: unknown): NodeState | undefined {
  return schema.safeParse(about).data;
}
