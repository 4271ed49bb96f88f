import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { createFolder } from '../helpers/create-repository.ts';
import { runCommand } from '../helpers/run-command.ts';
import { spawnServer } from '../helpers/spawn-server.ts';

test('docbuild audit shows who changed what, with and without a server', async (t) => {
  const folder = createFolder(t);
  writeFileSync(join(folder, 'docbuild.yml'), 'base_dir: ./base\n');
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(args, { cwd: folder });
    t.is(code, 0, stderr);
    return stdout;
  };
  const actor = `command line (${userInfo().username})`;
  t.is(await run('audit'), 'No entries\n');
  await run('block', 'host', 'one.example');
  const server = await spawnServer(t, folder);
  await run('block', 'host', 'two.example');
  const lines = (await run('audit')).trimEnd().split('\n');
  t.deepEqual(
    lines.map((line) => line.split('\t').slice(1)),
    [
      [actor, '-', 'addBlock', 'two.example', 'host'],
      [actor, '-', 'addBlock', 'one.example', 'host'],
    ],
  );
  const [newest] = JSON.parse(await run('audit', '--json', '-n', '1'));
  t.like(newest, { actor, action: 'addBlock', target: 'two.example', outcome: 'done' });
  const older = JSON.parse(await run('audit', '--json', '--before', newest.id, '--who', userInfo().username));
  t.is(older.length, 1);
  t.is(await run('audit', '--target', 'one.example', '--action', 'removeBlock'), 'No entries\n');
  t.is((await runCommand(['audit', '-n', '0'], { cwd: folder })).code, 2);
  const refused = await runCommand(['audit', '--before', 'zz'], { cwd: folder });
  t.is(refused.code, 2);
  t.regex(refused.stderr, /must be the id of an entry/);
  const uid = (await run('user', 'create', 'boss', '--operator')).trim();
  for (let i = 0; i < 2; i++) {
    const body = new URLSearchParams({ account: 'boss', password: 'a wrong one' });
    t.is((await fetch(`${server.origin}/api/user/login`, { method: 'POST', body })).status, 401);
  }
  const attempts = await run('audit', '--who', uid);
  t.regex(attempts, /^\S+\tboss\t127\.0\.0\.1\tlogIn \(failed\)\t-\t2 times, last at \S+Z\n$/);
  await server.stop('SIGTERM');
});
