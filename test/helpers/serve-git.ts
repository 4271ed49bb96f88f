import { execFileSync, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { gitEnvironment } from './run-git.ts';

/** One request as the server saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | undefined;
  /** Bytes of its body that have come. */
  bodyBytes: number;
}

/** A running git server; it stops with the test. */
export interface GitServer {
  /** `http://127.0.0.1:<port>`; a repository is at `<url>/<folder below the root>`. */
  readonly url: string;
  /** Every request so far, oldest first; empty it to count anew. */
  readonly requests: SeenRequest[];
  /** When set: the body of a pack answer (`git-upload-pack`) is cut after that many bytes and the connection dropped. */
  cutAfterBytes: number | undefined;
  /** When set: a pack answer stops after that many bytes, and the connection stays open; also one that was tampered with. */
  holdAfterBytes: number | undefined;
  /** When set: the bodies of answers are collected, and what this gives is sent instead. */
  tamper: ((body: Buffer, method: string) => Buffer) | undefined;
  /** When set: the server speaks this version of the protocol, whatever is asked for. */
  protocol: 0 | 1 | 2 | undefined;
  /** Capabilities the server does not offer, e.g. `thin-pack`; requests that use them are refused. */
  without: readonly string[];
  close(): Promise<void>;
}

/** HTTP Basic. */
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
    const seen: SeenRequest = { method: request.method ?? '', url: request.url ?? '', authorization, bodyBytes: 0 };
    requests.push(seen);
    request.on('data', (chunk: Buffer) => {
      seen.bodyBytes += chunk.length;
    });
    if (expected !== undefined && authorization !== expected) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('Unauthorized');
      return;
    }
    runBackend({ backend, rootFolder, request, response, server: answer });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const answer: GitServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    cutAfterBytes: undefined,
    holdAfterBytes: undefined,
    tamper: undefined,
    protocol: undefined,
    without: [],
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
  readonly server: Pick<GitServer, 'cutAfterBytes' | 'holdAfterBytes' | 'tamper' | 'protocol' | 'without'>;
}

function runBackend({ backend, rootFolder, request, response, server }: BackendCall): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const child = spawn(backend, {
    env: {
      ...gitEnvironment,
      GIT_PROJECT_ROOT: rootFolder,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_COUNT: '3',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      GIT_CONFIG_KEY_1: 'uploadpack.allowAnySHA1InWant',
      GIT_CONFIG_VALUE_1: 'true',
      GIT_CONFIG_KEY_2: 'uploadpack.allowFilter',
      GIT_CONFIG_VALUE_2: 'true',
      REQUEST_METHOD: request.method ?? 'GET',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: request.headers['content-length'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL:
        server.protocol === undefined ? String(request.headers['git-protocol'] ?? '') : `version=${server.protocol}`,
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const isUnsupported = (body: Buffer) => server.without.some((name) => usesCapability(body, name));
  if (server.without.length === 0) request.pipe(child.stdin);
  else
    collect(request, (body) => {
      if (!isUnsupported(body)) return child.stdin.end(body);
      response.writeHead(400).end('A capability was used that was not offered');
      child.kill();
    });
  child.stdin.on('error', () => {}); // the backend may answer (404) before it has read everything
  response.on('close', () => child.kill());
  const limit = request.method === 'POST' ? (server.cutAfterBytes ?? server.holdAfterBytes) : undefined;
  const isCut = server.cutAfterBytes !== undefined;
  const hide = (body: Buffer) => (request.method === 'GET' ? hideCapabilities(body, server.without) : body);
  const rewrite =
    server.tamper || server.without.length > 0
      ? (body: Buffer) => server.tamper?.(hide(body), request.method ?? '') ?? hide(body)
      : undefined;
  const kept: Buffer[] = [];
  let head = Buffer.alloc(0);
  let headDone = false;
  let sent = 0;
  const send = (bytes: Buffer) => {
    if (rewrite) return void kept.push(bytes);
    if (limit !== undefined && sent + bytes.length > limit) {
      response.write(bytes.subarray(0, limit - sent), () => isCut && response.destroy());
      sent = limit;
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
    if (rewrite && limit !== undefined && !isCut) response.write(rewrite(Buffer.concat(kept)).subarray(0, limit));
    else if (rewrite && !response.writableEnded) response.end(rewrite(Buffer.concat(kept)));
    else if (limit === undefined || sent < limit) response.end();
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

function collect(request: IncomingMessage, onBody: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => onBody(Buffer.concat(chunks)));
}

/** Tells whether the first line of a request for a pack names a capability. */
function usesCapability(body: Buffer, name: string): boolean {
  const line = body.toString('latin1', 4, Number.parseInt(body.toString('latin1', 0, 4), 16));
  return line.startsWith('want ') && line.trim().split(' ').includes(name);
}

/** Takes names out of the capabilities in the first line of a list of refs. */
function hideCapabilities(body: Buffer, names: readonly string[]): Buffer {
  const text = body.toString('latin1');
  const [whole, , ref, capabilities] = /([0-9a-f]{4})([0-9a-f]{40} [^\0\n]+)\0([^\n]*)\n/.exec(text) ?? [];
  if (whole === undefined) return body;
  const left = capabilities!.split(' ').filter((name) => !names.includes(name));
  const line = `${ref}\0${left.join(' ')}\n`;
  return Buffer.from(text.replace(whole, (line.length + 4).toString(16).padStart(4, '0') + line), 'latin1');
}
