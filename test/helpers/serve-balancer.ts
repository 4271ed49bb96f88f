import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';

/** Shares requests out among those nodes that say they are ready. */
export interface Balancer {
  readonly origin: string;
  /** Adds a node, which gets requests as soon as it is ready. */
  add(origin: string): void;
  /** Forgets a node. */
  remove(origin: string): void;
  /** How many nodes are ready. */
  readonly ready: number;
}

/** How often nodes are asked, what an answer may take, and how many in a row must fail, as in `deploy/kubernetes`: a busy node is no dead one. */
const EVERY_MS = 200;
const PROBE_MS = 1_000;
const FAILED = 2;

/** Serves a balancer until the test ends. It sends no request twice, so that callers see what goes wrong. */
export async function serveBalancer(t: ExecutionContext): Promise<Balancer> {
  const nodes = new Map<string, boolean>();
  const agent = new Agent({ keepAlive: true });
  let next = 0;
  const server = createServer((incoming, outgoing) => {
    const ready = [...nodes].filter(([, isReady]) => isReady).map(([origin]) => origin);
    const origin = ready[next++ % ready.length];
    if (origin === undefined) return void outgoing.writeHead(502).end('no node is ready');
    const { method, headers, url } = incoming;
    const passed = request(`${origin}${url}`, { method, headers, agent }, (answer) => {
      const { connection: _, ...kept } = answer.headers;
      outgoing.writeHead(answer.statusCode!, kept);
      answer.pipe(outgoing);
      answer.once('error', () => outgoing.destroy());
    });
    passed.once('error', (error) => {
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502).end(error.message);
    });
    incoming.pipe(passed);
  });
  const isReady = async (origin: string): Promise<boolean> => {
    const asked = get(`${origin}/readyz`, { timeout: PROBE_MS, agent: false });
    asked.once('timeout', () => asked.destroy());
    try {
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      answer.resume();
      return answer.statusCode === 200;
    } catch {
      return false;
    }
  };
  /** Asks a node, one question after the other, until it is removed. */
  const watch = async (origin: string): Promise<void> => {
    for (let failed = 0; nodes.has(origin) && server.listening; await sleep(EVERY_MS)) {
      failed = (await isReady(origin)) ? 0 : failed + 1;
      if (nodes.has(origin) && (failed === 0 || failed >= FAILED)) nodes.set(origin, failed === 0);
    }
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
    agent.destroy();
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add(origin) {
      nodes.set(origin, false);
      void watch(origin);
    },
    remove: (origin) => void nodes.delete(origin),
    get ready() {
      return [...nodes.values()].filter(Boolean).length;
    },
  };
}
