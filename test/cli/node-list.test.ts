import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { ListedNode } from '../../platform/nodes/node-report.ts';
import { createFolder, createRepository } from '../helpers/create-repository.ts';
import { mountDisk } from '../helpers/mount-disk.ts';
import { runCommand } from '../helpers/run-command.ts';
import { runDocbuild } from '../helpers/run-docbuild.ts';
import { hasPostgres, postgresTest, shareCluster } from '../helpers/share-postgres.ts';
import { type SpawnedServer, spawnListening, spawnServer } from '../helpers/spawn-server.ts';
import { testIf } from '../helpers/test-if.ts';
import { waitUntil } from '../helpers/wait-until.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const cluster = shareCluster();
const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};
const nameOf = ({ child }: SpawnedServer): string => `${hostname()}:${child.pid}`;

async function list(t: ExecutionContext, cwd: string): Promise<readonly ListedNode[]> {
  const { code, stdout, stderr } = await runDocbuild(['nodes', '--json'], { cwd });
  t.is(code, 0, stderr);
  return JSON.parse(stdout) as readonly ListedNode[];
}

/** A repository whose builds begin, and wait until there is a file `go`. */
function createWaiting(t: ExecutionContext, cwd: string) {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  const before = `touch '${cwd}/begun'; until [ -e '${cwd}/go' ]; do sleep 0.05; done`;
  const create = ['project', 'create', 'guide', '--url', repository.folder, '--before', before];
  return { create, hasBegun: () => existsSync(join(cwd, 'begun')), letGo: () => writeFileSync(join(cwd, 'go'), '') };
}

test.serial('docbuild nodes: without a database it says what the only process does', async (t) => {
  const cwd = createFolder(t);
  writeFileSync(join(cwd, 'docbuild.yml'), 'base_dir: ./base\n');
  const { create, hasBegun, letGo } = createWaiting(t, cwd);
  t.is((await runCommand(['nodes'], { cwd })).stdout, 'No process serves or builds\n');
  t.is((await runCommand(['nodes', '--json'], { cwd })).stdout, '[]\n');
  const startMs = Date.now();
  const server = await spawnServer(t, cwd);
  t.is((await runCommand(create, { cwd })).code, 0);
  const answer = await fetch(`${server.origin}/docbuild/build/guide?branch=main`, { method: 'POST' });
  const { build } = (await answer.json()) as { readonly build: { readonly id: string } };
  await waitUntil(hasBegun);
  const [only, ...others] = await list(t, cwd);
  t.deepEqual(others, []);
  t.like(only, {
    id: 0,
    name: nameOf(server),
    role: 'all',
    version,
    isGone: false,
    isDraining: false,
    isOnDuty: true,
    trouble: '',
  });
  t.true(Math.abs(Date.parse(only!.since) - startMs) < 60_000);
  t.deepEqual(
    only!.builds.map(({ startedAt, ...one }) => one),
    [{ id: build.id, project: 'guide', ref: 'main' }],
  );
  const text = (await runCommand(['nodes'], { cwd })).stdout;
  t.regex(text, new RegExp(`^${nameOf(server)}\tall\t${version}\tsince \\S+\theard \\S+\tthe only process\t`));
  t.true(text.endsWith(`\tbuilds guide (main, ${build.id})\n`), text);
  letGo();
  await waitUntil(async () => (await list(t, cwd))[0]?.builds.length === 0);
});

/** Configurations of nodes on one database, each with a folder of its own. */
async function createNodes(t: ExecutionContext) {
  const own = await cluster();
  const database = await own.createMigrated();
  const write = (cwd: string, yaml: string): void =>
    writeFileSync(join(cwd, 'docbuild.yml'), `base_dir: ./base\nstore: ${own.url(database)}\n${yaml}`);
  const createNode = (yaml = '', cwd = createFolder(t)): string => {
    write(cwd, yaml);
    return cwd;
  };
  const start = (cwd: string, role: 'web' | 'build' | 'all', ...more: readonly string[]): Promise<SpawnedServer> =>
    spawnListening(t, {
      cwd,
      args: ['api', '--role', role, '--port', '0', ...more],
      ready: role === 'build' ? /(docbuild builds)\n/ : /docbuild serves (http:\S+)\n/,
    });
  return { createNode, write, start, sql: (text: string) => own.query(database, text) };
}

