import type pg from 'pg';
import type { Patience } from './connections.ts';
import { LOCKS, type NodeSession } from './node-session.ts';
import { SCHEMA } from './table-layout.ts';
import type { Run } from './table-rows.ts';

/** A node does not count on the last tenth of the time for which it has the duty. */
const DUTY_SHARE = 0.9;
const NEVER_MS = 1e12;

/** Holds for a row of `nodes` whose process has a session. */
export const IS_CONNECTED = `EXISTS (
    SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = ${LOCKS} AND objid = nodes.id::bigint AND objsubid = 2 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`;
/**
 * Says that a node lives, takes over the duty where nobody has it ($4 = it does not take part), and looks for nodes that are dead. The table is written
 * four times before a node is taken for one that is gone, and the duty when three tenths of its time are over.
 */
const HEARTBEAT = `WITH mine AS (
  UPDATE ${SCHEMA}.nodes SET seen = now(), is_dead = false WHERE id = $1 AND seen < now() - $2 * interval '1 ms' / 4
), taken AS (
  UPDATE ${SCHEMA}.duty SET node = $1, until = now() + $4 * interval '1 ms'
  WHERE $4 > 0 AND (until < now() OR node = $1 AND until < now() + $4 * interval '1 ms' * 0.7) RETURNING node
)
SELECT NULL::int AS id FROM taken
UNION ALL
SELECT id FROM ${SCHEMA}.nodes WHERE id <> $1 AND NOT is_dead AND seen < now() - $2 * interval '1 ms' AND (
  seen < now() - $3 * interval '1 ms' OR NOT ${IS_CONNECTED})`;

/** The answer to a heartbeat. */
export interface HeartbeatAnswer {
  readonly dead: readonly number[];
  /** Until when it has the duty, by `performance.now()`; undefined where nothing has changed. */
  readonly dutyUntil: number | undefined;
}

/** Lists a node among those that use the database, unless it is there. */
export async function joinNodes(client: pg.ClientBase, node: number, name: string): Promise<void> {
  await client.query(`DELETE FROM ${SCHEMA}.nodes WHERE is_dead AND seen < now() - interval '1 day'`);
  await client.query(
    `INSERT INTO ${SCHEMA}.nodes (id, name, batch, seen, is_dead) VALUES ($1, $2, '', now(), false)
ON CONFLICT (id) DO UPDATE SET seen = now(), is_dead = false`,
    [node, name],
  );
}

/** Returns the name of a node that uses the database; undefined where none does. */
export async function findRunningNode(run: Run): Promise<string | undefined> {
  const text = `SELECT name FROM ${SCHEMA}.nodes WHERE NOT is_dead AND ${IS_CONNECTED} LIMIT 1`;
  return (await run<{ name: string }>(text))[0]?.name;
}

/** Removes a node that ends, and what it holds. */
export async function leaveNodes(client: pg.ClientBase, node: number): Promise<void> {
  await client.query(`UPDATE ${SCHEMA}.duty SET until = now() WHERE node = $1`, [node]);
  await client.query(`DELETE FROM ${SCHEMA}.nodes WHERE id = $1`, [node]);
}

/** Says that a node lives. Right after it has connected it does not judge others: they may be about to do the same. */
export async function sendHeartbeat(
  { client, openedAt }: NodeSession,
  { node, patience, isForDuty }: { readonly node: number; readonly patience: Patience; readonly isForDuty: boolean },
): Promise<HeartbeatAnswer> {
  const { goneMs, silentMs, dutyMs } = patience;
  const start = performance.now();
  const connectedMs = start - openedAt;
  const statement = {
    name: 'docbuild_heartbeat',
    text: HEARTBEAT,
    values: [node, goneMs, connectedMs > silentMs ? silentMs : NEVER_MS, isForDuty ? dutyMs : 0],
    query_timeout: patience.connectMs,
  };
  const { rows } = await client.query<{ id: number | null }>(statement);
  const hasDuty = rows.some(({ id }) => id === null);
  return {
    dead: connectedMs > goneMs ? rows.flatMap(({ id }) => (id === null ? [] : [id])) : [],
    dutyUntil: hasDuty ? start + DUTY_SHARE * dutyMs : undefined,
  };
}

/** Notes that what a node had begun is others' work, unless it has been heard of again. */
export async function markDead(client: pg.Pool, node: number, { goneMs }: Patience): Promise<void> {
  await client.query(
    `UPDATE ${SCHEMA}.nodes SET is_dead = true WHERE id = $1 AND seen < now() - $2 * interval '1 ms'`,
    [node, goneMs],
  );
}
