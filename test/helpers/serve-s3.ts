import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';

/**
 * How a request goes wrong: answered with a status, never, late (ms), cut after the first byte of something else, cut in the middle of
 * the right answer, answered with its first half as if that were all of it, or cut in the middle of what is sent.
 */
export type S3Fault = number | 'never' | 'cut' | 'middle' | 'half' | 'half-sent' | { readonly lateMs: number };

/** Those that are about the right answer, or about the whole request; what passes requests on has them. */
export type PassedFault = Extract<S3Fault, 'middle' | 'half' | 'half-sent'>;

/** A server that speaks as much of S3 as docbuild uses, in memory. It checks hashes, but no signatures. */
export interface FakeS3 {
  readonly url: string;
  /** Buckets with their objects by key. */
  readonly buckets: Map<string, Map<string, Buffer>>;
  /** Method and path of each request, without its query. */
  readonly requests: string[];
  /** Decides about faults; undefined = none. */
  fault: ((method: string, path: string) => S3Fault | undefined) | undefined;
  /** Called before a request is answered. */
  before: ((method: string, path: string) => Promise<void>) | undefined;
  /** Keys in an answer to a listing. */
  pageSize: number;
}

/** Serves S3 until the test ends. */
export async function serveS3(t: ExecutionContext): Promise<FakeS3> {
  const s3: FakeS3 & { url: string } = {
    url: '',
    buckets: new Map(),
    requests: [],
    fault: undefined,
    before: undefined,
    pageSize: 1000,
  };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url!, 'http://s3');
    const method = request.method!;
    const body = await buffer(request).catch(() => undefined);
    if (!body) return;
    s3.requests.push(`${method} ${url.pathname}`);
    await s3.before?.(method, url.pathname);
    const fault = s3.fault?.(method, url.pathname);
    if (fault === 'never') return;
    if (fault === 'cut') return breakOff(response);
    if (typeof fault === 'number') return refuseOnce(response, fault);
    if (fault === 'half-sent') return response.destroy();
    if (typeof fault === 'object') await sleep(fault.lateMs);
    else if (fault) spoil(response, fault);
    answer(s3, request, response, { url, body });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  s3.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return s3;
}

function answer(
  s3: FakeS3,
  request: IncomingMessage,
  response: ServerResponse,
  { url, body }: { readonly url: URL; readonly body: Buffer },
): unknown {
  const [, bucket = '', ...rest] = url.pathname.split('/');
  const key = rest.join('/');
  const { method, headers } = request;
  if (!headers.authorization?.startsWith('AWS4-HMAC-SHA256 ')) return refuse(response, 403, 'AccessDenied');
  if (headers['x-amz-content-sha256'] !== createHash('sha256').update(body).digest('hex')) {
    return refuse(response, 400, 'XAmzContentSHA256Mismatch');
  }
  const objects = s3.buckets.get(bucket);
  if (key === '' && method === 'PUT') {
    if (objects) return refuse(response, 409, 'BucketAlreadyOwnedByYou');
    s3.buckets.set(bucket, new Map());
    response.end();
  } else if (!objects) refuse(response, 404, 'NoSuchBucket');
  else if (key === '' && method === 'HEAD') response.end();
  else if (key === '') list(s3, response, objects, url.searchParams);
  else if (method === 'PUT') {
    objects.set(key, body);
    response.end();
  } else if (method === 'DELETE') {
    objects.delete(key);
    response.writeHead(204).end();
  } else {
    const object = objects.get(key);
    if (!object) return refuse(response, 404, 'NoSuchKey');
    response.writeHead(200, { 'Content-Length': String(object.length) });
    response.end(method === 'HEAD' ? undefined : object);
  }
}

function list(
  s3: FakeS3,
  response: ServerResponse,
  objects: ReadonlyMap<string, Buffer>,
  query: URLSearchParams,
): void {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter');
  const after = query.get('continuation-token') ?? '';
  const names = [...objects.keys()]
    .filter((key) => key.startsWith(prefix))
    .map((key) => {
      const end = delimiter === null ? -1 : key.indexOf(delimiter, prefix.length);
      return end === -1 ? key : key.slice(0, end + 1);
    });
  const left = [...new Set(names)].sort().filter((name) => name > after);
  const page = left.slice(0, s3.pageSize);
  const rows = page.map((name) =>
    delimiter !== null && name.endsWith(delimiter)
      ? `<CommonPrefixes><Prefix>${name}</Prefix></CommonPrefixes>`
      : `<Contents><Key>${name}</Key></Contents>`,
  );
  const next = left.length > page.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  response.end(
    `<ListBucketResult><IsTruncated>${left.length > page.length}</IsTruncated>${rows.join('')}${next}</ListBucketResult>`,
  );
}

/** Answers with a status as a server in trouble does. */
export function refuseOnce(response: ServerResponse, status: number): void {
  refuse(response, status, status === 503 ? 'SlowDown' : 'InternalError');
}

/** Lets an answer that is written in one piece arrive in part. */
function spoil(response: ServerResponse, fault: Exclude<PassedFault, 'half-sent'>): void {
  const writeHead = response.writeHead.bind(response);
  const end = response.end.bind(response) as (body?: unknown) => ServerResponse;
  let head: Parameters<typeof writeHead> | undefined;
  response.writeHead = ((...args: Parameters<typeof writeHead>) => {
    head = args;
    return response;
  }) as typeof response.writeHead;
  response.end = ((body?: string | Buffer) => {
    const bytes = Buffer.from(body ?? '');
    sendHalf(response, { status: (head?.[0] as number) ?? 200, headers: {}, bytes, fault, writeHead, end });
    return response;
  }) as typeof response.end;
}

/** Sends the first half of a body: as all of it, or as what came before the connection broke. */
export function sendHalf(
  response: ServerResponse,
  answer: {
    readonly status: number;
    readonly headers: IncomingMessage['headers'];
    readonly bytes: Buffer;
    readonly fault: Exclude<PassedFault, 'half-sent'>;
    readonly writeHead?: ServerResponse['writeHead'];
    readonly end?: (body?: unknown) => ServerResponse;
  },
): void {
  const { status, headers, bytes, fault } = answer;
  const { writeHead = response.writeHead.bind(response), end = response.end.bind(response) } = answer;
  const half = bytes.subarray(0, bytes.length >> 1);
  const { 'transfer-encoding': _, ...kept } = headers;
  writeHead(status, { ...kept, 'content-length': String(fault === 'half' ? half.length : bytes.length) });
  if (fault === 'half') end(half);
  else response.write(half, () => response.destroy());
}

/** Begins an answer that does not end. */
export function breakOff(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Length': '100000' });
  response.write('<');
  setImmediate(() => response.destroy());
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
}
