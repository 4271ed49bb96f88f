import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { takeTurns } from '../../../api/http/take-turns.ts';
import test from '../../helpers/serial-test.ts';

const WORK_MS = 5;
const REQUESTS = 60;

test('takeTurns() lets what costs time begin one after the other, and what needs no turn comes between them', async (t) => {
  const app = new Koa();
  const began: string[] = [];
  let page: Promise<string> | undefined;
  app.use((ctx, next) => {
    if (ctx.path !== '/page') return next();
    began.push(ctx.path);
    ctx.body = 'page';
    return undefined;
  });
  app.use(takeTurns());
  app.use((ctx) => {
    began.push(ctx.path);
    for (const end = performance.now() + WORK_MS; performance.now() < end; );
    if (ctx.path === '/0') page = ask('/page');
    ctx.body = ctx.path;
  });
  const server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = async (path: string): Promise<string> => (await fetch(`${origin}${path}`)).text();

  const paths = Array.from({ length: REQUESTS }, (_, i) => `/${i}`);
  t.deepEqual(await Promise.all(paths.map(ask)), paths);
  t.is(await page, 'page');
  const place = began.indexOf('/page');
  t.true(place > 0 && place < REQUESTS, `the page was answered after ${place} of ${REQUESTS}: ${began.join(' ')}`);
});
