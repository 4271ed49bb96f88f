import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';

/** A server that nobody is to call. */
export interface Trap {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly port: number;
  /** Requests that came all the same: method, host and path. */
  readonly caught: readonly string[];
}

/** Sets a trap, on both loopback addresses where the machine has both; it answers everything with 200. */
export async function setTrap(t: ExecutionContext): Promise<Trap> {
  const caught: string[] = [];
  const server = createServer((request, response) => {
    caught.push(`${request.method} ${request.headers.host}${request.url}`);
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, caught };
}
