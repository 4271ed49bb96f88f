import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import type { S3Server } from './s3-server.ts';
import { breakOff, refuseOnce, type S3Fault } from './serve-s3.ts';

/** A real S3 server behind a proxy, whose requests can go wrong. */
export interface S3Proxy extends S3Server {
  /** Decides about faults; undefined = none. */
  fault: ((method: string, path: string) => S3Fault | undefined) | undefined;
}

/** Serves a proxy until the test ends. Signatures stay right: what the client calls the host is passed on. */
export async function serveS3Proxy(t: ExecutionContext, s3: S3Server): Promise<S3Proxy> {
  const server = createServer(async (request, response) => {
    const fault = proxy.fault?.(request.method!, new URL(request.url!, 'http://s3').pathname);
    if (fault === 'never') {
      request.resume();
    } else if (typeof fault === 'number') {
      request.resume();
      refuseOnce(response, fault);
    } else if (fault === 'cut') {
      request.resume();
      breakOff(response);
    } else {
      if (fault) await sleep(fault.lateMs);
      pass(s3, request, response);
    }
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const proxy: S3Proxy = {
    ...s3,
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fault: undefined,
  };
  return proxy;
}

/** Passes a request on, and its answer back. */
function pass({ endpoint }: S3Server, request: IncomingMessage, response: ServerResponse): void {
  const { hostname, port } = new URL(endpoint);
  const { method, url, headers } = request;
  const passed = forward({ hostname, port, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(response);
  });
  passed.once('error', () => response.destroy());
  response.once('close', () => passed.destroy());
  request.pipe(passed);
}
