import { renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import test from 'ava';
import { createFolder } from '../../helpers/create-repository.ts';
import { createServer, type TestServer } from '../../helpers/create-server.ts';
import { createMmdb } from '../../helpers/write-mmdb.ts';
import { createXdb } from '../../helpers/write-xdb.ts';

const ask = async (server: TestServer, path: string, headers: Record<string, string> = {}) => {
  const answer = await server.get(`/openservice/ip/${path}`, headers);
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> };
};
const loopback = { ip: '127.0.0.1', country: '', province: '', city: '', isp: 'Loopback' };

test.serial('ip routes: rest describes the address that is named', async (t) => {
  const server = await createServer(t);
  const { status, headers, body } = await ask(server, 'rest?ip=223.5.5.5');
  t.is(status, 200);
  t.is(headers.get('access-control-allow-origin'), '*');
  const data = { ip: '223.5.5.5', country: '中国', province: '浙江省', city: '杭州市', isp: '阿里云' };
  t.deepEqual(body, { success: true, message: '', data });
  t.deepEqual((await ask(server, 'rest?ip=::FFFF:223.5.5.5')).body['data'], data);
  const zoned = (await ask(server, `rest?ip=${encodeURIComponent('FE80:0::1%eth0')}`)).body['data'];
  t.deepEqual(zoned, { ...loopback, ip: 'fe80::1', isp: 'Link-local' });
});

test.serial('ip routes: rest, addr and myip tell of the caller, and are never kept by caches', async (t) => {
  const server = await createServer(t);
  for (const path of ['rest', 'rest?ip=', 'rest?ip=%20', 'addr', 'addr?ip=8.8.8.8']) {
    const { headers, body } = await ask(server, path);
    t.deepEqual(body, { success: true, message: '', data: loopback }, path);
    t.is(headers.get('cache-control'), 'no-store');
  }
  t.deepEqual((await ask(server, 'myip')).body, { success: true, message: '', data: { ip: '127.0.0.1' } });
});

test.serial('ip routes: a wrong address is a 400 that says so', async (t) => {
  const server = await createServer(t);
  for (const ip of ['1.2.3', 'localhost', '1.2.3.4%2f', '%00', 'x'.repeat(90)]) {
    const { status, body } = await ask(server, `rest?ip=${ip}`);
    t.is(status, 400, ip);
    t.is(body['success'], false);
    t.regex(String(body['message']), /^Parameter "ip": ".*" is not an IPv4 or IPv6 address$/);
  }
  t.regex(String((await ask(server, `rest?ip=${'1'.repeat(2000)}`)).body['message']), /more than 100 characters/);
  t.is((await ask(server, 'rest?ip=1.1.1.1&ip=8.8.8.8')).status, 400);
});

test.serial('ip routes: callers over IPv6 are given as they are, mapped ones as IPv4', async (t) => {
  const server = await createServer(t, 'api: {host: "::", port: 0}\n');
  const { port } = new URL(server.origin);
  const get = (host: string) =>
    new Promise<string>((resolve, reject) => {
      const sent = request({ host, port, path: '/openservice/ip/myip' }, async (answer) => {
        const chunks: Buffer[] = [];
        for await (const chunk of answer) chunks.push(chunk as Buffer);
        resolve((JSON.parse(String(Buffer.concat(chunks))) as { data: { ip: string } }).data.ip);
      });
      sent.on('error', reject).end();
    });
  t.is(await get('127.0.0.1'), '127.0.0.1');
  t.is(await get('::1'), '::1');
});

test.serial('ip routes: X-Forwarded-For is not believed without a trusted proxy', async (t) => {
  const server = await createServer(t);
  t.deepEqual((await ask(server, 'myip', { 'X-Forwarded-For': '8.8.8.8' })).body['data'], { ip: '127.0.0.1' });
});

test.serial(
  'ip routes: the operator’s databases stand beside the configuration, and are replaced while the server runs',
  async (t) => {
    const folder = createFolder(t);
    writeFileSync(join(folder, 'four.xdb'), createXdb([['223.5.5.0', '223.5.5.9', 'A|B|C|D|US']]));
    writeFileSync(
      join(folder, 'six.mmdb'),
      createMmdb({ '2400:3200::/32': { country: 'E', city: { names: { en: 'F' } } } }),
    );
    const server = await createServer(t, 'utility: {ip: {db4: four.xdb, db6: ./six.mmdb, lang: en}}\n', folder);
    const find = async (ip: string) =>
      Object.values((await ask(server, `rest?ip=${ip}`)).body['data'] as object).join('|');
    t.is(await find('223.5.5.5'), '223.5.5.5|A|B|C|D');
    t.is(await find('2400:3200::1'), '2400:3200::1|E||F|');
    writeFileSync(join(folder, 'new'), createXdb([['223.5.5.0', '223.5.5.9', 'G|H|I|J|US']]));
    renameSync(join(folder, 'new'), join(folder, 'four.xdb'));
    let found = '';
    // The file is looked at once a second.
    while (!found.includes('G')) {
      found = await find('223.5.5.5');
      t.regex(found, /^223\.5\.5\.5\|(?:A\|B\|C\|D|G\|H\|I\|J)$/);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  },
);

test.serial('ip routes: a database of another kind is a mistake in the configuration', async (t) => {
  await t.throwsAsync(createServer(t, 'utility:\n  ip:\n    db4: GeoLite2.tar.gz\n'), {
    message: /line 5: key "utility\.ip\.db4": must be an \.xdb or \.mmdb file/,
  });
});
