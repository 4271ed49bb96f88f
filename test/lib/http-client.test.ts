import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { createHttpClient, type HttpClientOptions, HttpError, type HttpErrorCode } from '../../lib/http-client.ts';
import { setTrap } from '../helpers/set-trap.ts';

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

function open(t: ExecutionContext, limits: Partial<HttpClientOptions> = {}) {
  const client = createHttpClient({ timeoutMs: 5000, maxBytes: 1000, ...limits });
  t.teardown(() => client.close());
  return client;
}

async function fails(t: ExecutionContext, promise: Promise<unknown>, code: HttpErrorCode): Promise<void> {
  const error = await t.throwsAsync(promise, { instanceOf: HttpError });
  t.is(error?.code, code, error?.message);
  t.false(/b=c/.test(error!.message));
}

test.serial(
  'HTTP client: send() returns status, headers and body, and redirects where none may be followed',
  async (t) => {
    const { url } = await serve(t, (request, response) => {
      response
        .writeHead(302, { Location: '/b', 'Set-Cookie': ['a', 'b'] })
        .end(`${request.url} ${request.headers['x-a']}`);
    });
    const { status, headers, body } = await open(t).send(url, { headers: { 'X-A': '1' } });
    t.deepEqual([status, headers.get('location'), String(body)], [302, '/b', '/a?b=c 1']);
    t.is(headers.get('set-cookie'), 'a, b');
    t.is(headers.get('__proto__'), undefined);
  },
);

test.serial('HTTP client: connections are used again', async (t) => {
  const { url, connections } = await serve(t, (_, response) => response.end('x'));
  const client = open(t);
  for (let i = 0; i < 20; i++) await client.send(url);
  // The client may open a second one while the first is not free yet.
  t.true(connections() <= 2, `${connections()} connections`);
});

test.serial('HTTP client: bodies are decoded, and what they decode to is limited', async (t) => {
  const codings = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };
  let answer = { coding: '', body: Buffer.alloc(0) };
  const { url } = await serve(t, (_, response) => {
    response.writeHead(200, { 'Content-Encoding': answer.coding }).end(answer.body);
  });
  const client = open(t);
  for (const [coding, compress] of Object.entries(codings)) {
    answer = { coding, body: compress('hello') };
    t.is(String((await client.send(url)).body), 'hello');
    answer = { coding, body: compress('x'.repeat(100_000)) };
    await fails(t, client.send(url), 'too-large');
    answer = { coding, body: Buffer.from('garbage') };
    await fails(t, client.send(url), 'unreadable');
  }
  answer = { coding: 'zip', body: Buffer.from('x') };
  await fails(t, client.send(url), 'unreadable');
});

