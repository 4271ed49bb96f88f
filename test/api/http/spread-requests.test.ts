import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import test from 'ava';
import Koa from 'koa';
import { spreadRequests } from '../../../api/http/spread-requests.ts';

const WORK_MS = 5;
const REQUESTS = 60;

test('spreadRequests() lets what costs time begin one after the other, and what needs no turn comes between them', async (t) => {
  const app = new Koa();
  const began: string[] = [];
  let onFirst = (): void => {};
  app.use((ctx, next) => {
    if (ctx.path !== '/page') return next();
    began.push(ctx.path);
    ctx.body = 'page';
    return undefined;
  });
  app.use(spreadRequests());
  app.use((ctx) => {
    began.push(ctx.path);
    if (ctx.path !== '/open') for (const end = performance.now() + WORK_MS; performance.now() < end; );
    if (ctx.path === '/0') onFirst();
    ctx.body = ctx.path;
  });
  const server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    await once(socket, 'connect');
    // The server has it once it has answered.
    ask(socket, '/open');
    await once(socket, 'data');
    return socket;
  };
  const strangers = await Promise.all(Array.from({ length: REQUESTS }, open));
  const reader = await open();
  onFirst = () => ask(reader, '/page');
  began.length = 0;
  for (const [i, socket] of strangers.entries()) ask(socket, `/${i}`);
  await Promise.all([...strangers, reader].map((socket) => once(socket, 'data')));
  t.deepEqual(
    began.filter((path) => path !== '/page'),
    strangers.map((_, i) => `/${i}`),
  );
  const place = began.indexOf('/page');
  t.true(place > 0 && place < REQUESTS / 2, `the page was answered after ${place} of ${REQUESTS}`);
});

function ask(socket: Socket, path: string): void {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
}
