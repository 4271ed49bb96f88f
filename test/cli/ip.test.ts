import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { createFolder } from '../helpers/create-repository.ts';
import { runCommand } from '../helpers/run-command.ts';
import { type SpawnedServer, spawnServer } from '../helpers/spawn-server.ts';
import { waitUntil } from '../helpers/wait-until.ts';
import { createMmdb } from '../helpers/write-mmdb.ts';
import { createXdb } from '../helpers/write-xdb.ts';

const xdb4 = (country: string) => createXdb([['8.8.0.0', '8.8.255.255', `${country}|P|C|I|XX`]]);
const xdb6 = (country: string) =>
  createXdb([['2001:4860::', '2001:4860:ffff:ffff:ffff:ffff:ffff:ffff', `${country}|P|C|I|XX`]]);
const mmdb = createMmdb({
  '8.8.0.0/16': { country: { names: { en: 'Both' } } },
  '2001:4860::/32': { country: { names: { en: 'Both' } } },
});

async function find({ origin }: SpawnedServer, ip: string): Promise<string> {
  const answer = await fetch(`${origin}/openservice/ip/rest?ip=${ip}`);
  return ((await answer.json()) as { data: { country: string } }).data.country;
}

/** Serves a file until the test ends; whatever else is asked for is missing. */
async function serveFile(t: { teardown(end: () => unknown): void }, body: Buffer): Promise<string> {
  const server = createServer(({ url }, answer) => {
    if (url === '/moved') answer.writeHead(302, { Location: '/data' }).end();
    else if (url === '/data') answer.end(body);
    else answer.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.serial('docbuild ip update puts data below base_dir, and a running server takes it', async (t) => {
  const cwd = createFolder(t);
  const update = (...args: string[]) => runCommand(['ip', 'update', ...args], { cwd });
  const server = await spawnServer(t, cwd, { HOME: cwd });
  t.is(await find(server, '8.8.8.8'), '美国');
  writeFileSync(join(cwd, 'own4.xdb'), xdb4('Four'));
  const { code, stdout } = await update('--from', 'own4.xdb');
  t.is(code, 0);
  t.regex(stdout, /^IPv4: [\d.]+ [kM]B \(xdb\) → \S+\/\.docbuild\/ip\/regions-4\.db\n$/);
  await waitUntil(async () => (await find(server, '8.8.8.8')) === 'Four');
  // The included data does not know it.
  t.is(await find(server, '2001:4860:4860::8888'), '');

  // A file of the name of the other format, packed, at an address that redirects; its sum is checked.
  const packed = gzipSync(xdb6('Six'));
  const origin = await serveFile(t, packed);
  const sum = createHash('sha256').update(packed).digest('hex');
  t.is((await update('--from', `${origin}/moved`, '--sha256', sum)).code, 0);
  await waitUntil(async () => (await find(server, '2001:4860:4860::8888')) === 'Six');
  t.is(await find(server, '8.8.8.8'), 'Four');

  // One file for both takes the place of both.
  writeFileSync(join(cwd, 'both.bin'), mmdb);
  const [updated] = JSON.parse((await update('--from', 'both.bin', '--json')).stdout);
  t.deepEqual([updated.format, updated.versions, updated.bytes], ['mmdb', [4, 6], mmdb.length]);
  await waitUntil(async () => (await find(server, '2001:4860:4860::8888')) === 'Both');
  t.is(await find(server, '8.8.8.8'), 'Both');
  t.deepEqual(readdirSync(join(cwd, '.docbuild/ip')), ['regions-4.db']);
});

test.serial('docbuild ip update writes to the files that the configuration names', async (t) => {
  const cwd = createFolder(t);
  writeFileSync(join(cwd, 'docbuild.yml'), 'utility: {ip: {db4: ./data/four.xdb, db6: ./data/six.xdb}}\n');
  writeFileSync(join(cwd, 'both.mmdb'), mmdb);
  t.is((await runCommand(['ip', 'update', '--from', 'both.mmdb'], { cwd })).code, 0);
  t.deepEqual(readdirSync(join(cwd, 'data')).sort(), ['four.xdb', 'six.xdb']);
  t.true(readFileSync(join(cwd, 'data/six.xdb')).equals(mmdb));
  const server = await spawnServer(t, cwd, { HOME: cwd });
  t.is(await find(server, '2001:4860:4860::8888'), 'Both');
});

test.serial('docbuild ip update refuses what cannot be used, and keeps what is there', async (t) => {
  const cwd = createFolder(t);
  const update = (...args: string[]) => runCommand(['ip', 'update', ...args], { cwd });
  const write = (name: string, bytes: Buffer | string) => writeFileSync(join(cwd, name), bytes);
  write('good.xdb', xdb4('Good'));
  t.is((await update('--from', 'good.xdb')).code, 0);
  const kept = readFileSync(join(cwd, '.docbuild/ip/regions-4.db'));
  const origin = await serveFile(t, Buffer.from('<!doctype html>'));
  write('short.xdb', kept.subarray(0, 1_000));
  write('cut.mmdb', mmdb.subarray(0, mmdb.length - 200));
  write('cut.gz', gzipSync(kept).subarray(0, 100));
  write('elsewhere.xdb', createXdb([['5.5.0.0', '5.5.255.255', 'X|P|C|I|XX']]));
  const refused: readonly (readonly [args: readonly string[], code: number, said: RegExp])[] = [
    [['--from', 'short.xdb'], 2, /cannot be used as an IP database: it is too short to be an \.xdb file; the old data/],
    [['--from', 'cut.mmdb'], 2, /cannot be used as an IP database: /],
    [['--from', 'cut.gz'], 2, /Cannot unpack "cut\.gz"/],
    [['--from', 'elsewhere.xdb'], 2, /it knows the country of no address that was tried/],
    [['--from', 'none.xdb'], 1, /File "none\.xdb" does not exist/],
    [['--from', '.'], 2, /is no file/],
    [['--from', `${origin}/data`], 2, /cannot be used as an IP database/],
    [['--from', `${origin}/none`], 1, /answers with 404; name another place with --from/],
    [['--from', 'http://127.0.0.1:1/x'], 1, /^Error: Cannot fetch "http:\/\/127\.0\.0\.1:1\/x": /],
    [['--from', 'good.xdb', '--sha256', '0'.repeat(64)], 2, /has the SHA-256 [\da-f]{64}, not 0{64}; it is not used/],
    [['--sha256', '0'.repeat(64)], 2, /'--sha256' needs '--from'/],
    [['--sha256', 'abc'], 2, /It must have 64 hexadecimal digits/],
  ];
  for (const [args, code, said] of refused) {
    const result = await update(...args);
    t.is(result.code, code, args.join(' '));
    t.regex(result.stderr, said);
  }
  t.true(readFileSync(join(cwd, '.docbuild/ip/regions-4.db')).equals(kept));
  t.deepEqual(readdirSync(join(cwd, '.docbuild/ip')), ['regions-4.db']);
  t.false(existsSync(join(cwd, '.docbuild/store')));
});
