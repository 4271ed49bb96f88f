import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createFolder, createRepository } from '../helpers/create-repository.ts';
import { runCommand } from '../helpers/run-command.ts';
import { runDocbuild } from '../helpers/run-docbuild.ts';
import { spawnServer } from '../helpers/spawn-server.ts';
import { commitFiles } from '../helpers/write-pages.ts';

/** A server in a separate process whose configuration can be written anew. */
async function createReloading(t: ExecutionContext, yaml: string) {
  const folder = createFolder(t);
  const write = (text: string) => writeFileSync(join(folder, 'docbuild.yml'), text);
  write(yaml);
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  const server = await spawnServer(t, folder);
  const run = async (...args: string[]) => {
    const { stdout } = await runCommand([...args, '--json'], { cwd: folder });
    return JSON.parse(stdout);
  };
  let reloads = 0;
  return {
    folder,
    repository,
    server,
    run,
    /** Writes the configuration, sends SIGHUP and waits until it was dealt with. */
    async reload(text: string) {
      write(text);
      server.child.kill('SIGHUP');
      reloads += 1;
      await server.waitFor(new RegExp(`(?:(?:configuration reloaded|configuration was not changed)[^]*){${reloads}}`));
    },
    statusOn: (host: string, path = '/en/latest/') => ask(server.origin, host, path),
    async build(name: string) {
      const answer = await fetch(`${server.origin}/docbuild/build/${name}?branch=main`, { method: 'POST' });
      return ((await answer.json()) as { build: { id: string } }).build.id;
    },
    async find(id: string) {
      const headers = { Accept: 'application/json' };
      const answer = await fetch(`${server.origin}/docbuild/builds/${id}`, { headers });
      return ((await answer.json()) as { data: { status: string; reason: string } }).data;
    },
  };
}

function ask(origin: string, host: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request(`${origin}${path}`, { headers: { Host: host } }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    })
      .once('error', reject)
      .end();
  });
}

test.serial('docbuild api takes a new configuration on SIGHUP and keeps serving', async (t) => {
  const { server, repository, run, reload, statusOn } = await createReloading(t, 'base_dir: ./base\n');
  await run('project', 'create', '-u', repository.folder, 'guide');
  await run('build', 'guide', '--all');
  // Where nothing is configured, it is a host of the service like any other.
  t.is(await statusOn('guide.docs.test'), 404);
  await reload('base_dir: ./base\ndocs: {domain: docs.test}\n');
  t.is(await statusOn('guide.docs.test'), 200);
  t.regex(server.output(), /"changed":\["docs\.domain"\]/);
  t.regex(
    await (await fetch(`${server.origin}/docbuild/projects/guide`)).text(),
    /href="http:\/\/guide\.docs\.test\/"/,
  );
  t.is(await server.stop('SIGTERM'), 0);
});

