import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { ExecutionContext } from 'ava';
import { collectBody } from '../../../api/http/read-body.ts';
import test from '../../helpers/serial-test.ts';

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

test('read-body() refuses a body that is too large at once', async (t) => {
  const [first] = await sendTooMuch(t, 'POST / HTTP/1.1', 'Host: x');
  t.is(first, 'refused with 413');
  t.is((await sendTooMuch(t, 'POST / HTTP/1.0', 'Connection: keep-alive'))[0], first);
});

test('read-body() takes a body that is too large to its end where the answer closes the connection', async (t) => {
  const order = ['end', 'refused with 413'];
  t.deepEqual(await sendTooMuch(t, 'POST / HTTP/1.1', 'Host: x', 'Connection: close'), order);
  t.deepEqual(await sendTooMuch(t, 'POST / HTTP/1.0'), order);
});

test('read-body() collects a body whole, whatever the pieces are', async (t) => {
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
