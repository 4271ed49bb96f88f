import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import type { S3Server } from './s3-server.ts';

/** How a request goes wrong: answered with a status, never, cut in the middle of the answer, or late (ms). */
export type S3ProxyFault = 500 | 503 | 'never' | 'cut' | { readonly lateMs: number };

/** A real S3 server behind a proxy, whose requests can go wrong. */
export interface S3Proxy extends S3Server {
  /** Decides about faults; undefined = none. */
  fault: ((method: string, path: string) => S3ProxyFault | undefined) | undefined;
  /** Cuts the requests that will never be answered. */
  restore(): void;
}

const CODES = { 500: 'InternalError', 503: 'SlowDown' } as const;

/** Serves a proxy until the test ends. Signatures stay right: what the client calls the host is passed on. */
export async function serveS3Proxy(t: ExecutionContext, s3: S3Server): Promise<S3Proxy> {
  const silent = new Set<ServerResponse>();
  const server = createServer(async (request, response) => {
    const fault = proxy.fault?.(request.method!, new URL(request.url!, 'http://s3').pathname);
    if (fault === 'never') {
      silent.add(response.on('close', () => silent.delete(response)));
      request.resume();
    } else if (fault === 500 || fault === 503) {
      request.resume();
      response.writeHead(fault).end(`<Error><Code>${CODES[fault]}</Code></Error>`);
    } else {
      if (typeof fault === 'object') await sleep(fault.lateMs);
      pass(s3, { request, response, isCut: fault === 'cut' });
    }
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const restore = (): void => {
    for (const response of silent) response.destroy();
  };
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const proxy: S3Proxy = {
    ...s3,
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ fault: undefined, restore },
  };
  return proxy;
}

/** Passes a request on, and its answer back, or the half of it. */
function pass(
  { endpoint }: S3Server,
  {
    request,
    response,
    isCut,
  }: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly isCut: boolean },
): void {
  const { hostname, port } = new URL(endpoint);
  const { method, url, headers } = request;
  const passed = forward({ hostname, port, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode!, answer.headers);
    if (isCut) {
      response.flushHeaders();
      setImmediate(() => response.destroy());
      answer.resume();
    } else answer.pipe(response);
  });
  passed.once('error', () => response.destroy());
  response.once('close', () => passed.destroy());
  request.pipe(passed);
}
