import { get } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createServer, type TestServer } from '../../helpers/create-server.ts';
import test from '../../helpers/serial-test.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const STREAM = { Accept: 'text/event-stream' };

/** A server with a build that has begun and whose hook is this command. */
async function createRunning(t: ExecutionContext, before: string) {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  const server = await createServer(t);
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

test('log stream: readers who leave make room for others', async (t) => {
  const { server, path } = await createRunning(t, 'sleep 60');
  const open = () =>
    new Promise<{ status: number; leave: () => void }>((resolve, reject) => {
      const request = get(server.origin + path, { headers: STREAM, agent: false }, (response) => {
        response.on('error', () => {}).resume();
        resolve({ status: response.statusCode!, leave: () => request.destroy() });
      }).on('error', reject);
    });
  const readers = await Promise.all(Array.from({ length: 200 }, open));
  t.true(readers.every(({ status }) => status === 200));
  const refused = await open();
  t.is(refused.status, 503);
  for (const { leave } of readers) leave();
  let status = 503;
  while (status === 503) {
    await setTimeout(20);
    ({ status } = await open());
  }
  t.is(status, 200);
});

test('log stream: it breaks off, without an end, when the server stops, and nothing else begins', async (t) => {
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
