import type { ExecutionContext } from 'ava';
import { openPostgresStore } from '../../../data/postgres/open-postgres-store.ts';
import { describeTable } from '../../../data/postgres/table-layout.ts';
import { COLLECTIONS, type Store } from '../../../data/store.ts';
import { hasPostgres, postgresTest, shareCluster } from '../../helpers/share-postgres.ts';
import { testStore } from '../store-contract.ts';

const cluster = shareCluster();
/** Databases that no store uses. */
const free: string[] = [];
const places = new WeakMap<
  Store,
  { readonly t: ExecutionContext; readonly database: string; close(): Promise<void> }
>();
const EMPTY = [
  'SELECT docbuild_jobs.remove_job(project) FROM docbuild.turns',
  'DELETE FROM docbuild.turns',
  ...COLLECTIONS.map((collection) => `DELETE FROM ${describeTable(collection).table}`),
].join(';');

/** Opens the store of a database, which is free again when it is closed. */
async function openAt(t: ExecutionContext, database: string): Promise<Store> {
  const { url } = await cluster();
  const onWarning = (message: string): void => {
    // Of a turn that is to be taken again.
    if (!message.includes('Not now')) t.fail(message);
  };
  const opened = await openPostgresStore({ url: url(database), onWarning });
  const store = {
    ...opened,
    async close() {
      await opened.close();
      if (places.delete(store)) free.push(database);
    },
  };
  places.set(store, { t, database, close: () => opened.close() });
  t.teardown(() => store.close());
  return store;
}

if (!hasPostgres) postgresTest('postgres: the contract of all stores', () => {});
else {
  testStore({
    name: 'postgres',
    async open(t) {
      const { createMigrated, query } = await cluster();
      const database = free.pop();
      if (database === undefined) return await openAt(t, await createMigrated());
      await query(database, EMPTY);
      return await openAt(t, database);
    },
    async reopen(store) {
      const { t, database, close } = places.get(store)!;
      places.delete(store);
      await close();
      return await openAt(t, database);
    },
  });
}
