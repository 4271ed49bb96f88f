import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/** Nothing from elsewhere, nothing inline: what a careful operator sets. */
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'";

/** Serves files by their path (`/a.html`) under a strict Content-Security-Policy, with `also` behind it, or another one, `base`; returns the origin. */
export async function servePages(
  t: ExecutionContext,
  files: ReadonlyMap<string, string | Uint8Array>,
  also = '',
  base = policy,
): Promise<string> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://host').pathname;
    const body = files.get(path);
    const type = types[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
    response.writeHead(body === undefined ? 404 : 200, {
      'content-type': type,
      'content-security-policy': base + also,
    });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
