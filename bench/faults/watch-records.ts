import type { Cluster } from '../../test/helpers/postgres-cluster.ts';

/** Notes of builds and their publications that the database itself makes, in the transactions that change it. */
export interface RecordWatch {
  /** Returns what must not be, as sentences. */
  findProblems(): Promise<readonly string[]>;
  /** Returns the ids of all builds that were stored, also of those that have been removed since, as the oldest ones are. */
  listBuilds(): Promise<ReadonlySet<string>>;
  /** Returns how many builds were requested and have published, how many were begun again, and how many hooks came too late to matter. */
  count(): Promise<{
    readonly builds: number;
    readonly published: number;
    readonly again: number;
    readonly late: number;
  }>;
}

const TRIGGERS = `
CREATE SCHEMA faults;
CREATE TABLE faults.requested (id text PRIMARY KEY, project text, ref text);
CREATE TABLE faults.asked (id text, commit text, UNIQUE (id, commit));
CREATE TABLE faults.hooked (id text, project text, ref text, commit text);
CREATE TABLE faults.ends (id text, status text, retry_of text, at timestamptz DEFAULT clock_timestamp());
CREATE TABLE faults.revived (id text, before text, after text);
CREATE TABLE faults.published (project text, edition text, build text, status text, node text, is_dead boolean,
  place bigserial, at timestamptz DEFAULT clock_timestamp());
CREATE FUNCTION faults.note_build() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before text := CASE WHEN TG_OP = 'UPDATE' THEN OLD.record->>'status' ELSE 'queued' END;
  after text := NEW.record->>'status';
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO faults.requested VALUES (NEW.key, NEW.record->>'project', NEW.record->>'ref') ON CONFLICT DO NOTHING;
  END IF;
  IF after = 'queued' AND NEW.record->>'cause' = 'webhook' THEN
    INSERT INTO faults.asked VALUES (NEW.key, NEW.record->>'commit') ON CONFLICT DO NOTHING;
  END IF;
  IF before NOT IN ('queued', 'running') AND after <> before THEN
    INSERT INTO faults.revived VALUES (NEW.key, before, after);
  END IF;
  IF before IN ('queued', 'running') AND after NOT IN ('queued', 'running') THEN
    IF after = 'passing' AND NEW.record->>'cause' = 'webhook' THEN
      INSERT INTO faults.hooked VALUES (NEW.key, NEW.record->>'project', NEW.record->>'ref', NEW.record->>'commit');
    END IF;
    INSERT INTO faults.ends (id, status, retry_of) VALUES (NEW.key, after, NEW.record->>'retryOf');
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION faults.note_site() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  staged text := OLD.record->'site'->'staged'->>'build';
BEGIN
  IF coalesce(OLD.record->'site'->>'edition', '') <> coalesce(NEW.record->'site'->>'edition', '') THEN
    INSERT INTO faults.published SELECT NEW.key, NEW.record->'site'->>'edition', staged, build.record->>'status',
      build.record->'run'->>'node', coalesce(nodes.is_dead, true)
    FROM (SELECT 1) one LEFT JOIN docbuild.builds build ON build.key = staged
      LEFT JOIN docbuild.nodes ON nodes.id = (build.record->'run'->>'node')::bigint;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER note_build AFTER INSERT OR UPDATE ON docbuild.builds FOR EACH ROW EXECUTE FUNCTION faults.note_build();
CREATE TRIGGER note_site AFTER UPDATE ON docbuild.projects FOR EACH ROW EXECUTE FUNCTION faults.note_site()`;

const PROBLEMS = [
  `SELECT format('Build %s was %s, and then %s', id, before, after) AS problem FROM faults.revived`,
  `SELECT format('Build %s ended %s times', id, count(*)) AS problem FROM faults.ends GROUP BY id HAVING count(*) > 1`,
  `SELECT format('Build %s of project %s published %s times', build, project, count(*)) AS problem
FROM faults.published GROUP BY build, project HAVING count(*) > 1`,
  `SELECT format('Build %s published while it was %s, its node %s being %s', coalesce(build, 'nobody'),
  coalesce(status, 'missing'), coalesce(node, 'unknown'), CASE WHEN is_dead THEN 'dead' ELSE 'alive' END) AS problem
FROM faults.published WHERE status IS DISTINCT FROM 'running' OR is_dead`,
  // Builds of a project begin in the order of their ids.
  `SELECT format('Project %s was published by build %s at %s, after the newer build %s', project, build, at, newest) AS problem
FROM (SELECT *, max(build COLLATE "C") OVER (PARTITION BY project ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
  AS newest FROM faults.published) one WHERE build COLLATE "C" < newest`,
  // A hook may come late, when a newer commit has been built: its build finds nothing new.
  `SELECT format('Commit %s of %s was built %s times for its hooks: %s', asked.commit, project, count(*), string_agg(id, ', ')) AS problem
FROM faults.asked JOIN faults.hooked USING (id) GROUP BY project, ref, asked.commit HAVING count(*) > 1`,
  // Nobody cancels any, and their repositories are right.
  `SELECT format('Build %s is %s: %s', key, record->>'status', record->>'reason') AS problem FROM docbuild.builds
WHERE record->>'status' IN ('failing', 'cancelled')`,
  `SELECT format('Build %s has not ended: %s', key, record->>'status') AS problem FROM docbuild.builds
WHERE record->>'status' IN ('queued', 'running')`,
  `SELECT format('Build %s was interrupted, and nothing builds again what it was to build', id) AS problem
FROM faults.ends lost WHERE status = 'interrupted' AND retry_of = '' AND NOT EXISTS (
  SELECT FROM faults.requested again, faults.requested own WHERE own.id = lost.id AND again.id > lost.id
  AND again.project = own.project AND again.ref IN (own.ref, ''))`,
];

/** Lets a database with docbuild's tables note what happens to builds. */
export async function watchRecords(cluster: Cluster, database: string): Promise<RecordWatch> {
  await cluster.query(database, TRIGGERS);
  return {
    async findProblems() {
      const found: string[] = [];
      for (const sql of PROBLEMS) {
        for (const { problem } of await cluster.query(database, sql)) found.push(String(problem));
      }
      return found;
    },
    async listBuilds() {
      const rows = await cluster.query(
        database,
        'SELECT id FROM faults.requested UNION SELECT key FROM docbuild.builds',
      );
      return new Set(rows.map(({ id }) => String(id)));
    },
    async count() {
      const [row] = await cluster.query(
        database,
        `SELECT (SELECT count(*)::int FROM faults.requested) AS builds, (SELECT count(*)::int FROM faults.published) AS published,
  (SELECT count(*)::int FROM docbuild.builds WHERE record->>'retryOf' <> '') AS again,
  (SELECT (count(*) - count(DISTINCT (project, ref, commit)))::int FROM faults.hooked) AS late`,
      );
      return row as { builds: number; published: number; again: number; late: number };
    },
  };
}
