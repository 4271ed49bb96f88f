import { mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import test from 'ava';
import type { Operations } from '../../platform/operations/operations.ts';
import { serveControl, socketPath } from '../../service/control-socket.ts';
import { createBuild } from '../helpers/create-records.ts';
import { createFolder, createRepository } from '../helpers/create-repository.ts';
import { runCommand } from '../helpers/run-command.ts';
import { runDocbuild } from '../helpers/run-docbuild.ts';
import { spawnServer } from '../helpers/spawn-server.ts';
import { commitFiles } from '../helpers/write-pages.ts';

test.serial('docbuild builds lists builds and cancels several at once', async (t) => {
  const folder = createFolder(t);
  writeFileSync(join(folder, 'docbuild.yml'), 'base_dir: ./base\nbuilds: {concurrency: 1}\n');
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  const server = await spawnServer(t, folder);
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(args, { cwd: folder });
    return {
      code,
      text: stdout,
      json: stdout.startsWith('{') || stdout.startsWith('[') ? JSON.parse(stdout) : undefined,
      stderr,
    };
  };
  t.is((await run('builds', 'list')).text, 'No builds\n');
  await run('project', 'create', '-u', repository.folder, '--before', 'sleep 300', 'guide');
  await run('project', 'create', '-u', repository.folder, '--before', 'sleep 300', 'other');
  const request = async (name: string, branch: string): Promise<string> => {
    const answer = await fetch(`${server.origin}/docbuild/build/${name}?branch=${branch}`, { method: 'POST' });
    return ((await answer.json()) as { build: { id: string } }).build.id;
  };
  const [first, second, third] = [
    await request('guide', 'main'),
    await request('guide', 'next'),
    await request('other', 'main'),
  ];
  const ids = async (...args: string[]) =>
    ((await run('builds', 'list', '--json', ...args)).json as { id: string }[]).map(({ id }) => id);
  t.deepEqual(await ids(), [third, second, first]);
  t.deepEqual(await ids('guide'), [second, first]);
  t.deepEqual(await ids('--open', '--limit', '1'), [third]);
  t.regex((await run('builds', 'list', 'guide')).text, new RegExp(`${second}\tguide\tnext\tqueued`));

  const cancelled = await run('builds', 'cancel', first, second, third);
  t.is(cancelled.code, 0, cancelled.stderr);
  t.is(
    cancelled.text,
    [`${first} of guide`, `${second} of guide`, `${third} of other`]
      .map((one) => `Build ${one} is cancelled\n`)
      .join(''),
  );
  t.like(await run('builds', 'cancel', first), { code: 0, text: `Build ${first} of guide is cancelled\n` });
  const unknown = await run('builds', 'cancel', '0'.repeat(20), '--json');
  t.deepEqual([unknown.code, unknown.json.error.code], [1, 'not-found']);
  t.is((await run('builds', 'list', 'none')).code, 1);
  t.is((await run('builds', 'list', '--limit', '0')).code, 2);
  t.is((await run('builds', 'cancel')).code, 2);
});

test.serial(
  'docbuild builds cancels without a server what it has left, and what waits without its project is ended by the next',
  async (t) => {
    const folder = createFolder(t);
    writeFileSync(join(folder, 'docbuild.yml'), 'base_dir: ./base\n');
    const repository = createRepository(t);
    commitFiles(repository, { 'docs/index.md': '# One\n' });
    const run = (...args: string[]) => runCommand(args, { cwd: folder });
    await run('project', 'create', '-u', repository.folder, '--before', 'sleep 300', 'guide');
    const first = await spawnServer(t, folder);
    const request = async (branch: string): Promise<string> => {
      const answer = await fetch(`${first.origin}/docbuild/build/guide?branch=${branch}`, { method: 'POST' });
      return ((await answer.json()) as { build: { id: string } }).build.id;
    };
    const running = await request('main');
    await first.waitFor(new RegExp(`"build":"${running}"[^\\n]*"status":"running"`));
    const [waiting, orphan] = [await request('next'), await request('last')];
    t.is(await first.stop('SIGTERM'), 0);
    const { code, stdout } = await run('builds', 'cancel', running, waiting);
    t.deepEqual(
      [code, stdout],
      [0, `Build ${running} of guide is cancelled\nBuild ${waiting} of guide is cancelled\n`],
    );
    // As the message of an unreadable file advises.
    renameSync(join(folder, 'base/store/projects.json'), join(folder, 'projects.json'));
    rmSync(join(folder, 'base/store/projects.json.bak'), { force: true });
    const second = await spawnServer(t, folder);
    await second.waitFor(new RegExp(`Ended build \\\\"${orphan}\\\\": its project \\\\"guide\\\\" does not exist`));
    t.is((await run('builds', 'list', '--open')).stdout, 'No builds\n');
  },
);

test.serial(
  'docbuild build says that the build resumes where the server stops before the command waits, or while it does',
  async (t) => {
    const folder = createFolder(t);
    writeFileSync(join(folder, 'docbuild.yml'), 'base_dir: ./base\n');
    mkdirSync(join(folder, 'base'));
    const build = createBuild({ id: 'asked', project: 'guide', ref: 'main' });
    for (const stop of ['before', 'while'] as const) {
      let server: Server;
      const closed = new Promise<void>((resolve) => {
        const leave = (): Promise<never> => {
          server.close(() => resolve());
          server.closeAllConnections();
          return new Promise(() => {});
        };
        const operations: Partial<Operations> = {
          build: async () => {
            // It has answered, and is gone when the command asks again.
            if (stop === 'before') setImmediate(() => server.close(() => resolve()));
            return build;
          },
          waitForBuild: leave,
        };
        void serveControl(socketPath(join(realpathSync(folder), 'base')), () => operations as Operations).then(
          (one) => {
            server = one;
          },
        );
      });
      const { code, stdout, stderr } = await runDocbuild(['build', 'guide'], { cwd: folder });
      t.is(stdout, 'Build asked of main: queued; the server stopped; the build resumes when it starts again\n', stderr);
      t.is(code, 1);
      await closed;
    }
  },
);
