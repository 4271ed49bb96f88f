import type pg from 'pg';
import type { NodeLogs } from '../nodes.ts';
import { SCHEMA } from './table-layout.ts';

/** Separates lines in a row; no line holds it. */
const LINE_END = '\n';
const TABLES = ['log_lines', 'problems'];

/** The projects in a table, each by one look into its index. */
const listNames = (table: string): string =>
  `WITH RECURSIVE names (name) AS (
  SELECT min(project) FROM ${SCHEMA}.${table}
  UNION ALL
  SELECT (SELECT min(project) FROM ${SCHEMA}.${table} WHERE project > name) FROM names WHERE name IS NOT NULL
) SELECT name FROM names WHERE name IS NOT NULL`;

/** Creates logs of builds in the database. What a restarted build writes again at the same place takes the place of what was there. */
export function createNodeLogs(pool: pg.Pool): NodeLogs {
  return {
    async append({ project, id }, place, lines) {
      await pool.query(
        `INSERT INTO ${SCHEMA}.log_lines VALUES ($1, $2, $3, $4) ON CONFLICT (project, build, place) DO UPDATE SET lines = excluded.lines`,
        [project, id, place, lines.join(LINE_END)],
      );
    },
    async read({ project, id }, from) {
      const { rows } = await pool.query<{ place: number; lines: string }>(
        `SELECT place, lines FROM ${SCHEMA}.log_lines WHERE project = $1 AND build = $2
AND place >= (SELECT max(place) FROM ${SCHEMA}.log_lines WHERE project = $1 AND build = $2 AND place <= $3) ORDER BY place`,
        [project, id, from],
      );
      return rows.flatMap(({ place, lines }) => lines.split(LINE_END).slice(Math.max(0, from - place)));
    },
    async writeProblems({ project, id }, problems) {
      await pool.query(
        `INSERT INTO ${SCHEMA}.problems VALUES ($1, $2, $3) ON CONFLICT (project, build) DO UPDATE SET problems = excluded.problems`,
        [project, id, problems],
      );
    },
    async readProblems({ project, id }) {
      const { rows } = await pool.query<{ problems: string }>(
        `SELECT problems FROM ${SCHEMA}.problems WHERE project = $1 AND build = $2`,
        [project, id],
      );
      return rows[0]?.problems;
    },
    async remove(project, ids) {
      for (const table of TABLES) {
        const which = ids ? 'AND build = ANY ($2)' : '';
        await pool.query(
          `DELETE FROM ${SCHEMA}.${table} WHERE project = $1 ${which}`,
          ids ? [project, ids] : [project],
        );
      }
    },
    async listProjects() {
      const names = new Set<string>();
      for (const table of TABLES) {
        const { rows } = await pool.query<{ name: string }>(listNames(table));
        for (const { name } of rows) names.add(name);
      }
      return [...names].sort();
    },
  };
}
