import type { Cluster } from '../../test/helpers/postgres-cluster.ts';

/** What the database itself notes of builds and of what they publish, in the transactions that change it. */
export interface RecordWatch {
  /** Returns what must not be, as sentences. */
  findProblems(): Promise<readonly string[]>;
  /** Returns how many builds were requested and have published, and how many were begun again. */
  count(): Promise<{ readonly builds: number; readonly published: number; readonly again: number }>;
}

const TRIGGERS = `
CREATE SCHEMA faults;
CREATE TABLE faults.ends (id text, status text, retry_of text, at timestamptz DEFAULT clock_timestamp());
CREATE TABLE faults.revived (id text, before text, after text);
CREATE TABLE faults.published (project text, edition text, build text, status text, node text, is_dead boolean);
CREATE FUNCTION faults.note_build() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before text := CASE WHEN TG_OP = 'UPDATE' THEN OLD.record->>'status' ELSE 'queued' END;
  after text := NEW.record->>'status';
BEGIN
  IF before NOT IN ('queued', 'running') AND after <> before THEN
    INSERT INTO faults.revived VALUES (NEW.key, before, after);
  END IF;
  IF before IN ('queued', 'running') AND after NOT IN ('queued', 'running') THEN
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
  // Nobody cancels any, and their repositories are right.
  `SELECT format('Build %s is %s: %s', key, record->>'status', record->>'reason') AS problem FROM docbuild.builds
WHERE record->>'status' IN ('failing', 'cancelled')`,
  `SELECT format('Build %s has not ended: %s', key, record->>'status') AS problem FROM docbuild.builds
WHERE record->>'status' IN ('queued', 'running')`,
  `SELECT format('Build %s was interrupted, and nothing builds again what it was to build', id) AS problem
FROM faults.ends lost WHERE status = 'interrupted' AND retry_of = '' AND NOT EXISTS (
  SELECT FROM docbuild.builds again, docbuild.builds own WHERE own.key = lost.id AND again.key > lost.id
  AND again.record->>'project' = own.record->>'project' AND again.record->>'ref' IN (own.record->>'ref', ''))`,
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
    async count() {
      const [row] = await cluster.query(
        database,
        `SELECT (SELECT count(*)::int FROM docbuild.builds) AS builds, (SELECT count(*)::int FROM faults.published) AS published,
  (SELECT count(*)::int FROM docbuild.builds WHERE record->>'retryOf' <> '') AS again`,
      );
      return row as { builds: number; published: number; again: number };
    },
  };
}