postgresTest(
  'docbuild nodes: lists the nodes of a database, what they build, and which is draining or gone',
  async (t) => {
    const { createNode, start } = await createNodes(t);
    const yaml = 'builds: {concurrency: 1, drain_s: 120}\n';
    const [here, there] = [createNode(yaml), createNode(yaml)];
    const { create, hasBegun, letGo } = createWaiting(t, here);
    // A command that opens the database itself is none of them.
    t.deepEqual(await list(t, there), []);
    const web = await start(here, 'web');
    t.is((await runCommand(create, { cwd: here })).code, 0);
    const builder = await start(there, 'build');
    const answer = await fetch(`${web.origin}/docbuild/build/guide?branch=main`, { method: 'POST' });
    const { build } = (await answer.json()) as { readonly build: { readonly id: string } };
    await waitUntil(hasBegun);
    // The same at each node, and without one.
    for (const cwd of [here, there, createNode(yaml)]) {
      const found = await list(t, cwd);
      t.deepEqual(
        found.map(({ name, role, version: release, isGone, isDraining, builds }) => ({
          ...{ name, role, release, isGone, isDraining },
          builds: builds.map(({ id }) => id),
        })),
        [
          { name: nameOf(web), role: 'web', release: version, isGone: false, isDraining: false, builds: [] },
          {
            name: nameOf(builder),
            role: 'build',
            release: version,
            isGone: false,
            isDraining: false,
            builds: [build.id],
          },
        ],
      );
      for (const { seen } of found) t.true(Date.now() - Date.parse(seen) < 20_000, seen);
      t.false('settings' in found[0]!);
    }
    await waitUntil(async () => (await list(t, here)).filter(({ isOnDuty }) => isOnDuty).length === 1);
    const ended = builder.stop('SIGTERM');
    await waitUntil(async () => (await list(t, here))[1]?.isDraining === true);
    t.regex(
      (await runCommand(['nodes'], { cwd: here })).stdout,
      /\tbuild\t.*\tdraining(?:, on duty)?\tbuilds guide \(main, /,
    );
    letGo();
    t.is(await ended, 0);
    // Who has ended is not listed; who was killed is, as gone.
    t.deepEqual(
      (await list(t, here)).map(({ name }) => name),
      [nameOf(web)],
    );
    const killed = await start(there, 'build');
    await killed.stop('SIGKILL');
    t.false((await list(t, here))[1]?.isGone);
    await waitUntil(async () => (await list(t, here))[1]?.isGone === true);
  },
);

testIf(hasPostgres && process.getuid?.() === 0, 'needs PostgreSQL and root')(
  'docbuild nodes: a node whose disk is full says so, and says so no more when it has space again',
  async (t) => {
    const { createNode, start } = await createNodes(t);
    const disk = mountDisk(t, 'size=2m');
    const full = createNode('', disk);
    const other = createNode();
    await start(other, 'web');
    await start(full, 'build');
    const trouble = async () => (await list(t, other)).find(({ role }) => role === 'build')?.trouble;
    t.is(await trouble(), '');
    mkdirSync(join(disk, 'base'), { recursive: true });
    t.throws(() => writeFileSync(join(disk, 'fill'), Buffer.alloc(4_000_000)), { code: 'ENOSPC' });
    await waitUntil(async () => (await trouble()) === 'Cannot write to "base": no space left on device');
    rmSync(join(disk, 'fill'));
    await waitUntil(async () => (await trouble()) === '');
  },
);

postgresTest('nodes: one with another configuration is refused by key and node, without values', async (t) => {
  const { createNode, write, start, sql } = await createNodes(t);
  const yaml = (domain: string, key: string) =>
    `docs: {domain: ${domain}}\nmetrics: {key: ${key}}\napi: {docs_api_url: https://docs.example.org}\n`;
  const here = createNode(yaml('a.example.net', 'hush-and-not-a-word'));
  const there = createNode(yaml('b.example.net', 'hush-and-another-word'));
  const first = await start(here, 'web');
  const refused = await runDocbuild(['api', '--role', 'build'], { cwd: there });
  t.is(refused.code, 1);
  t.true(
    refused.stderr.includes(
      `Unlike the configuration of node "${nameOf(first)}": keys "docs.domain", "metrics.key" differ. Give all nodes the same`,
    ),
    refused.stderr,
  );
  const stored = JSON.stringify(await sql('SELECT about FROM docbuild.nodes'));
  t.regex(stored, /"docs\.domain":"[\w-]{22}"/);
  for (const text of [refused.stderr, stored]) t.notRegex(text, /hush|example\.net/);
  t.is((await list(t, here)).length, 1, 'it has left nothing');

  // With the option it starts, and says what differs.
  const mixed = await start(there, 'build', '--mixed-config');
  await mixed.waitFor(/keys \\"docs\.domain\\", \\"metrics\.key\\" differ; give all nodes the same/);
  // A key that counts at once is compared again, with one that needs a restart as before.
  write(there, yaml('a.example.net', 'hush-and-another-word'));
  mixed.child.kill('SIGHUP');
  await mixed.waitFor(/: key \\"metrics\.key\\" differs; give all nodes the same, and let them read it again/);
  t.is(await mixed.stop('SIGTERM'), 0);

  write(there, yaml('a.example.net', 'hush-and-not-a-word'));
  const same = await start(there, 'build');
  // What a node that is gone had does not count.
  await first.stop('SIGKILL');
  await same.stop('SIGTERM');
  const last = createNode(yaml('c.example.net', 'hush-and-not-a-word'));
  t.is(await (await start(last, 'build')).stop('SIGTERM'), 0);
});
