import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import type { S3Server } from './s3-server.ts';
import { breakOff, type PassedFault, refuseOnce, type S3Fault, sendHalf } from './serve-s3.ts';

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
      if (typeof fault === 'object') await sleep(fault.lateMs);
      pass(s3, request, response, typeof fault === 'string' ? fault : undefined);
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
function pass(
  { endpoint }: S3Server,
  request: IncomingMessage,
  response: ServerResponse,
  fault: PassedFault | undefined,
): void {
  const { hostname, port } = new URL(endpoint);
  const { method, url, headers } = request;
  const passed = forward({ hostname, port, method, path: url, headers }, async (answer) => {
    if (fault === 'middle' || fault === 'half') {
      const bytes = await buffer(answer).catch(() => undefined);
      if (!bytes) return void response.destroy();
      return sendHalf(response, { status: answer.statusCode!, headers: answer.headers, bytes, fault });
    }
    response.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(response);
  });
  passed.once('error', () => response.destroy());
  response.once('close', () => passed.destroy());
  if (fault === 'half-sent') {
    // What is sent in one piece is cut anyway: the server waits for the rest.
    request.once('data', (bytes: Buffer) => {
      passed.write(bytes.subarray(0, bytes.length >> 1));
      setImmediate(() => {
        passed.destroy();
        response.destroy();
      });
    });
    request.once('end', () => response.destroy());
    return;
  }
  request.pipe(passed);
}
