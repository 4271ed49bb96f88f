import { rmSync } from 'node:fs';
import test from 'ava';
import { openPostgresStore } from '../../data/postgres/open-postgres-store.ts';
import { type Cluster, programs, startCluster, TEST_SETTINGS } from './postgres-cluster.ts';
import { testIf } from './test-if.ts';

/** Declares tests that need PostgreSQL: without it they are skipped, and fail where `CI` is `true`. */
export const postgresTest = testIf(
  programs !== undefined,
  'needs PostgreSQL: "initdb" is not in "/usr/lib/postgresql"; set POSTGRES_BIN',
  { isRequiredInCi: true },
);
export const hasPostgres = programs !== undefined;

/** A cluster that the tests of a process share. */
export interface SharedCluster extends Cluster {
  /** Creates a database in which a store was opened and closed, and returns its name: to migrate an empty one takes longer than most tests. */
  createMigrated(): Promise<string>;
}

/** Starts one cluster for the tests of a process, when the first of them asks for it, and removes it after them. */
export function shareCluster(): () => Promise<SharedCluster> {
  return () => {
    shared ??= startShared();
    return shared;
  };
}

async function startShared(): Promise<SharedCluster> {
  const cluster = await startCluster(TEST_SETTINGS);
  let template: Promise<string> | undefined;
  return {
    ...cluster,
    async createMigrated() {
      template ??= migrateOne(cluster);
      return cluster.createDatabase(await template);
    },
  };
}

async function migrateOne({ createDatabase, url }: Cluster): Promise<string> {
  const database = await createDatabase();
  const store = await openPostgresStore({ url: url(database), onWarning: () => {} });
  await store.close();
  return database;
}

let shared: Promise<SharedCluster> | undefined;
test.after.always(async () => {
  const cluster = await shared;
  if (!cluster) return;
  await cluster.stop();
  rmSync(cluster.folder, { recursive: true, force: true });
});
