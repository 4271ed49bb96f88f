import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Build } from '../../data/records/build.ts';
import { createFolder, createRepository } from '../helpers/create-repository.ts';
import { createServer, type TestServer } from '../helpers/create-server.ts';
import { runCommand } from '../helpers/run-command.ts';
import { serveGit } from '../helpers/serve-git.ts';
import { spawnServer } from '../helpers/spawn-server.ts';
import { waitUntil } from '../helpers/wait-until.ts';
import { commitFiles } from '../helpers/write-pages.ts';

/** A repository with one page behind git servers; all but one of them send the beginning of a pack, and nothing after it. */
async function createRemotes(t: ExecutionContext) {
  const repository = createRepository(t);
  const change = (title: string): void => void commitFiles(repository, { 'docs/index.md': `# ${title}\n` });
  change('One');
  const root = join(repository.folder, '..');
  const name = repository.folder.slice(root.length + 1);
  const healthy = await serveGit(t, root);
  const startStalling = async () => {
    const git = await serveGit(t, root);
    git.holdAfterBytes = 50;
    const isAsked = (): boolean => git.requests.some(({ method }) => method === 'POST');
    return { url: `${git.url}/${name}`, git, isAsked };
  };
  return { url: `${healthy.url}/${name}`, startStalling, change };
}

/** Requests a build and waits until its work has begun. */
async function begin(server: TestServer, name: string, hasBegun: () => boolean | Promise<boolean>): Promise<string> {
  const { id } = await server.operations.build({ name });
  await waitUntil(hasBegun);
  return id;
}

const statusOf = async (server: TestServer, id: string): Promise<Build['status']> =>
  ((await (await server.get(`/docbuild/builds/${id}`)).json()) as { data: Build }).data.status;

/** Pushes to a project and waits until its page is live. */
async function push(server: TestServer, change: (title: string) => void, title: string): Promise<void> {
  change(title);
  const { id } = await server.operations.build({ name: 'quick', ref: 'main' });
  const { status } = await server.operations.waitForBuild({ id });
  if (status !== 'passing') throw new Error(`The quick build is ${status}`);
  const page = await (await server.get('/docs/quick/en/main/')).text();
  if (!page.includes(title)) throw new Error(`The page does not show ${title}:\n${page}`);
}

test.serial('slow neighbour: a push is live while a git server stalls the build of another project', async (t) => {
  const { url, startStalling, change } = await createRemotes(t);
  const stalling = await startStalling();
  const server = await createServer(t, 'builds: {concurrency: 1}\n');
  await server.operations.createProject({ name: 'slow', settings: { url: stalling.url } });
  await server.operations.createProject({ name: 'quick', settings: { url } });
  const slow = await begin(server, 'slow', stalling.isAsked);
  await push(server, change, 'Two');
  t.is(await statusOf(server, slow), 'running');
  t.is((await server.operations.cancelBuild({ id: slow })).status, 'cancelled');
});

test.serial(
  'slow neighbour: of two that take long one is put back, says so, and is built once the other one has ended',
  async (t) => {
    const { url, startStalling, change } = await createRemotes(t);
    const stalling = await startStalling();
    const server = await createServer(t, 'builds: {concurrency: 1, quick_s: 1}\n');
    // The first one is a command, the second one waits for the network.
    await server.operations.createProject({ name: 'command', settings: { url, before: 'while :; do sleep 1; done' } });
    await server.operations.createProject({ name: 'slow', settings: { url: stalling.url } });
    await server.operations.createProject({ name: 'quick', settings: { url } });
    const commandLog = async () => (await server.get(`/docbuild/builds/${command}/log`)).text();
    const command = (await server.operations.build({ name: 'command' })).id;
    await waitUntil(async () => (await commandLog()).includes('Running the command'));
    const slow = await begin(server, 'slow', stalling.isAsked);
    const followed = server.get(`/docbuild/builds/${slow}/log`, { Accept: 'text/event-stream' }).then((a) => a.text());
    await push(server, change, 'Two');
    t.is(await statusOf(server, command), 'running');
    t.is(await statusOf(server, slow), 'queued');
    const shown = await (await server.get(`/docbuild/builds/${slow}`, { Accept: 'text/html' })).text();
    t.regex(shown, /Others could be built quickly/);
    stalling.git.holdAfterBytes = undefined;
    await server.operations.cancelBuild({ id: command });
    t.is((await server.operations.waitForBuild({ id: slow })).status, 'passing');
    const lines = [...(await followed).matchAll(/^data: (.*)$/gm)].map(([, line]) => line!);
    t.is(lines.filter((line) => line.startsWith('Put back: ')).length, 1);
    t.deepEqual(lines.slice(-2), ['Passing', 'passing']);
  },
);

