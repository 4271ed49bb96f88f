import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openPostgresStore } from '../../data/postgres/open-postgres-store.ts';
import { createWriteCheck } from '../../platform/write-check.ts';
import { createMemoryStore } from '../helpers/create-memory-store.ts';
import { createFolder } from '../helpers/create-repository.ts';
import { postgresTest, shareCluster } from '../helpers/share-postgres.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const cluster = shareCluster();

postgresTest('createWriteCheck() notices a database that answers, but refuses every change', async (t) => {
  const own = await cluster();
  const database = await own.createMigrated();
  const warnings: string[] = [];
  const store = await openPostgresStore({
    url: own.url(database),
    onWarning: (message) => void warnings.push(message),
  });
  t.teardown(() => store.close());
  let now = 0;
  const check = createWriteCheck([createFolder(t)], store, () => now);
  /** Decides what sessions may do, and ends those that are open. */
  const setReadOnly = async (state: 'on' | 'off'): Promise<void> => {
    await own.query('postgres', `ALTER DATABASE ${database} SET default_transaction_read_only = ${state}`);
    await own.query('postgres', `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`);
    now += 10_000;
  };
  t.is(await check(), '');
  await setReadOnly('on');
  t.is(await check(), 'The database has refused this; the server log has the details');
  t.regex(warnings.join('\n'), /read-only transaction/);
  await setReadOnly('off');
  // A session that was about to begin may be an old one.
  await waitUntil(async () => {
    now += 10_000;
    return (await check()) === '';
  });
  t.is(await check(), '');
});

test.serial('createWriteCheck() looks once in two seconds, whoever asks how often', async (t) => {
  const base = createFolder(t);
  const [folder, away] = [join(base, 'data'), join(base, 'away')];
  mkdirSync(folder);
  let now = 0;
  const check = createWriteCheck([folder], createMemoryStore(), () => now);
  t.is(await check(), '');
  renameSync(folder, away);
  now += 1_999;
  t.is(await check(), '', 'what it has seen');
  now += 1;
  const [first, second] = [check(), check()];
  t.is(first, second, 'those who ask at once share it');
  t.is(await first, 'Cannot write to "data": no such file or directory');
});
