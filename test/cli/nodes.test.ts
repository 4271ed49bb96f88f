import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { createFolder, createRepository } from '../helpers/create-repository.ts';
import { runCommand } from '../helpers/run-command.ts';
import { type FinishedProcess, runDocbuild } from '../helpers/run-docbuild.ts';
import { postgresTest, shareCluster } from '../helpers/share-postgres.ts';
import { createShiftedClock } from '../helpers/shift-clock.ts';
import { type SpawnedServer, spawnListening } from '../helpers/spawn-server.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const cluster = shareCluster();

/**
 * A folder with the configuration of several nodes, and projects whose builds note that they begin, in `begun`, and wait
 * until there is a file `go`.
 */
async function createPlace(t: ExecutionContext, projects: readonly string[], yaml = '') {
  const own = await cluster();
  const database = await own.createDatabase();
  const cwd = createFolder(t);
  const repository = createRepository(t);
  repository.write('docs/README.md', '# First\n');
  repository.commit('First');
  const sql = (text: string) => own.query(database, text);
  writeFileSync(
    join(cwd, 'docbuild.yml'),
    `store: ${own.url(database)}\nbuilds: {concurrency: 1, quick: 0, poll_minutes: 0}\n${yaml}`,
  );
  const succeed = async (running: Promise<FinishedProcess>): Promise<string> => {
    const { code, stdout, stderr } = await running;
    t.is(code, 0, stderr);
    return stdout;
  };
  const run = (...args: string[]) => succeed(runCommand(args, { cwd }));
  const runApart = (...args: string[]) => succeed(runDocbuild(args, { cwd }));
  const before = `echo $DOCBUILD_BUILD >> '${cwd}/begun'; until [ -e '${cwd}/go' ]; do sleep 0.05; done`;
  for (const name of projects) {
    await run('project', 'create', name, '--url', repository.folder, '--before', before);
  }
  const begun = (): readonly string[] =>
    existsSync(join(cwd, 'begun')) ? readFileSync(join(cwd, 'begun'), 'utf8').split('\n').slice(0, -1) : [];
  return {
    repository,
    run,
    runApart,
    begun,
    letGo: () => writeFileSync(join(cwd, 'go'), ''),
    sql,
    cwd,
    siteFolder: (project: string) => join(cwd, '.docbuild', 'sites', project, 'site'),
    start: (role: 'web' | 'build' | 'all', env: Readonly<Record<string, string>> = {}): Promise<SpawnedServer> =>
      spawnListening(t, {
        cwd,
        env,
        args: ['api', '--role', role, '--port', '0'],
        ready: role === 'build' ? /(docbuild builds)\n/ : /docbuild serves (http:\S+)\n/,
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
  readonly run?: { readonly node: number };
}

async function fetchText(url: string): Promise<string> {
  return await (await fetch(url)).text();
}

postgresTest(
  'nodes: what one web node is asked for is built by another process; all web nodes show its log, and the site',
  async (t) => {
    const { start, run, runApart, repository, letGo, begun } = await createPlace(t, ['guide']);
    const [one, other] = await Promise.all([start('web'), start('web'), start('build')]);
    const building = runApart('build', 'guide');
    await waitUntil(() => begun().length === 1);
    const log = `/docbuild/builds/${begun()[0]}/log`;
    const headers = { Accept: 'text/event-stream' };
    const followed = await Promise.all([one!, other!].map(({ origin }) => fetch(origin + log, { headers })));
    letGo();
    t.regex(await building, /passing/i);
    for (const answer of followed) t.regex(await answer.text(), /data: Passing\n/);
    for (const { origin } of [one!, other!]) t.regex(await fetchText(`${origin}/docs/guide/en/latest/`), /First/);
    repository.write('docs/README.md', '# Second\n');
    repository.commit('Second');
    await run('build', 'guide');
    for (const { origin } of [one!, other!]) t.regex(await fetchText(`${origin}/docs/guide/en/latest/`), /Second/);
  },
);

postgresTest(
  'nodes: builds of nodes that are killed or frozen run again once elsewhere, within 30 seconds',
  async (t) => {
    const { start, begun, letGo, listBuilds } = await createPlace(t, ['guide', 'other']);
    const web = await start('web');
    const build = async (project: string): Promise<void> => {
      t.is((await fetch(`${web.origin}/docbuild/build/${project}`, { method: 'POST' })).status, 201);
    };
    // Each has one place.
    const killed = await start('build');
    await build('guide');
    await waitUntil(() => begun().length === 1);
    const frozen = await start('build');
    await build('other');
    await waitUntil(() => begun().length === 2);
    const lost = await listBuilds();
    t.deepEqual(
      begun(),
      lost.map(({ id }) => id),
    );
    await Promise.all([start('build'), start('build')]);
    const startMs = performance.now();
    killed.child.kill('SIGKILL');
    frozen.child.kill('SIGSTOP');
    await waitUntil(() => begun().length === 4);
    t.true(performance.now() - startMs < 30_000);
    const [first, second, ...again] = await listBuilds();
    for (const one of [first, second])
      t.like(one, { status: 'interrupted', reason: 'The node that ran this build is gone' });
    t.deepEqual(again.map(({ retryOf }) => retryOf).sort(), [first!.id, second!.id]);
    for (const { run } of again) t.false(lost.some((one) => one.run?.node === run?.node));
    // What it was doing goes on.
    frozen.child.kill('SIGCONT');
    letGo();
    await waitUntil(async () => (await listBuilds()).every(({ status }) => status !== 'running'));
    const ended = await listBuilds();
    t.deepEqual(
      ended.map(({ status }) => status),
      ['interrupted', 'interrupted', 'passing', 'passing'],
    );
    await build('other');
    await waitUntil(async () => (await listBuilds())[4]?.status === 'passing');
  },
);

postgresTest(
  'nodes: a build node that is told to stop ends its build in its drain time, and begins no other; another node does',
  async (t) => {
    const { start, begun, letGo, listBuilds, cwd } = await createPlace(t, ['guide', 'other']);
    const file = join(cwd, 'docbuild.yml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('quick: 0', 'quick: 0, drain_s: 60'));
    const web = await start('web');
    const build = async (project: string): Promise<void> => {
      t.is((await fetch(`${web.origin}/docbuild/build/${project}`, { method: 'POST' })).status, 201);
    };
    const leaving = await start('build');
    await build('guide');
    await waitUntil(() => begun().length === 1);
    await build('other');
    const ended = leaving.stop('SIGTERM');
    await leaving.waitFor(/"limitMs":70000,"msg":"stopping"/);
    await start('build');
    await waitUntil(() => begun().length === 2);
    const nodes = (await listBuilds()).map(({ status, run }) => [status, run?.node]);
    t.deepEqual(
      nodes.map(([status]) => status),
      ['running', 'running'],
    );
    t.not(nodes[0]![1], nodes[1]![1]);
    letGo();
    t.is(await ended, 0);
    await waitUntil(async () => (await listBuilds()).every(({ status }) => status === 'passing'));
    t.is(begun().length, 2, 'neither was begun again');
  },
);

postgresTest(
  'nodes: what a build node that is told to stop does not end in its drain time begins at once elsewhere; Ctrl-C drains nothing',
  async (t) => {
    const { start, begun, letGo, listBuilds, cwd } = await createPlace(t, ['guide']);
    const file = join(cwd, 'docbuild.yml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('quick: 0', 'quick: 0, drain_s: 3'));
    const web = await start('web');
    const first = await start('build');
    t.is((await fetch(`${web.origin}/docbuild/build/guide`, { method: 'POST' })).status, 201);
    await waitUntil(() => begun().length === 1);
    const second = await start('build');
    const startMs = performance.now();
    t.is(await first.stop('SIGTERM'), 0);
    await waitUntil(() => begun().length === 2);
    const tookMs = performance.now() - startMs;
    t.true(tookMs >= 3_000 && tookMs < 13_000, String(tookMs));
    const ended = second.stop('SIGINT');
    await second.waitFor(/"limitMs":10000,"msg":"stopping"/);
    const third = await start('build');
    t.is(await ended, 0);
    await waitUntil(() => begun().length === 3);
    letGo();
    await waitUntil(async () => (await listBuilds())[0]?.status === 'passing');
    t.is((await listBuilds()).length, 1, 'what was put back is the same build');
    t.is(await third.stop('SIGTERM'), 0);
  },
);

postgresTest('nodes: what one node does for all is done by another one after it was killed', async (t) => {
  const { start, run, letGo, sql, siteFolder, listBuilds } = await createPlace(t, ['guide']);
  letGo();
  const owner = async () => (await sql('SELECT node FROM docbuild.duty WHERE until > now()'))[0]?.node;
  const first = await start('all');
  await waitUntil(async () => (await owner()) !== undefined);
  const before = await owner();
  const second = await start('all');
  await run('build', 'guide');
  const builds = (await listBuilds()).length;
  rmSync(siteFolder('guide'), { recursive: true });
  const startMs = performance.now();
  first.child.kill('SIGKILL');
  await waitUntil(async () => (await fetch(`${second.origin}/docs/guide/en/latest/`)).status === 200);
  t.true(performance.now() - startMs < 30_000);
  t.not(await owner(), before);
  t.is((await listBuilds()).length, builds + 1);
});

postgresTest(
  'nodes: a web node that stops says so, answers what is under way, and then leaves its callers to others',
  async (t) => {
    // Time enough for three requests on a busy machine.
    const { start } = await createPlace(t, [], 'api: {drain_s: 8}\n');
    const [leaving, staying] = await Promise.all([start('web'), start('web')]);
    const health = async ({ origin }: SpawnedServer): Promise<[number, string | undefined]> => {
      // It would go on with its connection, but a server closes what has waited for long on a busy machine.
      const agent = new Agent({ keepAlive: true });
      const [response] = (await once(get(`${origin}/healthz`, { agent }), 'response')) as [IncomingMessage];
      response.resume();
      await once(response, 'end');
      agent.destroy();
      return [response.statusCode!, response.headers.connection];
    };
    t.deepEqual(await health(leaving!), [200, 'keep-alive']);
    const body = 'account=nobody&password=wrong';
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': body.length };
    const slow = request(`${leaving!.origin}/api/user/login`, { method: 'POST', headers });
    slow.write(body.slice(0, 9));
    await once(slow, 'socket');
    const ended = leaving!.stop('SIGTERM');
    await waitUntil(async () => (await health(leaving!))[0] === 503);
    t.deepEqual(await health(leaving!), [503, 'close']);
    t.is((await fetch(`${leaving!.origin}/openapi.json`)).status, 200);
    // Afterwards it listens no more, and waits for the one request that is under way.
    await waitUntil(() =>
      fetch(leaving!.origin).then(
        () => false,
        () => true,
      ),
    );
    slow.end(body.slice(9));
    const [answer] = (await once(slow, 'response')) as [IncomingMessage];
    answer.resume();
    t.is(answer.statusCode, 401);
    t.is(await ended, 0);
    t.is((await health(staying!))[0], 200);
  },
);

postgresTest(
  'nodes: of three one runs a schedule at each of its times, once, also after it is killed, and after clocks are set back',
  async (t) => {
    const { start, run, letGo, sql, listBuilds, cwd } = await createPlace(t, ['guide'], 'timezone: UTC\n');
    letGo();
    await run('project', 'update', 'guide', '-t', 'schedule:0 3 * * *');
    const scheduledAt = async () =>
      String((await sql(`SELECT record->>'scheduledAt' AS at FROM docbuild.projects`))[0]!.at);
    const firstMs = Date.parse(await scheduledAt());
    const second = new Date(firstMs + 86_400_000).toISOString();
    const clock = createShiftedClock(cwd);
    const setClocks = (ms: number): void => clock.shift(ms - Date.now());
    setClocks(firstMs - 600_000);
    const nodes = await Promise.all([start('all', clock.env), start('all', clock.env), start('all', clock.env)]);
    const findOnDuty = async (): Promise<SpawnedServer | undefined> => {
      const [row] = await sql(
        'SELECT name FROM docbuild.nodes JOIN docbuild.duty ON id = node WHERE until > now() AND NOT is_dead',
      );
      return nodes.find(({ child }) => String(row?.name).startsWith(`docbuild ${child.pid} `));
    };
    const killOnDuty = async (): Promise<void> => {
      await waitUntil(async () => (await findOnDuty()) !== undefined);
      const node = (await findOnDuty())!;
      await node.stop('SIGKILL');
      nodes.splice(nodes.indexOf(node), 1);
    };
    const listEnds = async () => (await listBuilds()).map(({ status }) => status);
    /** Two more looks of whoever has the duties. */
    const look = () => setTimeout(11_000);

    await look();
    t.deepEqual(await listEnds(), []);
    setClocks(firstMs - 1_000);
    await waitUntil(async () => (await listEnds()).join() === 'passing');
    await look();
    t.deepEqual(await listEnds(), ['passing']);

    // Whoever gets the duties plans all schedules, by a clock at which the time that has been comes again.
    setClocks(firstMs - 120_000);
    await killOnDuty();
    await waitUntil(async () => (await findOnDuty()) !== undefined);
    await look();
    setClocks(firstMs - 1_000);
    await look();
    t.deepEqual([await listEnds(), await scheduledAt()], [['passing'], second]);

    await killOnDuty();
    setClocks(Date.parse(second) - 1_000);
    await waitUntil(async () => (await listEnds()).join() === 'passing,passing');
    await look();
    t.deepEqual(await listEnds(), ['passing', 'passing']);
  },
);
