import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { ExecutionContext } from 'ava';
import type { Cluster } from './postgres-cluster.ts';

/** A proxy in front of a cluster, whose connections can go wrong. */
export interface PostgresProxy {
  /** Returns the URL of a database through the proxy. */
  url(database: string): string;
  /** Cuts all connections. */
  cut(): void;
  /** Lets all present connections hang: nothing arrives, in either direction, and neither side is told, until the server gives them up. */
  freeze(): void;
  /** Cuts all connections; new ones are accepted, but nothing is heard of the server. */
  swallow(): void;
  /** Ends what `swallow` began. */
  restore(): void;
  /** Lets everything that the server sends arrive so much later, ms, also on new connections; 0 = no longer. */
  delay(ms: number): void;
  /** Lets half of what the server sends next on each present connection arrive, and then cuts it, or lets it hang. */
  breakOff(then: 'cut' | 'hang'): void;
  /** How many connections `breakOff` has ended. */
  readonly brokenOff: number;
  /** How many connections have been led to the server. */
  readonly accepted: number;
  /** How many connections were accepted and nothing was heard on. */
  readonly swallowed: number;
  /** Cuts a connection when a client has sent this text: after it has arrived (and what it does is done), or instead. */
  cutAt(text: string, when: 'before' | 'after'): void;
  /** How many connections were cut by `cutAt`. */
  readonly cuts: number;
}

/** A server gives up a client of which it hears nothing after this time, ms, as docbuild asks it to; here it sees a socket of the machine. */
const UNHEARD_MS = 25_000;

/** Serves a proxy for the time of a test. */
export async function servePostgresProxy(t: ExecutionContext, cluster: Cluster): Promise<PostgresProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let trap: { readonly text: string; readonly when: 'before' | 'after' } | undefined;
  let cuts = 0;
  let isSwallowing = false;
  let swallowed = 0;
  let accepted = 0;
  let lateMs = 0;
  let brokenOff = 0;
  const breaking = new Map<Socket, 'cut' | 'hang'>();
  const silent = new Set<Socket>();
  const server = createServer((client) => {
    if (isSwallowing) {
      swallowed++;
      silent.add(
        client
          .on('error', () => {})
          .on('close', () => silent.delete(client))
          .resume(),
      );
      return;
    }
    accepted++;
    const upstream = connect(`${cluster.folder}/.s.PGSQL.5432`);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    const end = (): void => {
      for (const socket of pair) socket.destroy();
      pairs.delete(pair);
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    let isCutting = false;
    const queue: { readonly bytes: Buffer; readonly dueMs: number; readonly onSent?: () => unknown }[] = [];
    /** Sends what is due. Nothing overtakes what was sent before, also when a delay ends: no network lets it. */
    const sendDue = (): void => {
      for (let [next] = queue; next; [next] = queue) {
        const leftMs = next.dueMs - performance.now();
        if (leftMs > 0) return void setTimeout(sendDue, leftMs);
        queue.shift();
        if (client.writable) client.write(next.bytes, next.onSent);
      }
    };
    const send = (bytes: Buffer, onSent?: () => unknown): void => {
      queue.push({ bytes, dueMs: performance.now() + lateMs, ...(onSent && { onSent }) });
      if (queue.length === 1) sendDue();
    };
    client.on('data', (bytes) => {
      const isHit = trap !== undefined && bytes.includes(trap.text);
      if (isHit && trap!.when === 'before') {
        trap = undefined;
        cuts++;
        return end();
      }
      if (isHit) {
        isCutting = true;
        trap = undefined;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes: Buffer) => {
      const then = breaking.get(upstream);
      if (then) {
        breaking.delete(upstream);
        brokenOff++;
        send(bytes.subarray(0, bytes.length >> 1), () => then === 'cut' && end());
        // What follows is swallowed; that either side ends is still noticed, so that no connection is left at the server.
        for (const socket of pair) socket.removeAllListeners('data').resume();
        return;
      }
      if (!isCutting) return send(bytes);
      // The server has answered.
      cuts++;
      end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cut = (): void => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  t.teardown(() => {
    server.close();
    cut();
    for (const socket of silent) socket.destroy();
  });
  return {
    url: (database) => `postgres://docbuild:Pa55word@127.0.0.1:${port}/${database}`,
    cut,
    freeze() {
      for (const pair of pairs) {
        for (const socket of pair) socket.removeAllListeners('data').removeAllListeners('close').pause();
        setTimeout(() => {
          for (const socket of pair) socket.destroy();
          pairs.delete(pair);
        }, UNHEARD_MS).unref();
      }
    },
    delay(ms) {
      lateMs = ms;
    },
    breakOff(then) {
      for (const [, upstream] of pairs) breaking.set(upstream, then);
    },
    get brokenOff() {
      return brokenOff;
    },
    swallow() {
      isSwallowing = true;
      cut();
    },
    restore() {
      isSwallowing = false;
      for (const socket of silent) socket.destroy();
    },
    get accepted() {
      return accepted;
    },
    get swallowed() {
      return swallowed;
    },
    cutAt(text, when) {
      trap = { text, when };
    },
    get cuts() {
      return cuts;
    },
  };
}
