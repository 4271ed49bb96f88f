import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import Koa from 'koa';
import { createAreas } from '../../api/http/areas.ts';
import { handleErrors } from '../../api/http/errors.ts';
import type { Route } from '../../api/http/route.ts';
import { routeByHost } from '../../api/http/router.ts';

/** Serves one route at its paths, as the service does; returns the origin. It stops with the test. */
export async function serveRoute(t: ExecutionContext, route: Route): Promise<string> {
  const app = new Koa();
  app.use(handleErrors((error) => t.regex(String(error), /is not set up/)));
  app.use(routeByHost([route], createAreas({ base: '', hub: '', auth: '', docs: '' })));
  const server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
