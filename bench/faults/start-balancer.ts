import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { hasProgram, runNginx } from '../peers/nginx.ts';

/** Shares requests out among web nodes. */
export interface Balancer {
  readonly origin: string;
  /** For the report. */
  readonly name: string;
}

/** Starts nginx in front of web nodes at these ports, or a simple proxy where there is no nginx; it ends with the test. */
export async function startBalancer(
  t: ExecutionContext,
  { folder, ports }: { readonly folder: string; readonly ports: readonly number[] },
): Promise<Balancer> {
  if (!hasProgram('nginx')) return { origin: await serveInTurn(t, ports), name: 'a round-robin proxy (no nginx here)' };
  const servers = ports.map((port) => `server 127.0.0.1:${port} max_fails=1 fail_timeout=2s;`).join(' ');
  const nginx = await runNginx(
    join(folder, 'nginx'),
    (port) => `upstream nodes { ${servers} }
  server {
    listen 127.0.0.1:${port};
    proxy_set_header Host $host:$server_port;
    proxy_connect_timeout 1s;
    proxy_read_timeout 10s;
    location / { proxy_pass http://nodes; }
    # What is counted is not sent to another node again when the first one dies before its answer.
    location /api/ { proxy_pass http://nodes; proxy_next_upstream off; }
  }`,
  );
  t.teardown(() => nginx.stop());
  return { origin: nginx.url, name: 'nginx' };
}

/** Connections lead to one node after the other; one that refuses is passed over. */
async function serveInTurn(t: ExecutionContext, ports: readonly number[]): Promise<string> {
  let next = 0;
  const open = new Set<Socket>();
  const join = (client: Socket, triesLeft: number): void => {
    if (triesLeft === 0) return void client.destroy();
    const upstream = connect(ports[next++ % ports.length]!, '127.0.0.1');
    upstream.once('error', () => (upstream.bytesWritten === 0 ? join(client, triesLeft - 1) : client.destroy()));
    upstream.once('connect', () => {
      upstream.on('close', () => client.destroy());
      client.on('close', () => upstream.destroy());
      client.pipe(upstream).pipe(client);
    });
  };
  const server = createServer((client) => {
    open.add(client.on('error', () => {}).on('close', () => open.delete(client)));
    join(client, ports.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    for (const client of open) client.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
