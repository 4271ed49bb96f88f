import { get, type IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import test from 'ava';
import { createServer } from '../../helpers/create-server.ts';

/** Requests a URL without a client that decodes the answer by itself. */
function ask(url: string, headers: Record<string, string>) {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    get(url, { headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', reject);
      response.once('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    }).once('error', reject);
  });
}

test('server: the script, descriptions and its own documents are compressed like pages', async (t) => {
  const server = await createServer(t);
  const url = 'https://example.com/you/guide.git';
  const lang = [...'abcdefghij'].flatMap((first) => [...'abcdefghij'].map((second) => `${first}${second}_Hans_CN`));
  await server.operations.createProject({ name: 'guide', settings: { url, lang } });
  for (const path of ['/docbuild/assets/docbuild.js', '/docbuild/desc/guide', '/openapi.json', '/docbuild/api']) {
    const url = server.origin + path;
    const plain = await ask(url, {});
    t.deepEqual([plain.status, plain.headers['content-encoding']], [200, undefined], path);
    t.regex(plain.headers.vary ?? '', /\bAccept-Encoding\b/i, path);
    const tags = new Set([plain.headers.etag]);
    for (const [field, coding, decode] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip;q=1, *;q=0', 'gzip', gunzipSync],
    ] as const) {
      const small = await ask(url, { 'Accept-Encoding': field });
      t.is(small.headers['content-encoding'], coding, path);
      t.true(small.body.length < 0.95 * plain.body.length, path);
      t.deepEqual(decode(small.body), plain.body, path);
      tags.add(small.headers.etag);
      const again = await ask(url, { 'Accept-Encoding': field, 'If-None-Match': small.headers.etag! });
      t.deepEqual([again.status, again.body.length, again.headers.etag], [304, 0, small.headers.etag], path);
    }
    t.is(tags.size, 3, path);
  }
});

test('server: answers that fit into one packet are sent as they are', async (t) => {
  const server = await createServer(t);
  await server.operations.createProject({ name: 'guide', settings: { url: 'https://example.com/you/guide.git' } });
  const { headers } = await ask(`${server.origin}/docbuild/desc/guide`, { 'Accept-Encoding': 'br' });
  t.is(headers['content-encoding'], undefined);
});
