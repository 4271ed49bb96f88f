import { rmSync } from 'node:fs';
import { type Cluster, programs, startCluster, TEST_SETTINGS } from './postgres-cluster.ts';
import test from './serial-test.ts';
import { testIf } from './test-if.ts';

/** Declares tests that need PostgreSQL: without it they are skipped, and fail where `CI` is `true`. */
export const postgresTest = testIf(
  programs !== undefined,
  'needs PostgreSQL: "initdb" is not in "/usr/lib/postgresql"; set POSTGRES_BIN',
  { isRequiredInCi: true },
);
export const hasPostgres = programs !== undefined;

/** Starts one cluster for the tests of a process, when the first of them asks for it, and removes it after them. */
export function shareCluster(): () => Promise<Cluster> {
  return () => {
    shared ??= startCluster(TEST_SETTINGS);
    return shared;
  };
}

let shared: Promise<Cluster> | undefined;
test.after.always(async () => {
  const cluster = await shared;
  if (!cluster) return;
  await cluster.stop();
  rmSync(cluster.folder, { recursive: true, force: true });
});
