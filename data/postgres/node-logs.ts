import type pg from 'pg';
import type { LoggedBuild, NodeLogs } from '../nodes.ts';
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

/** The builds of `$1` (projects) and `$2` (ids), each looked up by itself: a table that has just been filled has no statistics yet. */
const BUILDS = 'FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS b (project, build, at)';
const OWN = 'WHERE one.project = b.project AND one.build = b.build';
const MEASURE = `SELECT (SELECT coalesce(sum(octet_length(lines)), 0) FROM ${SCHEMA}.log_lines one ${OWN})::float8
+ coalesce((SELECT octet_length(problems) FROM ${SCHEMA}.problems one ${OWN}), 0) AS bytes,
EXISTS (SELECT FROM ${SCHEMA}.log_lines one ${OWN}) AS "hasLines" ${BUILDS} ORDER BY at`;
const READ = `SELECT (SELECT string_agg(lines, E'\\n' ORDER BY place) FROM ${SCHEMA}.log_lines one ${OWN}) AS lines,
(SELECT problems FROM ${SCHEMA}.problems one ${OWN}) AS problems ${BUILDS} ORDER BY at`;

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
    async measure(builds) {
      const { rows } = await pool.query<{ bytes: number; hasLines: boolean }>(MEASURE, listKeys(builds));
      // A log may be one empty line.
      return rows.map(({ bytes, hasLines }) => bytes + (hasLines ? 1 : 0));
    },
    async readAll(builds) {
      const { rows } = await pool.query<{ lines: string | null; problems: string | null }>(READ, listKeys(builds));
      return rows.map(({ lines, problems }) => ({
        lines: lines === null ? [] : lines.split(LINE_END),
        problems: problems ?? undefined,
      }));
    },
    async writeAll(logs) {
      const withLines = logs.filter(({ lines }) => lines.length > 0);
      if (withLines.length > 0) {
        await pool.query(
          `INSERT INTO ${SCHEMA}.log_lines SELECT project, build, 0, lines FROM unnest($1::text[], $2::text[], $3::text[]) AS b (project, build, lines)`,
          [...listKeys(withLines), withLines.map(({ lines }) => lines.join(LINE_END))],
        );
      }
      const withProblems = logs.filter(({ problems }) => problems !== undefined);
      if (withProblems.length > 0) {
        await pool.query(`INSERT INTO ${SCHEMA}.problems SELECT * FROM unnest($1::text[], $2::text[], $3::text[])`, [
          ...listKeys(withProblems),
          withProblems.map(({ problems }) => problems),
        ]);
      }
    },
  };
}

/** Returns the values of `BUILDS`. */
function listKeys(builds: readonly LoggedBuild[]): [projects: string[], ids: string[]] {
  return [builds.map(({ project }) => project), builds.map(({ id }) => id)];
}
