import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createFolder } from '../helpers/create-repository.ts';
import { runCommand } from '../helpers/run-command.ts';
import { runDocbuild } from '../helpers/run-docbuild.ts';
import { serveReceiver } from '../helpers/serve-receiver.ts';
import { spawnServer } from '../helpers/spawn-server.ts';
import { waitUntil } from '../helpers/wait-until.ts';

test('docbuild api tells what a killed one had not: a call without an answer, and a build that it had not looked at', async (t) => {
  const receiver = await serveReceiver(t);
  const folder = createFolder(t);
  writeFileSync(join(folder, 'docbuild.yml'), 'base_dir: ./base\nnotifications: {allowed: ["127.0.0.1"]}\n');
  const run = (...args: string[]) => runCommand(args, { cwd: folder });
  const create = ['project', 'create', '-u', join(folder, 'missing'), '--notify', receiver.url];
  t.is((await run(...create, '--generate-notify-secret', 'guide')).code, 0);

  const list = async (): Promise<readonly string[]> => {
    const { stdout } = await run('notifications', 'guide', '--json');
    const listed = JSON.parse(stdout) as readonly { ref: string; delivery: string; attempts: number }[];
    return listed.map(({ ref, delivery, attempts }) => `${ref} ${delivery} ${attempts}`);
  };

  receiver.answer = () => {};
  const first = await spawnServer(t, folder);
  t.is((await run('build', '-b', 'main', 'guide')).code, 1);
  const [unanswered] = await receiver.waitFor(1);
  await first.stop('SIGKILL');
  // As if it had been killed between the end of another build and its notification.
  t.is((await runDocbuild(['build', '-b', 'v1', 'guide'], { cwd: folder })).code, 1);
  t.deepEqual(await list(), ['v1 waiting 0', 'main waiting 0']);
  rmSync(join(folder, 'base/store/notifications.json'));
  rmSync(join(folder, 'base/store/notifications.json.bak'), { force: true });

  receiver.answer = (response) => void response.writeHead(204).end();
  const next = await spawnServer(t, folder);
  await receiver.waitFor(3);
  const told = receiver.received.slice(1).map(({ content: { type, data } }) => `${type} ${data['ref']}`);
  t.deepEqual(told.sort(), ['version.failing main', 'version.failing v1']);
  t.is(unanswered!.content.data['ref'], 'main');
  // The server answers from memory, ahead of the file: what a killed one has not written is sent again.
  const isWritten = (file: string): boolean => existsSync(file) && !readFileSync(file, 'utf8').includes('waiting');
  await waitUntil(() => isWritten(join(folder, 'base/store/notifications.json')));
  await next.stop('SIGKILL');
  // The next one has nothing more to tell.
  const last = await spawnServer(t, folder);
  t.is((await run('build', '-b', 'v2', 'guide')).code, 1);
  await receiver.waitFor(4);
  t.is(receiver.received.at(-1)?.content.data['ref'], 'v2');
  t.is(await last.stop('SIGTERM'), 0);
});
