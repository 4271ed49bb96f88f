import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, createServer as createNetServer } from 'node:net';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { createRepository } from '../../helpers/create-repository.ts';
import { createServer, type TestServer } from '../../helpers/create-server.ts';
import { sendRaw } from '../../helpers/send-raw.ts';
import { commitFiles } from '../../helpers/write-pages.ts';

const sign = createHash('md5').update('hush and not a word').digest('hex');

/** A server with a project that has branches `main` and `dev`; nothing is built. */
async function createPlace(t: ExecutionContext): Promise<TestServer> {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  repository.git('branch', 'dev');
  const server = await createServer(t);
  await server.operations.createProject({
    name: 'guide',
    settings: { url: repository.folder, secret: 'hush and not a word' },
  });
  return server;
}

async function askBuild(server: TestServer, body: string | FormData | URLSearchParams, type?: string) {
  const answer = await fetch(`${server.origin}/docbuild/build/guide`, {
    method: 'POST',
    body,
    headers: { 'X-Docbuild-Sign': sign, connection: 'close', ...(type !== undefined && { 'Content-Type': type }) },
  });
  const { success, branch, message } = (await answer.json()) as { success: boolean; branch?: string; message: string };
  return { status: answer.status, success, branch, message };
}

test.serial('requests that come while the server begins are answered', async (t) => {
  const probe = createNetServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const ask = async (): Promise<number> => {
    for (;;) {
      try {
        return (await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(20_000) })).status;
      } catch (error) {
        const { code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
        if (code !== 'ECONNREFUSED') throw error;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  };
  const [status] = await Promise.all([ask(), createServer(t, `api: {port: ${port}}\n`)]);
  t.is(status, 200);
});

test.serial('POST build reads the branch from a form of either encoding and from JSON', async (t) => {
  const server = await createPlace(t);
  const form = new FormData();
  form.set('branch', 'dev');
  t.like(await askBuild(server, form), { status: 201, branch: 'dev' });
  t.like(await askBuild(server, new URLSearchParams({ branch: 'dev' })), { status: 201, branch: 'dev' });
  t.like(await askBuild(server, '{"branch":"dev"}', 'application/json; charset=utf-8'), { status: 201, branch: 'dev' });
});

test.serial('POST build refuses bodies that it cannot read instead of building another branch', async (t) => {
  const server = await createPlace(t);
  const cases: readonly (readonly [body: string, type: string, status: number])[] = [
    ['{bad', 'application/json', 400],
    ['"dev"', 'application/json', 400],
    ['["dev"]', 'application/json', 400],
    ['{"branch":5}', 'application/json', 400],
    ['branch=dev&branch=main', 'application/x-www-form-urlencoded', 400],
    ['branch=a%0d%0ab', 'application/x-www-form-urlencoded', 400],
    ['branch=dev', 'text/plain', 415],
    ['branch=dev', ';;;', 415],
    ['no parts', 'multipart/form-data; boundary=x', 400],
    [`branch=${'x'.repeat(300)}`, 'application/x-www-form-urlencoded', 400],
    [`branch=${'x'.repeat(200_000)}`, 'application/x-www-form-urlencoded', 413],
  ];
  for (const [body, type, status] of cases) {
    t.like(await askBuild(server, body, type), { status, success: false }, `${type} ${body.slice(0, 40)}`);
  }
  t.is((await askBuild(server, '')).status, 201);
});

/** Headers of a webhook that says it is signed: without them its body is not received. */
const claimed = { 'X-GitHub-Event': 'push', 'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}` };

test.serial('bodies in a content coding are refused with 415', async (t) => {
  const server = await createPlace(t);
  for (const path of ['/docbuild/build/guide', '/docbuild/webhook/guide']) {
    const answer = await fetch(server.origin + path, {
      method: 'POST',
      body: new Uint8Array(gzipSync('{}')),
      headers: {
        'X-Docbuild-Sign': sign,
        'Content-Type': 'application/json',
        'Content-Encoding': 'gzip',
        ...claimed,
        connection: 'close',
      },
    });
    t.is(answer.status, 415, path);
    t.like(await answer.json(), { success: false });
  }
});

test.serial('senders of too large a body get to know', async (t) => {
  const server = await createPlace(t);
  for (let round = 0; round < 5; round++) {
    for (const path of ['/docbuild/build/guide', '/docbuild/webhook/guide']) {
      for (const isStreamed of [false, true]) t.is(await sendLargeBody(server.origin + path, isStreamed), 413, path);
    }
  }
});

/** Sends 30 MB, all of which go off before the answer is read, and returns the answer's status. */
async function sendLargeBody(url: string, isStreamed: boolean): Promise<number> {
  const length = isStreamed ? {} : { 'Content-Length': 30_000_000 };
  const headers = { 'X-Docbuild-Sign': sign, ...claimed, Connection: 'close', ...length };
  const sent = request(url, { method: 'POST', headers });
  Readable.from(Array.from({ length: 30 }, () => Buffer.alloc(1_000_000))).pipe(sent);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  // What the server does not take any more is no failure.
  sent.on('error', () => {});
  answer.resume();
  return answer.statusCode!;
}

test.serial('a sender who leaves in the middle of a body costs nothing', async (t) => {
  const server = await createPlace(t);
  const { hostname, port } = new URL(server.origin);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const request =
    'POST /docbuild/webhook/guide HTTP/1.1\r\nHost: x\r\nX-GitHub-Event: push\r\nContent-Length: 99\r\n\r\nabc';
  await new Promise<void>((resolve) => socket.write(request, () => resolve()));
  socket.destroy();
  while (!server.logged().some((line) => line.includes('"path":"/docbuild/webhook/guide"')))
    await new Promise((resolve) => setTimeout(resolve, 10));
  t.deepEqual(
    server.logged().filter((line) => line.includes('"msg":"failed"')),
    [],
  );
});

test.serial('wrong methods are answered as JSON, with those that are right', async (t) => {
  const server = await createPlace(t);
  for (const [method, path, allow] of [
    ['PUT', '/docbuild/desc/guide', 'HEAD, GET, OPTIONS'],
    ['GET', '/docbuild/guide/build', 'POST'],
    ['DELETE', '/docbuild/webhook/guide', 'POST'],
  ]) {
    const answer = await fetch(server.origin + path, { method: method!, headers: { connection: 'close' } });
    t.deepEqual([answer.status, answer.headers.get('allow')], [405, allow!]);
    t.like(await answer.json(), { success: false });
  }
});

test.serial('the badge is a picture, whatever is asked for', async (t) => {
  const server = await createPlace(t);
  const queries = ['style=flat&style=x', 'branch=a&branch=b', `label=${'x'.repeat(9_000)}`, 'label=%00%01%1b', 'x=%zz'];
  for (const query of queries) {
    const answer = await server.get(`/docbuild/badge/guide?${query}`);
    t.is(answer.status, 200, query.slice(0, 30));
    t.is(answer.headers.get('content-type'), 'image/svg+xml');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what XML forbids
    t.notRegex(await answer.text(), /[\x00-\x08\x0b\x0c\x0e-\x1f]/);
  }
});

test.serial('the badge runs nothing where it is opened by itself', async (t) => {
  const server = await createPlace(t);
  const { headers } = await server.get('/docbuild/badge/guide');
  t.is(headers.get('content-security-policy'), "default-src 'none'; style-src 'unsafe-inline'");
  t.is(headers.get('x-content-type-options'), 'nosniff');
});

test.serial('the badge of "latest" is that of the ref it stands for', async (t) => {
  const server = await createPlace(t);
  const { id } = await server.operations.build({ name: 'guide', all: true });
  await server.operations.waitForBuild({ id });
  t.regex(await (await server.get('/docbuild/badge/guide?branch=latest')).text(), /docs: passing/);
});

test.serial('pages for people load nothing from elsewhere and run no foreign script', async (t) => {
  const server = await createPlace(t);
  const { id } = await server.operations.build({ name: 'guide', all: true });
  await server.operations.waitForBuild({ id });
  for (const path of ['/docbuild/projects/guide', `/docbuild/builds/${id}`, '/docbuild/api']) {
    const answer = await server.get(path, { Accept: 'text/html' });
    t.is(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    t.regex(answer.headers.get('content-security-policy') ?? '', /^default-src 'none'; .*frame-ancestors 'none'/, path);
    t.is(answer.headers.get('x-content-type-options'), 'nosniff');
    for (const [, link] of (await answer.text()).matchAll(/ href="(\/[^"]*)"/g)) {
      const linked = await server.get(link!);
      t.not(linked.status, 404, `${path} links to ${link}`);
      // A body that nobody reads when the server goes trips the client of newer Node.js.
      await linked.arrayBuffer();
    }
  }
  const log = await server.get(`/docbuild/builds/${id}/log`);
  t.is(log.headers.get('x-content-type-options'), 'nosniff');
  await log.arrayBuffer();
});

test.serial('a repository on this machine is no business of readers', async (t) => {
  const server = await createPlace(t);
  const { url } = await server.operations.getProject({ name: 'guide' });
  rmSync(url, { recursive: true });
  const { id } = await server.operations.build({ name: 'guide' });
  t.regex((await server.operations.waitForBuild({ id })).reason, /the folder does not exist/);
  for (const path of ['projects/guide', `builds/${id}`, `builds/${id}/log`, 'desc/guide']) {
    t.notRegex(await (await server.get(`/docbuild/${path}`)).text(), new RegExp(url), path);
  }
});

test.serial('a site is found whatever case its project is written in', async (t) => {
  const server = await createPlace(t);
  const { id } = await server.operations.build({ name: 'guide', all: true });
  await server.operations.waitForBuild({ id });
  t.is((await server.get('/docs/Guide/en/main/')).status, 200);
  t.is((await server.get('/docs/GUIDE')).headers.get('location'), '/docs/GUIDE/');
});

test.serial('what callers send in broken chunks is answered with 400, and is no error in the log', async (t) => {
  const server = await createServer(t);
  const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
  t.teardown(() => socket.destroy());
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  const ended = once(socket, 'close');
  socket.write('POST /api/user/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n');
  socket.write('Transfer-Encoding: chunked\r\n\r\nzz\r\n');
  await ended;
  t.regex(answer, /^HTTP\/1\.1 400 /);
  t.deepEqual(
    server.logged().filter((line) => (JSON.parse(line) as { level: number }).level >= 50),
    [],
  );
});

test.serial('a project may be named like the folder of the pages about projects', async (t) => {
  const server = await createPlace(t);
  const { url } = await server.operations.getProject({ name: 'guide' });
  await server.operations.createProject({ name: 'projects', settings: { url } });
  t.is((await server.get('/docbuild/projects/desc')).status, 200);
  t.is((await server.get('/docbuild/projects/badge')).headers.get('content-type'), 'image/svg+xml');
  t.is((await server.post('/docbuild/projects/build?branch=dev')).status, 201);
  t.is((await server.get('/docbuild/projects/projects')).headers.get('content-type'), 'text/html; charset=utf-8');
  const unknown = await server.get('/docbuild/projects/nope');
  t.like(await unknown.json(), { success: false, message: 'Project "nope" does not exist' });
});

test.serial('a badge of a branch that no repository can have is unknown', async (t) => {
  const server = await createPlace(t);
  const { id } = await server.operations.build({ name: 'guide', ref: 'main' });
  t.is((await server.operations.waitForBuild({ id })).status, 'passing');
  const ask = async (query: string) => (await server.get(`/docbuild/badge/guide?${query}`)).text();
  t.regex(await ask('branch=main'), /docs: passing/);
  t.regex(await ask(`branch=${'x'.repeat(300)}`), /docs: unknown/);
  t.regex(await ask(`branch=${'x'.repeat(9_000)}`), /docs: unknown/);
});

test.serial('a missing Host header, two of them, or one that names no host, get 400', async (t) => {
  const server = await createServer(t);
  for (const headers of [
    ['Host: a.test', 'Host: b.test'],
    ['Host: a.test', 'host: a.test'],
    ['Host: a.test/x'],
    ['Host: a b'],
    ['Host: user@a.test'],
    ['Host: a.test,b.test'],
    [],
    ['Host:'],
    ['Host: a..b'],
    ['Host: .a'],
    ['Host: .'],
    ['Host: a.test:99999'],
    ['Host: a.test:65536'],
  ]) {
    for (const path of ['/healthz', '/docs/guide/', '/docbuild/desc/guide']) {
      const { status, text } = await sendRaw(server.origin, `GET ${path} HTTP/1.1`, ...headers);
      t.is(status, 400, `${path} ${headers.join(', ')}`);
      t.regex(text, /\r\n\r\n\{"success":false,"message":"The request must have one valid Host header"\}$/);
    }
  }
  t.is((await sendRaw(server.origin, 'GET /healthz HTTP/1.1', 'Host: A.Test.:80')).status, 200);
  t.is((await sendRaw(server.origin, 'GET /healthz HTTP/1.1', 'Host: a.test:')).status, 200, 'a port may be empty');
  t.is((await sendRaw(server.origin, 'GET /healthz HTTP/1.0')).status, 200, 'HTTP/1.0 has no Host');
});

test.serial('requests that cannot be read get an answer in the shape of all others', async (t) => {
  const server = await createServer(t);
  const cases = [
    [`GET /${'x'.repeat(20_000)} HTTP/1.1`, 431, /may have 16 KB/],
    [`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}`, 431, /may have 16 KB/],
    ['GET / HTTP/1.1\r\nno colon', 400, /not valid HTTP/],
  ] as const;
  for (const [lines, status, message] of cases) {
    const answer = await sendRaw(server.origin, lines);
    t.is(answer.status, status);
    const [head, body] = answer.text.split('\r\n\r\n');
    t.regex(head!, /^content-type: application\/json; charset=utf-8$/im);
    const { success, message: told } = JSON.parse(body!) as { success: boolean; message: string };
    t.false(success);
    t.regex(told, message);
  }
  t.is((await server.get('/healthz')).status, 200);
});
