import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openPostgresStore } from '../../data/postgres/open-postgres-store.ts';
import type { Project } from '../../data/records/project.ts';
import type { CopyReport } from '../../platform/moving/copy-store.ts';
import { createFolder } from '../helpers/create-repository.ts';
import { compareBases, fillBase } from '../helpers/fill-base.ts';
import { openStore } from '../helpers/open-store.ts';
import { runCommand } from '../helpers/run-command.ts';
import { runDocbuild } from '../helpers/run-docbuild.ts';
import type { S3Server } from '../helpers/s3-server.ts';
import { servePostgresProxy } from '../helpers/serve-postgres-proxy.ts';
import { serveS3 } from '../helpers/serve-s3.ts';
import { postgresTest, shareCluster } from '../helpers/share-postgres.ts';
import { s3Test, shareS3 } from '../helpers/share-s3.ts';

const cluster = shareCluster();
/** How late answers of a database are that goes away meanwhile, ms. */
const STAGE_MS = 5;

async function copy(t: ExecutionContext, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await runCommand(['store', 'copy', ...args, '--json'], {
    cwd: createFolder(t),
    env,
  });
  t.is(code, 0, stderr + stdout);
  return JSON.parse(stdout) as CopyReport;
}

async function moveThere(t: ExecutionContext, server: S3Server, bucket: string): Promise<void> {
  const { createDatabase, url, query } = await cluster();
  const database = await createDatabase();
  const [a, b] = [createFolder(t), createFolder(t)];
  await fillBase(a);
  const env = { AWS_ACCESS_KEY_ID: server.accessKeyId, AWS_SECRET_ACCESS_KEY: server.secretAccessKey };
  const sites = `s3://${bucket}/moved?endpoint=${server.endpoint}`;
  const there = await copy(t, ['--from', a, '--to', url(database), '--sites-to', sites], env);
  t.is(there.records['builds']!.records, 31);
  t.is(there.sites!['guide']!.files, 6);
  const [row] = await query(
    database,
    `SELECT record->'site'->>'edition' AS edition FROM docbuild.projects WHERE key = 'guide'`,
  );
  t.regex(String(row!['edition']), /^[0-9a-f]{64}-/);
  const back = await copy(t, ['--from', url(database), '--to', b, '--sites-from', sites], env);
  t.deepEqual(back.sites, there.sites);
  t.is(back.logs, there.logs);
  await compareBases(t, a, b);
}

postgresTest(
  'store copy: files to PostgreSQL and S3, and back, leave all records, logs and sites as they were',
  async (t) => {
    const s3 = await serveS3(t);
    await moveThere(t, { endpoint: s3.url, accessKeyId: 'key', secretAccessKey: 'secret' }, 'docs');
  },
);

s3Test('store copy: the same with a real S3 server', async (t) => {
  await moveThere(t, await shareS3(), `moving-${process.pid}`);
});

test.serial('store copy: from folder to folder sites come along as their builds left them', async (t) => {
  const [a, b] = [createFolder(t), createFolder(t)];
  await fillBase(a);
  const { sites } = await copy(t, ['--from', a, '--to', b]);
  t.deepEqual(Object.keys(sites!).sort(), ['b', 'guide']);
  await compareBases(t, a, b);
});

postgresTest('store copy: one that is killed anywhere leaves a target that nothing opens, and goes on', async (t) => {
  const { createDatabase, url } = await cluster();
  const a = createFolder(t);
  await fillBase(a, { builds: 1_500 });
  for (const target of [url(await createDatabase()), createFolder(t)]) {
    const isFolder = !target.startsWith('postgres');
    const cwd = createFolder(t);
    writeFileSync(join(cwd, 'docbuild.yml'), isFolder ? `base_dir: ${target}\n` : `store: '${target}'\n`);
    const args = ['store', 'copy', '--from', a, '--to', target, '--sites-to', join(cwd, 'sites')];
    for (const stage of ['Copying sites', 'Copying records', 'Copying logs']) {
      const killed = await runDocbuild(args, {
        cwd,
        onStart: (child) => {
          child.stderr!.on('data', (text: string) => void (text.includes(stage) && child.kill('SIGKILL')));
        },
      });
      t.is(killed.code, null, `${stage}: ${killed.stderr}${killed.stdout}`);
      const { code, stderr } = await runCommand(['project', 'list'], { cwd });
      t.true(code === 1 || code === 2, stderr);
      t.regex(stderr, /bringing records there was interrupted; run the same "docbuild store copy"/);
    }
    const whole = createFolder(t);
    const half = await runCommand(['store', 'copy', '--from', target, '--to', whole], { cwd });
    t.regex(half.stderr, /Cannot copy from .*: bringing records there was interrupted/);
    const { code, stderr } = await runDocbuild(args, { cwd });
    t.is(code, 0, stderr);
    const { stdout } = await runCommand(['project', 'list', '--json'], { cwd });
    t.deepEqual((JSON.parse(stdout) as readonly Project[]).map(({ name }) => name).sort(), ['b', 'guide']);
    if (isFolder) continue;
    const back = createFolder(t);
    await copy(t, ['--from', target, '--to', back, '--sites-from', join(cwd, 'sites')]);
    await compareBases(t, a, back);
  }
});

