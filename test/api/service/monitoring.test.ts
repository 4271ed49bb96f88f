import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { createServer, type TestServer } from '../../helpers/create-server.ts';
import { diskTest, mountDisk } from '../../helpers/mount-disk.ts';
import { sendRaw } from '../../helpers/send-raw.ts';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

async function readMetrics(server: TestServer): Promise<string> {
  return (await server.get('/metrics')).text();
}

/** Waits until a server's health has this status; it looks at the disk once in some seconds. */
async function waitForHealth(server: TestServer, wanted: number): Promise<{ readonly message: string }> {
  for (;;) {
    const answer = await server.get('/healthz');
    if (answer.status === wanted) return (await answer.json()) as { message: string };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test.serial('server: its health is red while the store cannot be written', async (t) => {
  const server = await createServer(t);
  const store = join(server.folder, 'base/store');
  t.like(await waitForHealth(server, 200), { success: true, message: '' });
  t.deepEqual(
    readdirSync(store).filter((name) => /health/.test(name)),
    [],
  );
  renameSync(store, `${store}-away`);
  t.like(await waitForHealth(server, 503), {
    success: false,
    message: 'Cannot write to "store": no such file or directory',
  });
  renameSync(`${store}-away`, store);
  t.like(await waitForHealth(server, 200), { success: true });
});

diskTest('server: its health is red while the disk is full', async (t) => {
  const server = await createServer(t, '', mountDisk(t, 'size=4m'));
  await waitForHealth(server, 200);
  const filler = join(server.folder, 'filler');
  t.throws(() => writeFileSync(filler, Buffer.alloc(5_000_000)), { code: 'ENOSPC' });
  t.like(await waitForHealth(server, 503), { message: 'Cannot write to "store": no space left on device' });
  rmSync(filler);
  await waitForHealth(server, 200);
});

test.serial('server: metrics tell failures of store, image source, logins, blocks, webhooks and queue', async (t) => {
  const refusing = createHttpServer((_, response) => void response.writeHead(500).end());
  await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
  t.teardown(() => refusing.close());
  const { port } = refusing.address() as AddressInfo;
  const server = await createServer(
    t,
    `utility: {image: {base_url: "http://127.0.0.1:${port}"}, short_url: {reductions_per_minute: 1}}\n`,
  );
  const before = await readMetrics(server);
  for (const line of ['docbuild_failures_total{part="store"} 0', 'docbuild_automatic_blocks_total 0']) {
    t.true(before.includes(`\n${line}\n`), line);
  }
  await server.operations.createProject({
    name: 'guide',
    settings: { url: 'https://example.com/you/guide.git', secret: 'hush and not a word' },
  });
  await server.post('/api/user/login', 'account=nobody&password=wrong-password', FORM);
  await server.post('/docbuild/webhook/guide', '{}', { 'Content-Type': 'application/json', 'X-GitHub-Event': 'push' });
  await server.post('/docbuild/github/app', '{}');
  await server.get('/openservice/betapic');
  // The hundredth refusal within a minute blocks the address.
  for (let i = 0; i < 101; i++) await server.post('/openservice/shorturl/v1/?Action=reduction', 'short_string=x', FORM);
  mkdirSync(join(server.folder, 'base/store/users.json.tmp'));
  await t.throwsAsync(server.operations.createUser({ account: 'reader', password: 'correct horse battery' }));
  const text = await readMetrics(server);
  for (const line of [
    'docbuild_refusals_total{area="api",code="wrong-login"} 1',
    'docbuild_refusals_total{area="webhook",code="missing-signature"} 1',
    'docbuild_refusals_total{area="github",code="not-configured"} 1',
    'docbuild_refusals_total{area="openservice",code="limited"} 100',
    'docbuild_failures_total{part="store"} 1',
    'docbuild_automatic_blocks_total 1',
  ]) {
    t.true(text.includes(`\n${line}\n`), `${line}\n${text.match(/^docbuild_(?:refusals|failures).*$/gm)?.join('\n')}`);
  }
  t.regex(text, /\ndocbuild_failures_total\{part="image"\} [1-9]/);
});

test.serial('server: metrics tell requests that found the queue of a project full', async (t) => {
  const server = await createServer(t);
  await server.operations.createProject({
    name: 'guide',
    settings: { url: 'https://example.com/you/guide.git', before: 'sleep 1000' },
  });
  // Of one more than fit, the first one runs.
  await Promise.all(Array.from({ length: 501 }, (_, i) => server.operations.build({ name: 'guide', ref: `v${i}` })));
  const line = 'docbuild_refusals_total{area="build",code="queue-full"} 1\n';
  t.false((await readMetrics(server)).includes(line));
  t.is((await server.post('/docbuild/build/guide?branch=main')).status, 503);
  const full = await readMetrics(server);
  for (const one of [line, 'docbuild_builds_waiting 500\n', 'docbuild_builds_running 1\n']) {
    t.true(full.includes(`\n${one}`), one);
  }
});

test.serial(
  'server: without a key metrics are for programs on its machine, and not for what proxies pass on',
  async (t) => {
    const server = await createServer(t, 'api: {port: 0, trusted_proxies: 1}\n');
    t.is((await server.get('/metrics')).status, 200);
    const { port } = new URL(server.origin);
    const own = `127.0.0.1:${port}`;
    for (const [host, ...headers] of [
      ['docs.example.org'],
      ['127.0.0.1.example.org'],
      [own, 'X-Forwarded-For: 127.0.0.1'],
      [own, 'X-Forwarded-Proto: https'],
      [own, 'X-Real-IP: 127.0.0.1'],
      [own, 'Forwarded: for=127.0.0.1'],
      [own, 'Via: 1.1 proxy'],
    ] as const) {
      const { status, text } = await sendRaw(server.origin, 'GET /metrics HTTP/1.1', `Host: ${host}`, ...headers);
      t.is(status, 403, `${host} ${headers.join()}`);
      t.regex(text, /set \\"metrics\.key\\" or \\"metrics\.port\\"/);
    }
    t.is((await sendRaw(server.origin, 'GET /metrics HTTP/1.0', `Host: ${own}`)).status, 403, 'nginx as it comes');
    for (const host of [own, `localhost:${port}`, `[::1]:${port}`])
      t.is((await sendRaw(server.origin, 'GET /metrics HTTP/1.1', `Host: ${host}`)).status, 200, host);
  },
);

test.serial('server: metrics may be closed by a key', async (t) => {
  const server = await createServer(t, 'metrics: {key: a-long-key-of-the-operator}\n');
  for (const headers of [{}, { Authorization: 'Bearer wrong' }, { Authorization: 'a-long-key-of-the-operator' }]) {
    const answer = await server.get('/metrics', headers);
    t.deepEqual([answer.status, answer.headers.get('www-authenticate')], [401, 'Bearer']);
  }
  const answer = await server.get('/metrics', { Authorization: 'Bearer a-long-key-of-the-operator' });
  t.is(answer.status, 200);
  t.regex(await answer.text(), /^docbuild_builds_waiting 0$/m);
});

test.serial('server: metrics may have an address of their own', async (t) => {
  const probe = createHttpServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  const server = await createServer(t, `metrics: {port: ${port}, key: a-long-key-of-the-operator}\n`);
  t.is((await server.get('/metrics')).status, 404);
  const own = `http://127.0.0.1:${port}`;
  const headers = { Authorization: 'Bearer a-long-key-of-the-operator' };
  t.is((await fetch(`${own}/metrics`)).status, 401);
  t.is((await fetch(`${own}/control/`, { headers })).status, 404);
  t.regex(await (await fetch(`${own}/metrics`, { headers })).text(), /^docbuild_builds_waiting 0$/m);
  await server.close();
  await t.throwsAsync(fetch(`${own}/metrics`));
});
