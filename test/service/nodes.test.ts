import type { ExecutionContext } from 'ava';
import { createClient, PASSWORD } from '../helpers/create-console.ts';
import { createServer, type TestServer } from '../helpers/create-server.ts';
import { postgresTest, shareCluster } from '../helpers/share-postgres.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const cluster = shareCluster();

/** Servers on one database, and an operator "boss". */
async function createNodes(t: ExecutionContext, count: number, yaml = '') {
  const own = await cluster();
  const database = await own.createMigrated();
  const url = own.url(database);
  const servers: TestServer[] = [];
  for (let i = 0; i < count; i++) servers.push(await createServer(t, `store: ${url}\n${yaml}`));
  await servers[0]!.operations.createUser({ account: 'boss', password: PASSWORD, isOperator: true });
  return { servers, sql: (text: string) => own.query(database, text) };
}

postgresTest('nodes: who guesses a password has no more tries at three nodes than at one', async (t) => {
  const { servers } = await createNodes(t, 3);
  const guess = (i: number) => {
    const body = new URLSearchParams({ account: 'boss', password: `wrong ${i}` }).toString();
    return servers[i % 3]!.post('/api/user/login', body, { 'Content-Type': 'application/x-www-form-urlencoded' });
  };
  const answers = await Promise.all(Array.from({ length: 45 }, (_, i) => guess(i)));
  const statuses = answers.map(({ status }) => status);
  t.deepEqual([...new Set(statuses)].sort(), [401, 429]);
  // Ten at once; each further one after a wait that doubles, of 1, 2, 4 … seconds.
  const tried = statuses.filter((status) => status === 401).length;
  t.true(tried >= 10 && tried <= 14, `${tried}`);
  for (const answer of answers) t.is(answer.headers.get('retry-after') !== null, answer.status === 429);
});

postgresTest('nodes: a new key is shown once, at whichever node, and nobody reads it in the database', async (t) => {
  const { servers, sql } = await createNodes(t, 2);
  const [one, other] = servers as [TestServer, TestServer];
  const client = createClient(one);
  await client.logIn('boss');
  const { html } = await client.get('/control/keys');
  const submission = /name="submission" value="([^"]+)"/.exec(html)![1]!;
  const created = await client.post('/control/keys', {
    submission,
    name: 'mine',
    permission: 'read',
    state: 'enabled',
  });
  t.is(created.status, 303);
  t.false(/dbk_/.test(JSON.stringify(await sql('SELECT * FROM docbuild.memory'))));
  const elsewhere = createClient(other);
  for (const [name, value] of client.cookies) elsewhere.cookies.set(name, value);
  t.regex((await elsewhere.get(created.location!)).html, /class="secret" value="dbk_/);
  t.notRegex((await client.get('/control/keys')).html, /class="secret" value="dbk_/);
});

postgresTest('nodes: metrics have the use of the database, without one they have none', async (t) => {
  const { servers } = await createNodes(t, 1);
  await servers[0]!.get('/docbuild/desc/none');
  const metrics = await (await servers[0]!.get('/metrics')).text();
  t.regex(metrics, /^docbuild_database_connections\{state="in_use"\} \d+$/m);
  t.regex(metrics, /^docbuild_database_connections\{state="waiting"\} \d+$/m);
  t.regex(metrics, /^docbuild_database_changes_open \d+$/m);
  t.regex(metrics, /^docbuild_database_seconds_count\{kind="question",outcome="answered"\} [1-9]/m);
  t.regex(metrics, /^docbuild_database_seconds_sum\{kind="change",outcome="answered"\} 0\.\d/m);
  t.regex(metrics, /^docbuild_database_seconds_bucket\{le="\+Inf",kind="change",outcome="answered"\} [1-9]/m);
  const alone = await createServer(t);
  t.notRegex(await (await alone.get('/metrics')).text(), /docbuild_database/);
});

postgresTest('nodes: a form that is sent twice, to two nodes, is worked on once', async (t) => {
  const { servers, sql } = await createNodes(t, 2);
  const clients = servers.map(createClient);
  await clients[0]!.logIn('boss');
  const { html } = await clients[0]!.get('/control/keys');
  const submission = /name="submission" value="([^"]+)"/.exec(html)![1]!;
  for (const [name, value] of clients[0]!.cookies) clients[1]!.cookies.set(name, value);
  await clients[1]!.get('/control/keys');
  const fields = { submission, name: 'mine', permission: 'read', state: 'enabled' };
  const answers = await Promise.all(clients.map((client) => client.post('/control/keys', fields)));
  t.deepEqual(
    answers.map(({ status, location }) => [status, location]),
    answers.map(() => [303, answers[0]!.location]),
  );
  t.is((await sql('SELECT key FROM docbuild.keys')).length, 1);
});

postgresTest(
  'nodes: a limit that is set at one node holds at all, also those that start later, before their files',
  async (t) => {
    const own = await cluster();
    const url = own.url(await own.createMigrated());
    const yaml = `store: ${url}\nutility: {short_url: {reductions_per_minute: 5}}\n`;
    const start = () => createServer(t, yaml);
    const servers = [await start(), await start()];
    await servers[0]!.operations.createUser({ account: 'boss', password: PASSWORD, isOperator: true });
    const KEY = 'utility.short_url.reductions_per_minute';
    const limitOf = async ({ operations }: TestServer, key = KEY) =>
      (await operations.listLimits({})).find((one) => one.key === key);
    /** Returns how many reductions a server allows, before it refuses. */
    const count = async ({ post }: TestServer): Promise<number> => {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      for (let allowed = 0; ; allowed++) {
        const { status } = await post('/openservice/shorturl/v1/?Action=reduction', 'short_string=none', headers);
        if (status === 429) return allowed;
      }
    };
    const client = createClient(servers[0]!);
    await client.logIn('boss');
    await client.get('/control/limits');
    const saved = await client.submit('/control/limits', {
      [`limit.${KEY}`]: '2',
      'limit.utility.alpha.concurrency': '3',
    });
    t.regex(saved.html, /some take effect when the server is started again/);
    t.regex(saved.html, /Stored for all nodes/);
    t.regex(saved.html, new RegExp(`>${KEY}<[\\s\\S]{0,300}Set by boss, <time`));
    const startMs = performance.now();
    await waitUntil(async () => (await limitOf(servers[1]!))?.value === 2);
    t.true(performance.now() - startMs < 10_000);
    servers.push(await start());
    for (const server of servers) {
      t.is(await count(server), 2);
      t.is((await limitOf(server))?.set?.by, 'boss');
    }
    t.is((await limitOf(servers[1]!, 'utility.alpha.concurrency'))?.value, 4, 'until it starts again');
    t.is((await limitOf(servers[2]!, 'utility.alpha.concurrency'))?.value, 3);
    t.like((await servers[2]!.operations.listAudit({ action: 'setLimits' }))[0], {
      actor: 'boss',
      details: `utility.alpha.concurrency, ${KEY}`,
    });
    await t.throwsAsync(servers[1]!.operations.setLimits({ values: { 'builds.quick': 3, [KEY]: -1 } }), {
      message: /key "utility\.short_url\.reductions_per_minute": must be/,
    });
    t.is((await limitOf(servers[1]!, 'builds.quick'))?.set, undefined, 'all or none');

    await servers[1]!.operations.setLimits({ values: { [KEY]: null } });
    for (const server of servers) {
      await waitUntil(async () => (await limitOf(server))?.value === 5);
      t.is((await limitOf(server))?.set, undefined);
    }
  },
);
