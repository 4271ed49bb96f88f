import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { collectBody, readBody } from '../../../api/http/read-body.ts';
import { defineRoute } from '../../../api/http/route.ts';
import { serveRoute } from '../../helpers/serve-route.ts';

/** Sends a body of 20 bytes where 10 are allowed, the second half once the first has arrived; returns what came first. */
async function sendTooMuch(t: ExecutionContext, ...head: readonly string[]): Promise<readonly string[]> {
  const order: string[] = [];
  const server = createServer((request, response) => {
    request.once('end', () => order.push('end'));
    collectBody(request, 10).catch(({ status }: { status: number }) => {
      order.push(`refused with ${status}`);
      response.writeHead(status).end();
      sendRest();
    });
    // Whoever gets an answer by then sends the rest all the same.
    setImmediate(sendRest);
  });
  const sendRest = (): void => void (socket.writableEnded || socket.end('x'.repeat(10)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`${head.join('\r\n')}\r\nContent-Length: 20\r\n\r\n${'x'.repeat(10)}`);
  socket.resume();
  await once(socket, 'close');
  return order;
}

test.serial('read-body() refuses a body that is too large at once', async (t) => {
  const [first] = await sendTooMuch(t, 'POST / HTTP/1.1', 'Host: x');
  t.is(first, 'refused with 413');
  t.is((await sendTooMuch(t, 'POST / HTTP/1.0', 'Connection: keep-alive'))[0], first);
});

test.serial(
  'read-body() takes a body that is too large to its end where the answer closes the connection',
  async (t) => {
    const order = ['end', 'refused with 413'];
    t.deepEqual(await sendTooMuch(t, 'POST / HTTP/1.1', 'Host: x', 'Connection: close'), order);
    t.deepEqual(await sendTooMuch(t, 'POST / HTTP/1.0'), order);
  },
);

test.serial('read-body() collects a body whole, whatever the pieces are', async (t) => {
  const sent = Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 251));
  const server = createServer(async (request, response) => {
    const body = await collectBody(request, 200_000);
    response.end(String(body.equals(sent)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  for (const size of [1, 7, 16_384, 50_000]) {
    const pieces = async function* (): AsyncGenerator<Buffer> {
      const end = size === 1 ? 300 : sent.length;
      for (let at = 0; at < end; at += size) yield sent.subarray(at, Math.min(end, at + size));
      if (end < sent.length) yield sent.subarray(end);
    };
    const answer = await fetch(`http://127.0.0.1:${port}`, {
      method: 'POST',
      body: pieces() as never,
      duplex: 'half',
    } as RequestInit);
    t.is(await answer.text(), 'true');
  }
});

/** Takes bodies of which the first 150 ms may be slow, and says what came of each. */
async function serveBodies(t: ExecutionContext) {
  const route = defineRoute({
    method: 'post',
    paths: ['/take'],
    summary: 'Takes a body',
    tag: 'service',
    area: 'docs',
    answers: {},
    async handle(ctx) {
      const body = await readBody(ctx, 2_000_000, { graceMs: 150 });
      ctx.body = { bytes: body.length };
    },
  });
  const { port, hostname } = new URL(await serveRoute(t, route));
  /** Sends a body in pieces, with pauses, and returns all that comes back until the connection ends. */
  return async (length: number, pieces: AsyncIterable<string>): Promise<string> => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    t.teardown(() => socket.destroy());
    const answer = text(socket);
    socket.write(`POST /take HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`);
    for await (const piece of pieces) {
      if (socket.destroyed || socket.readableEnded) break;
      socket.write(piece);
    }
    return answer;
  };
}

test.serial(
  'read-body() answers a body that never comes, or in drops, with 408, and closes the connection',
  async (t) => {
    const send = await serveBodies(t);
    for (const drop of ['', 'x']) {
      const drops = async function* (): AsyncGenerator<string> {
        for (let i = 0; i < 10_000; i++) {
          if (drop !== '') yield drop;
          else if (i > 0) return;
          await setTimeout(10);
        }
      };
      const start = performance.now();
      const answer = await send(1_000_000, drops());
      t.regex(answer, /^HTTP\/1\.1 408 .*\r\nConnection: close\r\n/s, drop);
      t.regex(answer, /"success":false,"message":"The body arrived too slowly"/, drop);
      t.true(performance.now() - start >= 150, drop);
    }
  },
);

test.serial('read-body() gives a body a second more for each 100 KB that have arrived', async (t) => {
  const send = await serveBodies(t);
  const pieces = async function* (): AsyncGenerator<string> {
    yield 'x'.repeat(1_500_000);
    await setTimeout(400);
    yield 'y';
  };
  t.regex(await send(1_500_001, pieces()), /^HTTP\/1\.1 200 .*"bytes":1500001/s);
});
