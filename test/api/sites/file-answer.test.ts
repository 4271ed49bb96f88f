import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { parseRange } from '../../../api/sites/file-answer.ts';
import { cpuTimeMs } from '../../helpers/cpu-time.ts';
import fc from '../../helpers/fast-check.ts';
import { serveSite } from '../../helpers/serve-site.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

test('parseRange() reads first and last byte, open ends and suffixes', (t) => {
  t.deepEqual(parseRange('bytes=0-0', 10), { start: 0, end: 0 });
  t.deepEqual(parseRange('bytes=3-', 10), { start: 3, end: 9 });
  t.deepEqual(parseRange('bytes=-4', 10), { start: 6, end: 9 });
  t.deepEqual(parseRange('bytes=-40', 10), { start: 0, end: 9 });
  t.deepEqual(parseRange('bytes=5-99999999999999999999999', 10), { start: 5, end: 9 });
  t.deepEqual(parseRange('Bytes= , 2-4 ,', 10), { start: 2, end: 4 });
});

test('parseRange() finds none where the body has no such bytes', (t) => {
  for (const field of ['bytes=10-', 'bytes=10-12', 'bytes=-0', 'bytes=99999999999999999999999-'])
    t.is(parseRange(field, 10), 'none', field);
  for (const field of ['bytes=0-', 'bytes=-1', 'bytes=-0']) t.is(parseRange(field, 0), 'none', field);
});

test('parseRange() ignores what it does not understand', (t) => {
  const fields = [
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=a-b',
    'bytes=1-2,4-5',
    'lines=1-2',
    'bytes=2-1',
    'bytes=1',
    'bytes=--1',
    'bytes=1-2-3',
    'bytes=+1-2',
    'bytes=0x1-2',
    'bytes=1 - 2',
  ];
  for (const field of fields) t.is(parseRange(field, 10), undefined, field);
});

test.serial('parseRange() takes no time for long fields', (t) => {
  for (const field of [
    `bytes=${'9'.repeat(15_000)}-${'9'.repeat(15_000)}`,
    `bytes=${','.repeat(15_000)}`,
    `bytes=${' '.repeat(15_000)}x`,
  ]) {
    const start = cpuTimeMs();
    parseRange(field, 10);
    t.true(cpuTimeMs() - start < 2_000);
  }
});

/** The bytes that RFC 9110 means, found by looking at each. */
function selectBytes(body: Buffer, first: number | undefined, last: number | undefined): Buffer {
  return Buffer.from(
    [...body].filter((_, i) =>
      first === undefined ? i >= body.length - last! : i >= first && i <= (last ?? Infinity),
    ),
  );
}

test('createSiteServer() sends the bytes that are asked for', async (t) => {
  const body = Buffer.from(Array.from({ length: 200 }, (_, i) => i));
  const site = await serveSite(t, { 'a.bin': body });
  const position = fc.option(fc.nat({ max: 250 }), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(position, position, async (first, last) => {
      fc.pre(
        (first !== undefined || last !== undefined) && !(first !== undefined && last !== undefined && first > last),
      );
      const answer = await site.ask('/a.bin', { headers: { range: `bytes=${first ?? ''}-${last ?? ''}` } });
      const wanted = selectBytes(body, first, last);
      if (wanted.length === 0) {
        t.deepEqual([answer.status, answer.headers['content-range'], answer.body.length], [416, 'bytes */200', 0]);
        return;
      }
      t.is(answer.status, 206);
      t.true(answer.body.equals(wanted));
      t.is(answer.headers['content-length'], String(wanted.length));
      t.is(answer.headers['content-range'], `bytes ${wanted[0]}-${wanted.at(-1)}/200`);
    }),
    { numRuns: 50 },
  );
});

