import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import Koa, { type Middleware } from 'koa';
import { ServiceError } from '../../platform/failures/service-error.ts';

/** Serves one route by Koa, errors as the contract has them; returns its address. It stops with the test. */
export async function serveRoutes(t: ExecutionContext, route: Middleware): Promise<string> {
  const app = new Koa();
  app.use(async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (!(error instanceof ServiceError)) t.fail(String(error));
      ctx.status = error instanceof ServiceError ? error.status : 500;
      ctx.body = {
        success: false,
        message: error instanceof ServiceError && error.code !== 'internal' ? error.message : '',
      };
    }
  });
  app.use(route);
  const server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
