import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { createUpstream, type UpstreamOptions } from '../../../api/upstream/create-upstream.ts';
import { UpstreamError, type UpstreamErrorCode } from '../../../api/upstream/upstream-error.ts';

async function serve(t: ExecutionContext, listener: RequestListener) {
  let connections = 0;
  const server = createServer(listener).on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/a?b=c`, connections: () => connections };
}

function open(t: ExecutionContext, limits: Partial<UpstreamOptions> = {}) {
  const upstream = createUpstream({ timeoutMs: 5000, maxBytes: 1000, ...limits });
  t.teardown(() => upstream.close());
  return upstream;
}

async function fails(t: ExecutionContext, promise: Promise<unknown>, code: UpstreamErrorCode): Promise<void> {
  const error = await t.throwsAsync(promise, { instanceOf: UpstreamError });
  t.is(error?.code, code, error?.message);
  t.false(/b=c/.test(error!.message));
}

test('upstream: get() gives status, headers and body, redirects as they are', async (t) => {
  const { url } = await serve(t, (request, response) => {
    response
      .writeHead(302, { Location: '/b', 'Set-Cookie': ['a', 'b'] })
      .end(`${request.url} ${request.headers['x-a']}`);
  });
  const { status, headers, body } = await open(t).get(url, { headers: { 'X-A': '1' } });
  t.deepEqual([status, headers.get('location'), String(body)], [302, '/b', '/a?b=c 1']);
  t.is(headers.get('set-cookie'), 'a, b');
  t.is(headers.get('__proto__'), undefined);
});

test('upstream: connections are used again', async (t) => {
  const { url, connections } = await serve(t, (_, response) => response.end('x'));
  const upstream = open(t);
  for (let i = 0; i < 20; i++) await upstream.get(url);
  // The client may open a second one while the first is not free yet.
  t.true(connections() <= 2, `${connections()} connections`);
});

test('upstream: bodies are decoded, and what they decode to is limited', async (t) => {
  const codings = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };
  let answer = { coding: '', body: Buffer.alloc(0) };
  const { url } = await serve(t, (_, response) => {
    response.writeHead(200, { 'Content-Encoding': answer.coding }).end(answer.body);
  });
  const upstream = open(t);
  for (const [coding, compress] of Object.entries(codings)) {
    answer = { coding, body: compress('hello') };
    t.is(String((await upstream.get(url)).body), 'hello');
    answer = { coding, body: compress('x'.repeat(100_000)) };
    await fails(t, upstream.get(url), 'too-large');
    answer = { coding, body: Buffer.from('garbage') };
    await fails(t, upstream.get(url), 'unreadable');
  }
  answer = { coding: 'zip', body: Buffer.from('x') };
  await fails(t, upstream.get(url), 'unreadable');
});

test('upstream: bodies that do not end are cut, also without a length', async (t) => {
  const { url } = await serve(t, (_, response) => {
    const timer = setInterval(() => response.write('x'.repeat(300)), 1);
    response.on('close', () => clearInterval(timer));
  });
  await fails(t, open(t).get(url), 'too-large');
});

test('upstream: slow answers end with the time limit, wherever they are slow', async (t) => {
  for (const beginning of [false, true]) {
    const { url } = await serve(t, (_, response) => {
      if (!beginning) return;
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    });
    const startMs = performance.now();
    await fails(t, open(t, { timeoutMs: 300 }).get(url), 'timeout');
    t.true(performance.now() - startMs < 3000);
  }
});

test('upstream: servers that are not there, hang up or speak otherwise are unreachable', async (t) => {
  const upstream = open(t);
  await fails(t, upstream.get('http://127.0.0.1:1/a?b=c'), 'unreachable');
  for (const text of ['', 'garbage', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc']) {
    const { url } = await serve(t, (request) => void request.socket.end(text));
    await fails(t, upstream.get(url), 'unreachable');
  }
});

test('upstream: requests are given up by their signal and by close()', async (t) => {
  const { url } = await serve(t, () => {});
  const upstream = open(t);
  const stop = new AbortController();
  const asked = fails(t, upstream.get(url, { signal: stop.signal }), 'aborted');
  setTimeout(() => stop.abort(), 50);
  await asked;
  const waiting = fails(t, upstream.get(url), 'aborted');
  setTimeout(() => void upstream.close(), 50);
  await waiting;
  await fails(t, upstream.get(url), 'aborted');
});
