import { type AddressInfo, connect } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import Koa from 'koa';
import { parseHost, trustProxies } from '../../../api/http/trusted-request.ts';
import { parseConfig } from '../../../platform/config/read-config.ts';
import { createSettings } from '../../../platform/config/settings.ts';

/** An application that tells what it believes of a request, and how many proxies it trusts. */
async function createTelling(t: ExecutionContext) {
  const settings = createSettings(parseConfig('', 'x.yml'));
  const app = new Koa();
  trustProxies(app, settings);
  app.use((ctx) => {
    ctx.body = { host: ctx.host, hostname: ctx.hostname, ip: ctx.ip, secure: ctx.secure };
  });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const ask = (...headers: string[]): Promise<Record<string, unknown>> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(`GET / HTTP/1.0\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`, 'latin1'),
      );
      let text = '';
      socket.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      socket.once('error', reject);
      socket.once('close', () => resolve(JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4))));
    });
  const trust = (count: number) => settings.replace(parseConfig(`api: {trusted_proxies: ${count}}`, 'x.yml'));
  return { ask, trust };
}

const FORGED = [
  'X-Forwarded-For: 6.6.6.6, 7.7.7.7, 8.8.8.8',
  'X-Forwarded-Proto: https',
  'X-Forwarded-Host: evil.test',
  'Forwarded: host=evil.test;for=6.6.6.6;proto=https',
  'X-Real-IP: 6.6.6.6',
];

test('trustProxies() believes nobody when no proxy is trusted', async (t) => {
  const { ask } = await createTelling(t);
  t.deepEqual(await ask('Host: a.test', ...FORGED), {
    host: 'a.test',
    hostname: 'a.test',
    ip: '127.0.0.1',
    secure: false,
  });
});

test('trustProxies() takes the address that the outermost trusted proxy saw, and the protocol, never the host', async (t) => {
  const { ask, trust } = await createTelling(t);
  for (const [count, ip] of [
    [1, '8.8.8.8'],
    [2, '7.7.7.7'],
    [0, '127.0.0.1'],
  ] as const) {
    trust(count);
    t.deepEqual(await ask('Host: a.test:81', ...FORGED), {
      host: 'a.test:81',
      hostname: 'a.test',
      ip,
      secure: count > 0,
    });
  }
});

test('parseHost() gives hosts as they are compared, and nothing for what is none', (t) => {
  const cases: readonly (readonly [given: string | undefined, host: string])[] = [
    [undefined, ''],
    ['', ''],
    ['A.Test', 'a.test'],
    ['a.test:8080', 'a.test:8080'],
    ['a.test.', 'a.test'],
    ['a.test.:80', 'a.test:80'],
    ['[::1]:5000', '[::1]:5000'],
    ['[::1]', '[::1]'],
    ['127.0.0.1', '127.0.0.1'],
    ['my_host', 'my_host'],
    ['-a.test', '-a.test'],
    ['a.test..', 'a.test'],
    ['.', ''],
    ['a..b', ''],
    ['.a.test', ''],
    ['a.test:65535', 'a.test:65535'],
    ['a.test:65536', ''],
    ['[::1]:99999', ''],
    [':80', ''],
    ['a.test:80:81', ''],
    ['a.test:x', ''],
    ['user@a.test', ''],
    ['a.test/x', ''],
    ['a.test, b.test', ''],
    ['a b', ''],
    ['<script>', ''],
    ['a\u00e4.test', ''],
    [`${'a'.repeat(300)}.test`, ''],
  ];
  for (const [given, host] of cases) t.is(parseHost(given), host, given);
});