test('createSiteServer() sends parts of the plain body only', async (t) => {
  const text = 'abcdefghij'.repeat(500);
  const site = await serveSite(t, { 'a.txt': text });
  const part = await site.ask('/a.txt', { headers: { range: 'bytes=0-4', 'accept-encoding': 'br' } });
  t.deepEqual([part.status, part.text, part.headers['content-encoding']], [206, 'abcde', undefined]);
  const refused = await site.ask('/a.txt', { headers: { range: 'bytes=0-4', 'accept-encoding': 'br, identity;q=0' } });
  t.deepEqual([refused.status, refused.headers['content-encoding']], [200, 'br']);
});

test('createSiteServer() sends a part only while the body is the one that If-Range names', async (t) => {
  const site = await serveSite(t, { 'a.txt': 'abcdef' });
  const { etag } = (await site.ask('/a.txt')).headers;
  const status = async (field: string) =>
    (await site.ask('/a.txt', { headers: { range: 'bytes=0-1', 'if-range': field } })).status;
  t.is(await status(etag!), 206);
  t.is(await status(`W/${etag}`), 200);
  t.is(await status('"x"'), 200);
  t.is(await status('Fri, 20 Nov 2026 10:00:00 GMT'), 200);
});

test('createSiteServer() sends parts to GET alone, and conditions come first', async (t) => {
  const site = await serveSite(t, { 'a.txt': 'abcdef', '404.html': 'abcdef' });
  const headers = { range: 'bytes=0-1' };
  const head = await site.ask('/a.txt', { method: 'HEAD', headers });
  t.deepEqual([head.status, head.headers['content-length']], [200, '6']);
  t.is((await site.ask('/a.txt', { headers: { ...headers, 'if-none-match': '*' } })).status, 304);
  const missing = await site.ask('/none', { headers });
  t.deepEqual([missing.status, missing.text], [404, 'abcdef']);
});

/** More than the buffers of a connection hold. */
const LARGE = Buffer.alloc(40_000_000, 'x');

/** Sends requests and takes nothing of the answers until it is told to. */
function openReader(t: ExecutionContext, url: string, text: string): Socket {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(text);
  t.teardown(() => socket.destroy());
  return socket;
}

const GET_LARGE = 'GET /large.bin HTTP/1.1\r\nHost: x\r\n\r\n';

test('createSiteServer() leaves a reader of a large file who takes nothing', async (t) => {
  const site = await serveSite(t, { 'large.bin': LARGE }, { stallMs: 200 });
  openReader(t, site.url, GET_LARGE);
  await waitUntil(async () => (await site.connections()) === 1);
  await waitUntil(async () => (await site.connections()) === 0);
  t.deepEqual(site.errors, []);
});

test('createSiteServer() leaves a reader of what is in memory who takes nothing', async (t) => {
  const site = await serveSite(t, { 'page.bin': LARGE.subarray(0, 3_000_000) }, { stallMs: 200 });
  openReader(t, site.url, 'GET /page.bin HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20));
  await waitUntil(async () => (await site.connections()) === 1);
  await waitUntil(async () => (await site.connections()) === 0);
  t.deepEqual(site.errors, []);
});

test('createSiteServer() leaves a reader who takes nothing, but goes on to ask', async (t) => {
  const site = await serveSite(t, { 'large.bin': LARGE }, { stallMs: 200 });
  const socket = openReader(t, site.url, GET_LARGE);
  const asking = setInterval(() => socket.write(GET_LARGE), 20);
  t.teardown(() => clearInterval(asking));
  await waitUntil(async () => (await site.connections()) === 1);
  await waitUntil(async () => (await site.connections()) === 0);
  t.deepEqual(site.errors, []);
});

test.serial('createSiteServer() sends all of a file to a reader who is slow, but goes on to take', async (t) => {
  const stallMs = 600;
  const site = await serveSite(t, { 'large.bin': LARGE }, { stallMs });
  const start = performance.now();
  const socket = openReader(t, site.url, GET_LARGE.replace('Host: x', 'Host: x\r\nConnection: close'));
  let bytes = 0;
  for await (const chunk of socket) {
    bytes += (chunk as Buffer).length;
    if (performance.now() - start < 2 * stallMs) await setTimeout(10);
  }
  t.true(bytes > LARGE.length);
  t.true(performance.now() - start > stallMs);
});
