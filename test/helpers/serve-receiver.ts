import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ExecutionContext } from 'ava';

/** A notification as it arrived. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly content: {
    readonly type: string;
    readonly timestamp: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

/** A server that receives notifications. */
export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** How it answers; by default with 204. */
  answer: (response: ServerResponse, received: Received) => void;
  /** Waits until so many have arrived in all, and returns them. */
  waitFor(count: number): Promise<readonly Received[]>;
}

/** Serves a receiver at 127.0.0.1; it stops with the test. */
export async function serveReceiver(t: ExecutionContext): Promise<Receiver> {
  const received: Received[] = [];
  let wakers: (() => void)[] = [];
  const receiver: Receiver & { url: string } = {
    url: '',
    received,
    answer: (response) => void response.writeHead(204).end(),
    async waitFor(count) {
      while (received.length < count) await new Promise<void>((resolve) => wakers.push(resolve));
      return received;
    },
  };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const one = { headers: request.headers, body, content: JSON.parse(body) as Received['content'] };
    received.push(one);
    receiver.answer(response, one);
    const woken = wakers;
    wakers = [];
    for (const wake of woken) wake();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return receiver;
}
