import { mkdirSync, readdirSync } from 'node:fs';
import { createServer, type RequestListener, request, type Server } from 'node:http';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { OperationsFor } from '../../platform/operations/operations.ts';
import { connectControl, serveControl } from '../../service/control-socket.ts';
import { createFolder } from '../helpers/create-repository.ts';

/** Listens on a socket of its own; returns its path and how to stop. */
async function listen(t: ExecutionContext, answer: RequestListener) {
  const path = join(createFolder(t), 's');
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const stop = (): Promise<unknown> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  t.teardown(stop);
  return { path, stop };
}

const NOTHING: OperationsFor = () => ({}) as ReturnType<OperationsFor>;

test('connectControl() finds nobody where nobody listens, and where the process ends before it answers', async (t) => {
  t.is(await connectControl(join(createFolder(t), 'none')), undefined);
  const { path } = await listen(t, (request) => void request.socket.destroy());
  t.is(await connectControl(path), undefined);
});

test('connectControl() says whether anything may have been changed by a server that has stopped', async (t) => {
  const { path, stop } = await listen(t, (request, response) => {
    if (request.url === '/2/') response.end('{"result":"/2/"}');
    else if (request.url === '/2/getPrices') response.writeHead(200).write('{"res', () => request.socket.destroy());
    else request.socket.destroy();
  });
  const operations = (await connectControl(path))!;
  const mayHave = { code: 'busy', message: /look whether the change was made/ } as object;
  await t.throwsAsync(operations.build({ name: 'guide' }), mayHave);
  await t.throwsAsync(operations.getPrices({}), mayHave);
  await stop();
  await t.throwsAsync(operations.build({ name: 'guide' }), { code: 'busy', message: /nothing was changed/ } as object);
});

test('connectControl() and serveControl() refuse a server or a command of another release', async (t) => {
  const other = { code: 'busy', message: /different releases; restart the server/ } as object;
  const before = await listen(
    t,
    (_, response) => void response.end('{"error":{"code":"invalid","message":"no \\"2/\\""}}'),
  );
  await t.throwsAsync(connectControl(before.path), other);
  const path = join(createFolder(t), 's');
  const server = await serveControl(path, NOTHING);
  t.teardown(() => server.close());
  t.truthy(await connectControl(path));
  const text = await new Promise<string>((resolve) => {
    const sent = request({ socketPath: path, path: '/build', method: 'POST' }, async (response) => {
      let body = '';
      for await (const chunk of response) body += chunk;
      resolve(body);
    });
    sent.end('{"name":"guide"}');
  });
  t.like(JSON.parse(text), { error: { code: 'busy' } });
});

test('serveControl(): servers that start at once all do, the last one answers, and each leaves only its own socket', async (t) => {
  const folder = createFolder(t);
  const path = join(folder, 'control.sock');
  const servers = await Promise.all(Array.from({ length: 10 }, () => serveControl(path, NOTHING)));
  t.deepEqual(readdirSync(folder), ['control.sock']);
  const last = await serveControl(path, NOTHING);
  const close = (server: Server) => new Promise((resolve) => server.close(resolve));
  await Promise.all(servers.map(close));
  t.truthy(await connectControl(path), 'that of the last one is still there');
  last.closeAllConnections();
  await close(last);
  t.deepEqual(readdirSync(folder), []);
  t.is(await connectControl(path), undefined);
});

test('serveControl() that cannot put its socket in place listens no longer, and leaves nothing', async (t) => {
  const folder = createFolder(t);
  mkdirSync(join(folder, 'control.sock/in-the-way'), { recursive: true });
  await t.throwsAsync(serveControl(join(folder, 'control.sock'), NOTHING), { code: 'EISDIR' });
  // That of a server which listens would be there.
  t.deepEqual(readdirSync(folder), ['control.sock']);
});