test.serial(
  'HTTP client: a body that is ignored decides nothing: its length, its coding and whether it ends',
  async (t) => {
    const answers: RequestListener[] = [
      (_, response) => response.end('x'.repeat(200_000)),
      (_, response) => response.writeHead(200, { 'Content-Encoding': 'zip' }).end('x'),
      (_, response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('garbage'),
      (_, response) => {
        const timer = setInterval(() => response.write('x'.repeat(1_000_000)), 1);
        response.on('close', () => clearInterval(timer));
      },
    ];
    for (const answer of answers) {
      let isClosed = Promise.resolve();
      const { url } = await serve(t, (request, response) => {
        isClosed = new Promise((resolve) => response.on('close', () => resolve()));
        answer(request, response);
      });
      const { status, body } = await open(t).send(url, { isBodyIgnored: true });
      t.deepEqual([status, body.length], [200, 0]);
      // Where it does not end, it is given up.
      await isClosed;
    }
    const silent = await serve(t, (_, response) => void response.write('x'));
    t.is((await open(t).send(silent.url, { isBodyIgnored: true })).status, 200);
    const { url, connections } = await serve(t, (_, response) => response.end('x'));
    const client = open(t);
    for (let i = 0; i < 20; i++) await client.send(url, { isBodyIgnored: true });
    t.true(connections() <= 2, `${connections()} connections`);
  },
);

test.serial('HTTP client: bodies that do not end are cut, also without a length', async (t) => {
  const { url } = await serve(t, (_, response) => {
    const timer = setInterval(() => response.write('x'.repeat(300)), 1);
    response.on('close', () => clearInterval(timer));
  });
  await fails(t, open(t).send(url), 'too-large');
});

test.serial('HTTP client: slow answers end with the time limit, wherever they are slow', async (t) => {
  for (const beginning of [false, true]) {
    const { url } = await serve(t, (_, response) => {
      if (!beginning) return;
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    });
    const startMs = performance.now();
    await fails(t, open(t, { timeoutMs: 300 }).send(url), 'timeout');
    t.true(performance.now() - startMs < 60_000);
  }
});

test.serial('HTTP client: servers that are not there, hang up or speak otherwise are unreachable', async (t) => {
  const client = open(t);
  await fails(t, client.send('http://127.0.0.1:1/a?b=c'), 'unreachable');
  for (const text of ['', 'garbage', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc']) {
    const { url } = await serve(t, (request) => void request.socket.end(text));
    await fails(t, client.send(url), 'unreachable');
  }
});

test.serial('HTTP client: requests are given up by their signal and by close()', async (t) => {
  const { url } = await serve(t, () => {});
  const client = open(t);
  const stop = new AbortController();
  const asked = fails(t, client.send(url, { signal: stop.signal }), 'aborted');
  setTimeout(() => stop.abort(), 50);
  await asked;
  const waiting = fails(t, client.send(url), 'aborted');
  setTimeout(() => void client.close(), 50);
  await waiting;
  await fails(t, client.send(url), 'aborted');
});

/** Serves redirects by path, and `method path authorization body` where there is none. */
async function serveRedirects(t: ExecutionContext, redirects: Readonly<Record<string, string>>, status = 302) {
  const { url } = await serve(t, async (request, response) => {
    const location = redirects[request.url!];
    if (location !== undefined) return response.writeHead(status, { Location: location }).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { authorization = '', cookie = '' } = request.headers;
    response.end([request.method, request.url, authorization, cookie, Buffer.concat(chunks)].join(' '));
  });
  return new URL(url).origin;
}

const mayFollow = () => true;

test.serial('HTTP client: redirects that may be followed are, up to three', async (t) => {
  const origin = await serveRedirects(t, { '/1': '/2', '/2': '/3', '/3': '/4', '/0': '/1' });
  const answer = await open(t).send(`${origin}/1`, { mayFollow });
  t.deepEqual([answer.status, answer.url.pathname, String(answer.body)], [200, '/4', 'GET /4   ']);
  await t.throwsAsync(open(t).send(`${origin}/0`, { mayFollow }), { message: /redirects more than 3 times/ });
});

test.serial('HTTP client: the caller decides about each redirect', async (t) => {
  const origin = await serveRedirects(t, { '/a': '/b', '/b': '/c' });
  const seen: string[] = [];
  const error = await t.throwsAsync(
    open(t).send(`${origin}/a`, {
      mayFollow: (to, from) => seen.push(`${from.pathname} ${to.pathname}`) > 0 && to.pathname === '/b',
    }),
    { instanceOf: HttpError },
  );
  t.is(error?.code, 'redirect');
  t.deepEqual(seen, ['/a /b', '/b /c']);
});

test.serial('HTTP client: redirects to other schemes, with credentials or to no URL are never followed', async (t) => {
  const targets = [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'ftp://a.example/',
    'http://u:p@localhost/',
    'http://[',
    '//',
  ];
  for (const target of targets) {
    const origin = await serveRedirects(t, { '/a': target });
    const error = await t.throwsAsync(open(t).send(`${origin}/a`, { mayFollow }), { instanceOf: HttpError }, target);
    t.is(error?.code, 'redirect', target);
    t.notRegex(error!.message, /passwd|u:p/);
  }
});

test.serial('HTTP client: no redirect leads into the network behind it, by whatever name', async (t) => {
  const trap = await setTrap(t);
  const hosts = ['127.0.0.1', '127.1', '0x7f.1', '2130706433', '0177.0.0.1', '0', '[::1]', '[::ffff:127.0.0.1]'];
  for (const host of [...hosts, '169.254.169.254', '10.0.0.1', '[fd00::1]', '127.0.0.1.']) {
    const origin = await serveRedirects(t, { '/a': `http://${host}:${trap.port}/` });
    const url = `${origin.replace('127.0.0.1', 'localhost')}/a`;
    const error = await t.throwsAsync(open(t).send(url, { mayFollow }), { instanceOf: HttpError }, host);
    t.regex(error!.message, /not on the public internet/, host);
  }
  const origin = await serveRedirects(t, { '/a': '/b', '/b': `http://LOCALHOST:${trap.port}/` });
  await t.throwsAsync(open(t).send(`${origin}/a`, { mayFollow }), {
    message: /"localhost", which is not on the public/,
  });
  t.deepEqual(trap.caught, []);
});

test.serial('HTTP client: a guarded client reaches allowed addresses only, by whatever name', async (t) => {
  const trap = await setTrap(t);
  for (const host of ['127.0.0.1', 'localhost', '127.1', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254']) {
    const client = open(t, { isGuarded: true });
    await fails(t, client.send(`http://${host}:${trap.port}/?b=c`, { method: 'POST', body: 'x' }), 'not-allowed');
  }
  t.deepEqual(trap.caught, []);
  const { url } = await serve(t, (_, response) => response.end('x'));
  const client = open(t, { isGuarded: true, isAllowedAddress: (address) => address === '127.0.0.1' });
  t.is(String((await client.send(url)).body), 'x');
});

test.serial(
  'HTTP client: a redirect to another host is followed where its addresses are allowed, without credentials',
  async (t) => {
    const target = await serveRedirects(t, {});
    const origin = await serveRedirects(t, { '/a': `${target.replace('127.0.0.1', 'localhost')}/b`, '/c': '/d' });
    const checked: string[] = [];
    const client = open(t, { isAllowedAddress: (address) => checked.push(address) > 0 });
    const headers = { Authorization: 'Token secret', Cookie: 'a=b', 'X-A': '1' };
    t.is(String((await client.send(`${origin}/a`, { headers, mayFollow })).body), 'GET /b   ');
    t.true(checked.includes('127.0.0.1'));
    t.is(String((await client.send(`${origin}/c`, { headers, mayFollow })).body), 'GET /d Token secret a=b ');
  },
);

test.serial('HTTP client: a request with a body is redirected on its own origin only', async (t) => {
  const target = await serveRedirects(t, {});
  const origin = await serveRedirects(t, { '/a': '/b', '/c': `${target}/d` }, 307);
  const request = { method: 'POST', body: 'text', mayFollow };
  const client = open(t, { isAllowedAddress: () => true });
  t.is(String((await client.send(`${origin}/a`, request)).body), 'POST /b   text');
  const error = await t.throwsAsync(client.send(`${origin}/c`, request), { instanceOf: HttpError });
  t.is(error?.code, 'redirect');
});