test.serial('slow neighbour: a push is live while six new projects take long', async (t) => {
  const { url, change } = await createRemotes(t);
  const command = 'while :; do sleep 1; done';
  // A machine that has too much to do takes seconds for a page, which is to be short all the same.
  const server = await createServer(t, 'builds: {concurrency: 1, quick_s: 20}\n');
  await server.operations.createProject({ name: 'quick', settings: { url } });
  await push(server, change, 'First');
  const ids: string[] = [];
  for (const number of [1, 2, 3, 4, 5, 6]) {
    const name = `slow-${number}`;
    await server.operations.createProject({ name, settings: { url: createRepository(t).folder, before: command } });
    ids.push((await server.operations.build({ name })).id);
  }
  const statuses = (): Promise<readonly Build['status'][]> => Promise.all(ids.map((one) => statusOf(server, one)));
  const isTried = async (): Promise<boolean> =>
    (await (await server.get(`/docbuild/builds/${ids[1]}/log`)).text()).includes('Running the command');
  await waitUntil(isTried);
  // The second one has the place for short builds, or has been put back for one of those that wait.
  const [first, ...others] = await statuses();
  t.is(first, 'running');
  t.true(others.filter((status) => status === 'running').length <= 1, others.join());
  t.true(
    others.every((status) => status === 'running' || status === 'queued'),
    others.join(),
  );
  await push(server, change, 'Two');
  const shown = await (await server.get(`/docbuild/builds/${ids[1]}`, { Accept: 'text/html' })).text();
  t.regex(shown, /Others could be built quickly/);
  const log = await (await server.get(`/docbuild/builds/${ids[0]}/log`)).text();
  t.deepEqual((await statuses()).slice(0, 2), ['running', 'queued'], log);
  for (const one of ids) t.is((await server.operations.cancelBuild({ id: one })).status, 'cancelled');
});

test.serial('slow neighbour: after a kill, what ran and what was put back is built once', async (t) => {
  const { url, startStalling } = await createRemotes(t);
  // Projects of one repository fetch it one after the other.
  const stalling = [await startStalling(), await startStalling()] as const;
  const folder = createFolder(t);
  writeFileSync(
    join(folder, 'docbuild.yml'),
    'base_dir: ./base\napi: {port: 0}\nbuilds: {concurrency: 1, quick_s: 1}\n',
  );
  const run = (...args: readonly string[]) => runCommand(args, { cwd: folder });
  await run('project', 'create', '-u', stalling[0].url, 'first');
  await run('project', 'create', '-u', stalling[1].url, 'second');
  await run('project', 'create', '-u', url, 'quick');
  const server = await spawnServer(t, folder);
  const ask = async (name: string): Promise<string> => {
    const answer = await fetch(`${server.origin}/docbuild/build/${name}`, { method: 'POST' });
    return ((await answer.json()) as { build: { id: string } }).build.id;
  };
  await ask('first');
  await ask('second');
  await waitUntil(() => stalling.every(({ isAsked }) => isAsked()));
  await ask('quick');
  await server.waitFor(/"project":"quick".*"status":"passing"/);
  await server.stop('SIGKILL');
  for (const { git } of stalling) git.holdAfterBytes = undefined;
  const next = await spawnServer(t, folder);
  for (const name of ['first', 'second']) await next.waitFor(new RegExp(`"project":"${name}".*"status":"passing"`));
  const passed = [...next.output().matchAll(/"project":"(\w+)".*"status":"passing"/g)].map(([, name]) => name);
  t.deepEqual(passed.toSorted(), ['first', 'second']);
  await next.stop('SIGTERM');
});

test.serial('slow neighbour: a project may have a limit of its own', async (t) => {
  const { url, startStalling } = await createRemotes(t);
  const stalling = await startStalling();
  const server = await createServer(t);
  const reasonFor = async (name: string, settings: { url: string; before?: string }): Promise<string> => {
    await server.operations.createProject({ name, settings: { ...settings, timeout: 1 } });
    const { id } = await server.operations.build({ name });
    return (await server.operations.waitForBuild({ id })).reason;
  };
  t.regex(await reasonFor('command', { url, before: 'sleep 60' }), /"before" took longer than 1 s/);
  // Either the connection was silent for as long, or the build ended first.
  t.regex(
    await reasonFor('fetch', { url: stalling.url }),
    /silent for 1 s|longer than 1 s, .*update -t timeout:… fetch/,
  );
});
