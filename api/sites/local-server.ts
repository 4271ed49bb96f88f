import { createServer } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import Koa, { type Context, type Middleware } from 'koa';

/** A server for whoever sits at this machine. */
export interface LocalServer {
  /** Where it listens, with a final `/`. */
  readonly url: string;
  /** Ends it, with the connections that are open. */
  close(): Promise<void>;
}

/**
 * Starts a server that answers requests for `localhost`, for an IP address and for `host`, and no others. Rejects with the error of
 * listening, e.g. `EADDRINUSE`.
 */
export async function startLocalServer(options: {
  readonly host: string;
  /** 0 = one that is free. */
  readonly port: number;
  /** Handlers of requests, asked in this order. */
  readonly middlewares: readonly Middleware[];
}): Promise<LocalServer> {
  const { host, port, middlewares } = options;
  const app = new Koa();
  app.silent = true;
  app.use((ctx, next) => (mayAsk(ctx.req.headers.host, host) ? next() : refuse(ctx)));
  for (const middleware of middlewares) app.use(middleware);
  const server = createServer(app.callback());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const name = host.includes(':') ? `[${host}]` : host;
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : name;
  return {
    url: `http://${shown}:${(server.address() as AddressInfo).port}/`,
    async close() {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
}

/**
 * Returns whether a request is addressed to this machine. Otherwise a page of another site could read what is served through a
 * host name of its own that resolves to this machine (DNS rebinding).
 */
function mayAsk(asked: string | undefined, host: string): boolean {
  if (asked === undefined) return true;
  const name = asked
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
  return name === host.toLowerCase() || name === 'localhost' || name.endsWith('.localhost') || isIP(name) !== 0;
}

function refuse(ctx: Context): void {
  ctx.status = 403;
  ctx.type = 'text/plain; charset=utf-8';
  ctx.body = `This preview is available at localhost and at IP addresses; to open it as ${JSON.stringify(ctx.host)}, start it with --host ${ctx.hostname}\n`;
}
