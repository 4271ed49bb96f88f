import { execFileSync, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { gitEnvironment } from './create-repository.ts';

/** One request as the server saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | undefined;
}

/** A running git server; it stops with the test. */
export interface GitServer {
  /** `http://127.0.0.1:<port>`; a repository is at `<url>/<folder below the root>`. */
  readonly url: string;
  /** Every request so far, oldest first; empty it to count anew. */
  readonly requests: SeenRequest[];
  /** When set: the body of a pack answer (`git-upload-pack`) is cut after that many bytes and the connection dropped. */
  cutAfterBytes: number | undefined;
  close(): Promise<void>;
}

/** What the server asks for (HTTP Basic). */
export interface ServerCredentials {
  readonly username: string;
  readonly password: string;
}

/** Serves every repository below a folder over HTTP by `git http-backend`, read-only. */
export async function serveGit(
  t: ExecutionContext,
  rootFolder: string,
  credentials?: ServerCredentials,
): Promise<GitServer> {
  const backend = join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend');
  const expected =
    credentials && `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`;
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const { authorization } = request.headers;
    requests.push({ method: request.method ?? '', url: request.url ?? '', authorization });
    if (expected !== undefined && authorization !== expected) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('Unauthorized');
      return;
    }
    runBackend({ backend, rootFolder, request, response, cutAfterBytes: answer.cutAfterBytes });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const answer: GitServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    cutAfterBytes: undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  t.teardown(() => answer.close());
  return answer;
}

interface BackendCall {
  readonly backend: string;
  readonly rootFolder: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly cutAfterBytes: number | undefined;
}

function runBackend({ backend, rootFolder, request, response, cutAfterBytes }: BackendCall): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const child = spawn(backend, {
    env: {
      ...gitEnvironment,
      GIT_PROJECT_ROOT: rootFolder,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      GIT_CONFIG_KEY_1: 'uploadpack.allowAnySHA1InWant',
      GIT_CONFIG_VALUE_1: 'true',
      REQUEST_METHOD: request.method ?? 'GET',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: request.headers['content-length'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => {}); // the backend may answer (404) before it has read everything
  response.on('close', () => child.kill());
  const limit = request.method === 'POST' ? cutAfterBytes : undefined;
  let head = Buffer.alloc(0);
  let headDone = false;
  let sent = 0;
  const send = (bytes: Buffer) => {
    if (limit !== undefined && sent + bytes.length > limit) {
      response.write(bytes.subarray(0, limit - sent), () => response.destroy());
      child.kill();
      return;
    }
    sent += bytes.length;
    if (!response.write(bytes)) {
      child.stdout.pause();
      response.once('drain', () => child.stdout.resume());
    }
  };
  child.stdout.on('data', (bytes: Buffer) => {
    if (headDone) return send(bytes);
    head = Buffer.concat([head, bytes]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    headDone = true;
    writeHead(response, head.subarray(0, end).toString('latin1'));
    const rest = head.subarray(end + 4);
    if (rest.length > 0) send(rest);
  });
  child.on('error', () => response.destroy());
  child.stdout.on('end', () => {
    if (limit === undefined || sent < limit) response.end();
  });
}

function writeHead(response: ServerResponse, text: string): void {
  let status = 200;
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).trim();
    if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  }
  response.writeHead(status);
}
