import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createFolder } from '../helpers/create-repository.ts';
import { runCommand } from '../helpers/run-command.ts';
import { runDocbuild } from '../helpers/run-docbuild.ts';
import { postgresTest, shareCluster } from '../helpers/share-postgres.ts';

const cluster = shareCluster();
/** Prints how many of the bundles that hold the driver, and the queue on it, a process has loaded. */
const COUNT_DRIVER = `--import=data:text/javascript,${encodeURIComponent(
  'import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module"; let count = 0; const read = fs.readFileSync; fs.readFileSync = (path, ...rest) => { if (/command\\/open-postgres-(store|vault)-/.test(path)) count++; return read(path, ...rest); }; syncBuiltinESMExports(); process.on("exit", () => console.error("driver", count));',
)}`;

test.serial('store: without a database no module of its driver is loaded', async (t) => {
  const cwd = createFolder(t);
  const { code, stderr } = await runDocbuild(['project', 'list'], { cwd, env: { NODE_OPTIONS: COUNT_DRIVER } });
  t.is(code, 0, stderr);
  t.regex(stderr, /^driver 0$/m);
});

postgresTest('store: commands keep records in the database that the configuration names', async (t) => {
  const { createDatabase, url, query } = await cluster();
  const database = await createDatabase();
  const cwd = createFolder(t);
  writeFileSync(join(cwd, 'docbuild.yml'), `store: ${url(database)}\n`);
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runDocbuild(args, { cwd, env: { NODE_OPTIONS: COUNT_DRIVER } });
    t.is(code, 0, stderr);
    t.regex(stderr, /^driver [1-9]/m);
    return stdout;
  };
  await run('project', 'create', 'guide', '--url', 'https://code.example/owner/guide.git');
  t.regex(await run('project', 'list'), /guide/);
  t.deepEqual(await query(database, `SELECT key, record->>'url' AS url FROM docbuild.projects`), [
    { key: 'guide', url: 'https://code.example/owner/guide.git' },
  ]);
});

test.serial('store: a URL that cannot be used is an error that does not show the password', async (t) => {
  const cwd = createFolder(t);
  writeFileSync(join(cwd, 'docbuild.yml'), 'store: postgres://docbuild:Pa55word@db.example:port/docbuild\n');
  const { code, stderr } = await runCommand(['project', 'list'], { cwd });
  t.is(code, 1);
  t.regex(stderr, /Cannot use the URL of "store"/);
  t.notRegex(stderr, /Pa55word/);
});

test.serial('store: cfg shows the URL of the database without its password', async (t) => {
  const cwd = createFolder(t);
  const show = async (url: string): Promise<string> => {
    writeFileSync(join(cwd, 'docbuild.yml'), `store: '${url}'\n`);
    return (await runCommand(['cfg', 'store'], { cwd })).stdout.trim();
  };
  t.is(await show('postgres://me:p:4@ss@db.example:5432/docbuild'), 'postgres://me:(set)@db.example:5432/docbuild');
  t.is(await show('postgres:///docbuild?password=p4ss&host=/run'), 'postgres:///docbuild?password=(set)&host=/run');
  t.is(await show('postgres://db.example:5432/docbuild'), 'postgres://db.example:5432/docbuild');
});

test.serial('store: a role needs a database that others use, too', async (t) => {
  const cwd = createFolder(t);
  const { code, stderr } = await runDocbuild(['api', '--role', 'build'], { cwd });
  t.is(code, 1);
  t.regex(stderr, /Role "build" is for several processes on one database; set "store" to its URL/);
});
