import { once } from 'node:events';
import { get } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import Koa from 'koa';
import { createLogFollower } from '../../../api/docbuild/log-follower.ts';
import { LOG_READERS_EACH } from '../../../platform/config/limit-settings.ts';
import { PASSWORD } from '../../helpers/create-accounts.ts';
import { createBuild } from '../../helpers/create-records.ts';
import { createRepository } from '../../helpers/create-repository.ts';
import { createServer, type TestServer } from '../../helpers/create-server.ts';
import { waitUntil } from '../../helpers/wait-until.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const STREAM = { Accept: 'text/event-stream' };

/** A server with a build that has begun and whose hook is this command. */
async function createRunning(t: ExecutionContext, before: string, yaml = '') {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  const server = await createServer(t, yaml);
  await server.operations.createProject({ name: 'guide', settings: { url: repository.folder, before } });
  const { id } = await server.operations.build({ name: 'guide' });
  const path = `/docbuild/builds/${id}/log`;
  while (!(await (await server.get(path)).text()).includes('Running the command')) await setTimeout(10);
  return { server, id, path };
}

interface SentEvent {
  readonly id: string;
  readonly type: string;
  readonly data: string;
}

/** Reads events as WHATWG HTML says, CR as the end of a line included. */
function parseEvents(text: string): readonly SentEvent[] {
  let id = '';
  return text
    .split(/\r\n\r\n|\n\n|\r\r/)
    .map((block) => {
      const fields = block.split(/\r\n|\n|\r/).map((line) => /^(\w*): ?(.*)$/.exec(line) ?? []);
      const find = (name: string) => fields.find(([, field]) => field === name)?.[2];
      id = find('id') ?? id;
      return { id, type: find('event') ?? 'message', data: find('data') ?? '' };
    })
    .filter(({ data }) => data !== '');
}

async function follow(server: TestServer, path: string, headers: Record<string, string> = {}) {
  return parseEvents(await (await server.get(path, { ...STREAM, ...headers })).text());
}

test('log stream: a reader who comes back gets what it has not seen, then nothing more', async (t) => {
  const { server, id, path } = await createRunning(t, "printf 'one\\rtwo\\r\\nevent: end\\nthree\\n'");
  await server.operations.waitForBuild({ id });
  const events = await follow(server, path);
  t.deepEqual(
    events.slice(1, 4).map(({ data }) => data),
    ['two', 'event: end', 'three'],
  );
  t.deepEqual(events.at(-1), { id: 'end', type: 'end', data: 'passing' });
  t.is(events.filter(({ type }) => type === 'end').length, 1);
  const half = events[3]!.id;
  t.deepEqual(await follow(server, path, { 'Last-Event-ID': half }), events.slice(4));
  t.deepEqual(await follow(server, path, { 'Last-Event-ID': 'none; of ours' }), events);
  t.is((await server.get(path, { ...STREAM, 'Last-Event-ID': 'end' })).status, 204);
});

test('log stream: HEAD gives the head alone', async (t) => {
  const { server, path } = await createRunning(t, 'sleep 30');
  const answer = await fetch(server.origin + path, { method: 'HEAD', headers: STREAM });
  t.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'text/event-stream']);
});

/** Opens a stream that nobody ends. */
function openStream(server: TestServer, path: string, headers: Record<string, string>) {
  return new Promise<{ status: number; retryAfter: string | undefined; leave: () => void }>((resolve, reject) => {
    const request = get(server.origin + path, { headers: { ...STREAM, ...headers }, agent: false }, (response) => {
      response.on('error', () => {}).resume();
      const { statusCode, headers } = response;
      resolve({ status: statusCode!, retryAfter: headers['retry-after'], leave: () => request.destroy() });
    }).on('error', reject);
  });
}

test('log stream: neither one address nor many shut out those who are logged in, nor users the operator', async (t) => {
  const { server, path } = await createRunning(t, 'sleep 60', 'api: {port: 0, trusted_proxies: 1}\n');
  const createKey = async (account: string, isOperator = false): Promise<Record<string, string>> => {
    const { uid } = await server.operations.createUser({ account, password: PASSWORD, isOperator });
    return { Authorization: `Token ${(await server.operations.createKey({ uid, permission: 'read' })).key}` };
  };
  const crowd = (size: number, headersOf: (i: number) => Record<string, string>) =>
    Promise.all(Array.from({ length: size }, (_, i) => openStream(server, path, headersOf(i))));
  const count = (streams: readonly { readonly status: number }[]) =>
    streams.filter(({ status }) => status === 200).length;
  const from = (host: number) => ({ 'X-Forwarded-For': `192.0.2.${host}` });

  const ofOne = await crowd(30, () => from(1));
  t.is(count(ofOne), 20);
  t.like(
    ofOne.find(({ status }) => status !== 200),
    { status: 429, retryAfter: '10' },
  );
  const ofMany = await crowd(200, (i) => from(2 + i));
  t.is(count(ofMany), 100);
  t.like(
    ofMany.find(({ status }) => status !== 200),
    { status: 503, retryAfter: '10' },
  );

  const users = await Promise.all(Array.from({ length: 4 }, (_, i) => createKey(`user${i}`)));
  t.is(count(await crowd(30, () => ({ ...users[0]!, ...from(1) }))), 20);
  t.is(count(await crowd(60, (i) => users[1 + (i % 3)]!)), 40);
  t.is((await openStream(server, path, await createKey('boss', true))).status, 200);

  // Readers who leave make room for others.
  for (const { leave } of ofOne) leave();
  let status = 503;
  while (status !== 200) {
    await setTimeout(20);
    ({ status } = await openStream(server, path, from(1)));
  }
  t.is(status, 200);
});

