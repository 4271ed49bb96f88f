import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { createFolder, createRepository } from '../helpers/create-repository.ts';
import { runDocbuild } from '../helpers/run-docbuild.ts';
import { postgresTest, shareCluster } from '../helpers/share-postgres.ts';
import { type SpawnedServer, spawnListening } from '../helpers/spawn-server.ts';

const cluster = shareCluster();

/**
 * A folder with the configuration of several nodes, and the project "guide", whose builds note that they begin, in
 * `begun`, and wait until there is a file `go`.
 */
async function createPlace(t: ExecutionContext) {
  const own = await cluster();
  const database = await own.createDatabase();
  const cwd = createFolder(t);
  const repository = createRepository(t);
  repository.write('docs/README.md', '# First\n');
  repository.commit('First');
  const sql = (text: string) => own.query(database, text);
  writeFileSync(join(cwd, 'docbuild.yml'), `store: ${own.url(database)}\nbuilds: {concurrency: 2}\n`);
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runDocbuild(args, { cwd });
    t.is(code, 0, stderr);
    return stdout;
  };
  const before = `echo $DOCBUILD_BUILD >> '${cwd}/begun'; until [ -e '${cwd}/go' ]; do sleep 0.05; done`;
  await run('project', 'create', 'guide', '--url', repository.folder, '--before', before);
  const begun = (): readonly string[] =>
    existsSync(join(cwd, 'begun')) ? readFileSync(join(cwd, 'begun'), 'utf8').trim().split('\n') : [];
  return {
    ...{ repository, run, sql, begun },
    letGo: () => writeFileSync(join(cwd, 'go'), ''),
    start: (role: 'web' | 'build'): Promise<SpawnedServer> =>
      spawnListening(t, {
        ...{ cwd, args: ['api', '--role', role, '--port', '0'] },
        ready: role === 'web' ? /docbuild serves (http:\S+)\n/ : /(docbuild builds)\n/,
      }),
    listBuilds: async () =>
      (await sql(`SELECT record FROM docbuild.builds ORDER BY key`)).map(({ record }) => record as Presented),
  };
}

interface Presented {
  readonly id: string;
  readonly status: string;
  readonly retryOf: string;
  readonly reason: string;
}

async function waitUntil(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(20);
}

async function fetchText(url: string): Promise<string> {
  return await (await fetch(url)).text();
}

postgresTest(
  'nodes: what one web node is asked for is built by another process, and served by all web nodes',
  async (t) => {
    const { start, run, repository, letGo, begun } = await createPlace(t);
    const [one, other] = await Promise.all([start('web'), start('web'), start('build')]);
    const building = run('build', 'guide');
    await waitUntil(() => begun().length === 1);
    letGo();
    t.regex(await building, /passing/i);
    for (const { origin } of [one!, other!]) t.regex(await fetchText(`${origin}/docs/guide/en/latest/`), /First/);
    repository.write('docs/README.md', '# Second\n');
    repository.commit('Second');
    await run('build', 'guide');
    for (const { origin } of [one!, other!]) t.regex(await fetchText(`${origin}/docs/guide/en/latest/`), /Second/);
  },
);

for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
  postgresTest(
    `nodes: a build of a node that gets ${signal} runs again once elsewhere, within 30 seconds`,
    async (t) => {
      const { start, begun, letGo, listBuilds, sql } = await createPlace(t);
      const [web, lost] = await Promise.all([start('web'), start('build')]);
      t.is((await fetch(`${web!.origin}/docbuild/build/guide`, { method: 'POST' })).status, 201);
      await waitUntil(() => begun().length === 1);
      const [node] = await sql(`SELECT record->'run'->>'node' AS id FROM docbuild.builds`);
      await start('build');
      const start0 = performance.now();
      lost!.child.kill(signal);
      await waitUntil(() => begun().length === 2);
      t.true(performance.now() - start0 < 30_000);
      const [first, second] = await listBuilds();
      t.deepEqual(begun(), [first!.id, second!.id]);
      t.like(first, { status: 'interrupted', reason: 'The node that ran this build is gone' });
      t.like(second, { status: 'running', retryOf: first!.id });
      t.not((second as unknown as { run: { node: number } }).run.node, Number(node!['id']));
      lost!.child.kill('SIGCONT');
      letGo();
      await waitUntil(async () => (await listBuilds())[1]!.status === 'passing');
      t.is((await listBuilds()).length, 2);
      t.is((await listBuilds())[0]!.status, 'interrupted');
    },
  );
}