postgresTest('store copy: what an interrupted copy brought and the source has not any more is removed', async (t) => {
  const { createDatabase, url, query } = await cluster();
  const database = await createDatabase();
  const a = createFolder(t);
  await fillBase(a, { builds: 1_500 });
  const args = ['--from', a, '--to', url(database)];
  const killed = await runDocbuild(['store', 'copy', ...args], {
    onStart: (child) => {
      child.stderr!.on('data', (text: string) => void (text.includes('Copying logs') && child.kill('SIGKILL')));
    },
  });
  t.is(killed.code, null);
  const before = await query(database, 'SELECT count(*)::int AS count FROM docbuild.builds');
  const cwd = createFolder(t);
  writeFileSync(join(cwd, 'docbuild.yml'), `base_dir: ${a}\n`);
  const { code, stderr } = await runCommand(['project', 'remove', 'guide', '--yes'], { cwd });
  t.is(code, 0, stderr);
  await copy(t, args);
  t.deepEqual(before, [{ count: 1_501 }]);
  t.deepEqual(await query(database, 'SELECT key FROM docbuild.builds'), []);
  t.deepEqual(await query(database, 'SELECT key FROM docbuild.projects'), [{ key: 'b' }]);
});

postgresTest('store copy: a database that goes away meanwhile is an error for operators', async (t) => {
  const own = await cluster();
  const { createDatabase, query } = own;
  const a = createFolder(t);
  await fillBase(a, { builds: 1_500 });
  // Answers that take their time: no stage is over before the database has gone.
  const proxy = await servePostgresProxy(t, own);
  proxy.delay(STAGE_MS);
  for (const stage of ['Copying records', 'Copying logs', 'Comparing records']) {
    const database = await createDatabase();
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`;
    const { code, stderr } = await runDocbuild(['store', 'copy', '--from', a, '--to', proxy.url(database)], {
      onStart: (child) => {
        child.stderr!.on('data', (text: string) => void (text.includes(stage) && query('postgres', cut)));
      },
    });
    t.is(code, 1, stderr);
    t.regex(stderr, /^Error: Cannot use database .*/m);
    t.notRegex(stderr, /please report this/);
  }
});

postgresTest('store copy: refuses a target with records, and places that a server uses', async (t) => {
  const { createDatabase, url } = await cluster();
  const [a, used, busy] = [createFolder(t), createFolder(t), createFolder(t)];
  for (const base of [a, used]) await fillBase(base, { builds: 1 });
  const refuse = async (command: typeof runCommand, args: readonly string[]): Promise<string> => {
    const { code, stderr } = await command(['store', 'copy', ...args], { cwd: createFolder(t) });
    t.not(code, 0);
    return stderr;
  };
  const run = (...args: string[]) => refuse(runCommand, args);
  // This process has the locks itself.
  const runApart = (...args: string[]) => refuse(runDocbuild, args);
  t.regex(await run('--from', a, '--to', used), /Cannot copy to folder ".*": it has records/);
  t.regex(await run('--from', a, '--to', a), /the same place/);
  t.regex(await run('--from', join(a, 'no'), '--to', used), /There are no records/);
  t.false(existsSync(join(a, 'no')));
  mkdirSync(join(busy, 'store'));
  await openStore(t, join(busy, 'store'));
  t.regex(await runApart('--from', busy, '--to', createFolder(t)), /is using it/);
  t.regex(await runApart('--from', a, '--to', busy), /is using it/);
  const database = url(await createDatabase());
  const store = await openPostgresStore({ url: database, onWarning: t.fail });
  t.regex(await runApart('--from', a, '--to', database), /docbuild \d+ on .* is using it; stop it first/);
  await store.close();
  await copy(t, ['--from', a, '--to', database]);
});

test.serial('store copy: no password is printed', async (t) => {
  const a = createFolder(t);
  await fillBase(a, { builds: 1 });
  const args = ['store', 'copy', '--from', a, '--to', 'postgres://me:Pa55word@h:port/d'];
  const { code, stderr } = await runCommand(args, { cwd: createFolder(t) });
  t.is(code, 2);
  t.regex(stderr, /Cannot use the URL/);
  t.notRegex(stderr, /Pa55word/);
});

test.serial('store copy: the URL of anything else is no folder, and its password is not printed', async (t) => {
  const [a, cwd] = [createFolder(t), createFolder(t)];
  await fillBase(a, { builds: 1 });
  const [database, bucket] = ['mysql://me:Pa55word@h/d', 'gs://me:Pa55word@h/d'];
  for (const [args, message] of [
    [['--from', a, '--to', database], /--to.*must be a folder or begin with "postgres:\/\/"/],
    [['--from', database, '--to', 'b'], /--from.*must be a folder or begin with "postgres:\/\/"/],
    [['--from', a, '--to', 'b', '--sites-to', bucket], /--sites-to.*must be a folder or begin with "s3:\/\/"/],
    [['--from', a, '--to', 'b', '--sites-from', bucket], /--sites-from.*must be a folder or begin with "s3:\/\/"/],
  ] as const) {
    const { code, stderr } = await runCommand(['store', 'copy', ...args], { cwd });
    t.is(code, 2, stderr);
    t.regex(stderr, message);
    t.notRegex(stderr, /Pa55word/);
  }
  t.deepEqual(readdirSync(cwd), []);
});

test.serial('store copy: a folder of sites that is named must exist', async (t) => {
  const [a, cwd] = [createFolder(t), createFolder(t)];
  await fillBase(a, { builds: 1 });
  const { code, stderr } = await runCommand(['store', 'copy', '--from', a, '--to', 'b', '--sites-from', 'typo'], {
    cwd,
  });
  t.is(code, 1, stderr);
  t.regex(stderr, /There are no sites: ".*typo" does not exist/);
  t.deepEqual(readdirSync(cwd), []);
});