test('log stream: logs are for everybody, a credential that is not valid shuts nobody out', async (t) => {
  const { server, path } = await createRunning(t, 'sleep 60');
  for (const headers of [{ Cookie: 'sessionId=dbs_gone' }, { Authorization: 'Token gone' }]) {
    t.is((await openStream(server, path, headers)).status, 200);
  }
});

test('log stream: the OpenAPI document says who may have to wait', async (t) => {
  const server = await createServer(t);
  const { paths } = (await (await server.get('/openapi.json')).json()) as {
    paths: Record<string, { get: { responses: Record<string, { description: string }>; security: object[] } }>;
  };
  const { responses, security } = paths['/docbuild/builds/{id}/log']!.get;
  t.regex(responses[429]!.description, /20 logs.*Retry-After/s);
  t.regex(responses[503]!.description, /Retry-After/);
  t.deepEqual(security.at(-1), {});
});

test.serial('log stream: it breaks off, without an end, when the server stops, and nothing else begins', async (t) => {
  const { server, path } = await createRunning(t, 'sleep 60');
  const waiting = await server.operations.build({ name: 'guide', ref: 'other' });
  const response = await server.get(path, STREAM);
  const waits = server.operations.waitForBuild({ id: waiting.id });
  const startMs = performance.now();
  await server.close();
  t.true(performance.now() - startMs < 30_000);
  t.true(parseEvents(await response.text()).every(({ type }) => type === 'message'));
  t.is((await waits).status, 'queued');
});

test('log stream: a reader who takes nothing is left, and its place is free again', async (t) => {
  const build = createBuild({ status: 'running' });
  let hasLeft = false;
  const follow = createLogFollower({
    store: { builds: { find: async () => build } } as never,
    queue: { waitFor: () => new Promise(() => {}), isStopping: () => false } as never,
    logs: {
      async *follow() {
        try {
          for (;;) yield 'x'.repeat(10_000);
        } finally {
          hasLeft = true;
        }
      },
    } as never,
    stallMs: 200,
  });
  const app = new Koa();
  // That the connection ended in the middle of an answer.
  app.on('error', () => {});
  app.use((ctx) => follow(ctx, build, { user: undefined, source: '192.0.2.1' }));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  let accepted = 0;
  server.on('connection', () => {
    accepted++;
  });
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const open = () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => {});
    t.teardown(() => socket.destroy());
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n');
    return socket;
  };
  const count = promisify(server.getConnections.bind(server));
  for (let i = 0; i < LOG_READERS_EACH; i++) open();
  // The first may be left before the last has come.
  await waitUntil(() => accepted === LOG_READERS_EACH);
  await waitUntil(async () => (await count()) === 0);
  await waitUntil(() => hasLeft);
  const next = open();
  const [head] = (await once(next, 'data')) as [Buffer];
  t.regex(head.toString(), /^HTTP\/1\.1 200 /);
});

test('log stream: a build that is put back, and ends before its first part has been sent, is sent whole', async (t) => {
  const running = createBuild({ status: 'running' });
  const passing = { ...running, status: 'passing' as const };
  let now = running;
  const follow = createLogFollower({
    store: { builds: { find: async () => now } } as never,
    queue: { waitFor: async () => passing, isStopping: () => false } as never,
    logs: {
      async *follow() {
        yield 'Put back';
        if (now === running) now = passing as never;
        else yield 'Passing';
      },
    } as never,
  });
  const app = new Koa();
  app.use((ctx) => follow(ctx, running, { user: undefined, source: '192.0.2.1' }));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
    headers: { Accept: 'text/event-stream' },
  });
  t.deepEqual(
    parseEvents(await answer.text()).map(({ data }) => data),
    ['Put back', 'Passing', 'passing'],
  );
});
