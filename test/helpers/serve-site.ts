import { mkdirSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { ExecutionContext } from 'ava';
import Koa from 'koa';
import { createSiteServer, type SiteServer } from '../../api/sites/serve-sites.ts';
import type { Site } from '../../api/sites/site.ts';
import { openFolderSite } from '../../platform/sites/folder-sites.ts';
import { createFolder } from './create-repository.ts';

/** An answer, read to its end. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
}

/** A site in a temporary folder, and a server that serves it and ends with the test. */
export interface ServedSite {
  readonly url: string;
  /** Holds the site's folder, `site`, and whatever else a test puts beside it. */
  readonly outside: string;
  readonly folder: string;
  readonly server: SiteServer;
  /** Errors that reached the application. */
  readonly errors: readonly Error[];
  write(path: string, content: string | Uint8Array): void;
  /** Asks for a path exactly as it is given. */
  ask(path: string, options?: { method?: string; headers?: Readonly<Record<string, string>> }): Promise<TestAnswer>;
  /** Returns how many connections are open. */
  connections(): Promise<number>;
  /** Sends text on a separate connection and returns all that comes back until it is closed. */
  send(text: string): Promise<string>;
}

/**
 * Serves a site at `/` and, as one that shares its host, under `/docs/guide`. Requests for host `other.test` are nobody's
 * and end in "passed on".
 */
export async function serveSite(
  t: ExecutionContext,
  files: Readonly<Record<string, string | Uint8Array>> = {},
  options: {
    readonly site?: Partial<Site>;
    readonly maxCacheBytes?: number;
    readonly maxWaitMs?: number;
    readonly stallMs?: number;
  } = {},
): Promise<ServedSite> {
  const outside = createFolder(t);
  const folder = join(outside, 'site');
  mkdirSync(folder);
  const write = (path: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  const site: Site = {
    files: openFolderSite(folder),
    basePath: '',
    languages: ['en', 'zh_CN'],
    isShared: false,
    ...options.site,
  };
  const shared: Site = { ...site, basePath: '/docs/guide', isShared: true };
  const server = createSiteServer({
    findSite({ host, path }) {
      if (host === 'other.test') return undefined;
      return /^\/docs\/guide(?:\/|$)/.test(path) ? Promise.resolve(shared) : site;
    },
    maxCacheBytes: options.maxCacheBytes,
    // On a busy machine work may take longer than readers wait: here nothing may hang on it.
    maxWaitMs: options.maxWaitMs ?? 30_000,
    stallMs: options.stallMs,
  });
  const errors: Error[] = [];
  const app = new Koa();
  app.on('error', (error: Error) => errors.push(error));
  app.use(server.middleware);
  app.use((ctx) => {
    ctx.body = 'passed on';
  });
  const listener = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => listener.once('listening', resolve));
  const { port } = listener.address() as AddressInfo;
  t.teardown(() => {
    listener.close();
    listener.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${port}`,
    outside,
    folder,
    server,
    errors,
    write,
    connections: promisify(listener.getConnections.bind(listener)),
    ask: (path, { method = 'GET', headers = {} } = {}) =>
      new Promise((resolve, reject) => {
        request({ host: '127.0.0.1', port, path, method, headers, agent: false }, async (response) => {
          try {
            const body = await buffer(response);
            resolve({ status: response.statusCode!, headers: response.headers, body, text: body.toString() });
          } catch (error) {
            reject(error);
          }
        })
          .once('error', reject)
          .end();
      }),
    send: (text) =>
      new Promise((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
        const chunks: Buffer[] = [];
        socket.on('data', (bytes) => chunks.push(bytes));
        socket.once('error', reject);
        socket.once('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
      }),
  };
}
