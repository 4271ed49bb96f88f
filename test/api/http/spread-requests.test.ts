import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import Koa from 'koa';
import { spreadRequests } from '../../../api/http/spread-requests.ts';

const WORK_MS = 5;
const REQUESTS = 60;
const STRANGERS = Array.from({ length: REQUESTS }, (_, i) => `/${i}`);

test('spreadRequests() lets what costs time begin one after the other, and what needs no turn comes between them', async (t) => {
  const answered = await askBesideStrangers(t, async () => {});
  t.deepEqual(
    answered.filter((path) => path !== '/page'),
    STRANGERS,
  );
  const place = answered.indexOf('/page');
  t.true(place > 0 && place < REQUESTS / 2, `the page was answered after ${place} of ${REQUESTS}`);
});

test('spreadRequests() lets few requests wait for files at a time, since what they do with them comes at once', async (t) => {
  const answered = await askBesideStrangers(t, () => stat('.'));
  const place = answered.indexOf('/page');
  t.true(place > 0 && place < REQUESTS / 4, `the page was answered after ${place} of ${REQUESTS}`);
});

test('spreadRequests() holds up nobody for requests that take long', async (t) => {
  let begun = 0;
  let onAll = (): void => {};
  const all = new Promise<void>((resolve) => {
    onAll = resolve;
  });
  const answered = await askBesideStrangers(t, () => {
    if (++begun === REQUESTS) onAll();
    return all;
  });
  t.is(answered.length, REQUESTS + 1);
});

/**
 * Lets strangers ask for what waits for something and then takes time, and a reader for a page when the first of them has waited;
 * returns the paths in the order of the answers.
 */
async function askBesideStrangers(
  t: ExecutionContext,
  waitForSomething: () => Promise<unknown>,
): Promise<readonly string[]> {
  const app = new Koa();
  const answered: string[] = [];
  let onFirst = (): void => {};
  app.use((ctx, next) => {
    if (ctx.path !== '/page') return next();
    answered.push(ctx.path);
    ctx.body = 'page';
    return undefined;
  });
  app.use(spreadRequests());
  app.use(async (ctx) => {
    ctx.body = ctx.path;
    if (ctx.path === '/open') return;
    await waitForSomething();
    answered.push(ctx.path);
    for (const end = performance.now() + WORK_MS; performance.now() < end; );
    onFirst();
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
  const strangers = await Promise.all(STRANGERS.map(open));
  const reader = await open();
  onFirst = () => {
    onFirst = () => {};
    ask(reader, '/page');
  };
  for (const [i, socket] of strangers.entries()) ask(socket, STRANGERS[i]!);
  await Promise.all([...strangers, reader].map((socket) => once(socket, 'data')));
  return answered;
}

function ask(socket: Socket, path: string): void {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
}