test.serial('docbuild api keeps its configuration when the new one is broken, and says where', async (t) => {
  const good = 'base_dir: ./base\ndocs: {domain: docs.test}\n';
  const { server, repository, run, reload, statusOn } = await createReloading(t, good);
  await run('project', 'create', '-u', repository.folder, 'guide');
  await run('build', 'guide', '--all');
  await reload('base_dir: ./base\ndocs: {domain: other.test}\nbuilds:\n  timeout_s: soon\n');
  t.regex(server.output(), /docbuild\.yml\\", line 4: key \\"builds\.timeout_s\\": must be a whole number/);
  t.is(await statusOn('guide.docs.test'), 200);
  await reload('docs: {domain: [\n');
  t.regex(server.output(), /docbuild\.yml\\", line 1: /);
  t.is(await statusOn('guide.docs.test'), 200);
  // A disk was full, or the file is just being written.
  await reload(' \n');
  t.regex(server.output(), /docbuild\.yml\\", line 1: it has no key.*; the configuration was not changed/);
  t.is(await statusOn('guide.docs.test'), 200);
  await reload('base_dir: ./base\ndocs: {domain: other.test}\n');
  t.deepEqual([await statusOn('guide.docs.test'), await statusOn('guide.other.test')], [404, 200]);
});

test.serial('docbuild api names what counts after a restart only, and shows no secret', async (t) => {
  const { server, reload } = await createReloading(t, 'base_dir: ./base\n');
  await reload('base_dir: ./moved\napi: {host: 127.0.0.2, port: 1}\ngithub_app: {webhook_secret: Pa55word}\n');
  for (const key of ['base_dir', 'api\\.host', 'github_app\\.webhook_secret']) {
    t.regex(server.output(), new RegExp(`Key \\\\"${key}\\\\" of the configuration has changed; .*restart`));
  }
  // The command line says the port.
  t.notRegex(server.output(), /Pa55word|api\.port/);
  t.is((await fetch(`${server.origin}/healthz`)).status, 200);
});

test.serial(
  'docbuild api lifts a block at once when the configuration names its address as never blocked',
  async (t) => {
    const { server, run, reload } = await createReloading(t, 'base_dir: ./base\n');
    const ask = async () => (await fetch(`${server.origin}/openservice/crontab?expression=@daily`)).status;
    await run('block', 'add', '127.0.0.0/8');
    t.is(await ask(), 403);
    await reload('base_dir: ./base\napi: {never_blocked: ["127.0.0.1"]}\n');
    t.regex(server.output(), /"changed":\["api\.never_blocked"\]/);
    t.is(await ask(), 200);
    await reload('base_dir: ./base\n');
    t.is(await ask(), 403);
  },
);

test.serial('docbuild api: more builds begin at once, each with the limits of the moment when it begins', async (t) => {
  const yaml = (builds: string) => `base_dir: ./base\nbuilds: {${builds}}\n`;
  const { folder, server, repository, run, reload, build, find } = await createReloading(
    t,
    yaml('concurrency: 1, quick: 0, timeout_s: 600'),
  );
  const go = join(folder, 'go');
  for (const name of ['aa', 'bb', 'cc']) {
    const wait = `until test -e ${go}-${name}; do sleep 0.05; done`;
    await run('project', 'create', '-u', repository.folder, '--before', wait, name);
  }
  const [first, second] = [await build('aa'), await build('bb')];
  const isRunning = (id: string) => server.waitFor(new RegExp(`"build":"${id}"[^\\n]*"status":"running"`));
  await isRunning(first);
  t.is((await find(second)).status, 'queued');
  await reload(yaml('concurrency: 2, quick: 0, timeout_s: 2'));
  await isRunning(second);
  t.is((await find(first)).status, 'running');
  await server.waitFor(new RegExp(`"build":"${second}"[^\\n]*"status":"failing"[^\\n]*took longer than 2 s`));
  // It has run for longer than the limit that counts now.
  t.is((await find(first)).status, 'running');
  writeFileSync(`${go}-aa`, '');
  await server.waitFor(new RegExp(`"build":"${first}"[^\\n]*"status":"passing"`));
});

test.serial(
  'docbuild api keeps its configuration when the new one would take a host from a project, and does not start with it',
  async (t) => {
    const { folder, server, repository, run, reload, statusOn } = await createReloading(t, 'base_dir: ./base\n');
    await run('project', 'create', '-u', repository.folder, 'guide');
    await run('project', 'update', '-t', 'domain:other.docs.test', 'guide');
    await run('build', 'guide', '--all');
    const taking = 'base_dir: ./base\ndocs: {domain: docs.test}\n';
    await reload(taking);
    t.regex(server.output(), /cannot have the host \\"other\.docs\.test\\".*the configuration was not changed/);
    t.is(await statusOn('other.docs.test'), 200);
    await server.stop('SIGTERM');
    const { code, stderr } = await runDocbuild(['api', '--port', '0'], { cwd: folder });
    t.is(code, 1);
    t.regex(stderr, /Project "guide" cannot have the host "other\.docs\.test": it belongs to the project "other"/);
    // A command mends it.
    const changed = await runCommand(['project', 'update', '-t', 'domain:guide.test', 'guide'], { cwd: folder });
    t.is(changed.code, 0, changed.stderr);
    const refused = await runCommand(['project', 'update', '-t', 'domain:docs.test', 'guide'], { cwd: folder });
    t.regex(refused.stderr, /belongs to all projects/);
    t.is(refused.code, 1);
  },
);
