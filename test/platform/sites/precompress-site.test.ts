import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import test from 'ava';
import { openFolderSite } from '../../../platform/sites/folder-sites.ts';
import { precompressSite } from '../../../platform/sites/precompressor.ts';
import { serveSite } from '../../helpers/serve-site.ts';

const page = (text: string): string =>
  `<!doctype html>\n<html><body>${`<p>${text} and more words</p>\n`.repeat(200)}</body></html>\n`;
const hash = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');
const bodies = (store: string): readonly string[] =>
  readdirSync(store)
    .filter((name) => name !== 'index.json')
    .sort();

test('precompressSite() stores each content once, under the hash of its bytes', async (t) => {
  const site = await serveSite(t, { 'a.html': page('a'), 'b/c.html': page('a'), 'd.svg': page('d') });
  linkSync(join(site.folder, 'a.html'), join(site.folder, 'link.html'));
  const store = join(site.outside, 'compressed');
  const { contents, made, kept, removed } = await precompressSite({ folder: site.folder, store });
  t.deepEqual({ contents, made, kept, removed }, { contents: 2, made: 4, kept: 0, removed: 0 });
  t.deepEqual(bodies(store), [hash(page('a')), hash(page('d'))].flatMap((name) => [`${name}.br`, `${name}.gz`]).sort());
  t.is(brotliDecompressSync(readFileSync(join(store, `${hash(page('a'))}.br`))).toString(), page('a'));
  t.is(gunzipSync(readFileSync(join(store, `${hash(page('d'))}.gz`))).toString(), page('d'));
});

test('precompressSite() leaves out what is small, of no compressible type, not served, or does not become smaller', async (t) => {
  const noise = Buffer.from(Array.from({ length: 5_000 }, (_, i) => hash(String(i)).charCodeAt(0) * 7 + i * i));
  const random = createHash('shake256', { outputLength: 20_000 }).update('seed').digest();
  const site = await serveSite(t, {
    'small.html': 'x'.repeat(1_000),
    'a.png': page('a'),
    '.hidden.html': page('h'),
    'random.txt': random,
  });
  writeFileSync(join(site.outside, 'secret.html'), Buffer.concat([noise, Buffer.from(page('s'))]));
  symlinkSync('../secret.html', join(site.folder, 'link.html'));
  const store = join(site.outside, 'compressed');
  t.is((await precompressSite({ folder: site.folder, store })).made, 0);
  t.deepEqual(bodies(store), []);
});

test('precompressSite() does nothing again, and removes what is not used any more', async (t) => {
  const random = createHash('shake256', { outputLength: 20_000 }).update('seed').digest();
  const site = await serveSite(t, { 'a.html': page('a'), 'b.html': page('b'), 'random.txt': random });
  const store = join(site.outside, 'compressed');
  await precompressSite({ folder: site.folder, store });
  const before = statSync(join(store, `${hash(page('a'))}.br`)).mtimeMs;
  rmSync(join(site.folder, 'b.html'));
  site.write('c.html', page('c'));
  const { made, kept, removed } = await precompressSite({ folder: site.folder, store });
  t.deepEqual({ made, kept, removed }, { made: 2, kept: 2, removed: 2 });
  t.is(statSync(join(store, `${hash(page('a'))}.br`)).mtimeMs, before);
  t.false(existsSync(join(store, `${hash(page('b'))}.br`)));
});

test('precompressSite() makes again what is missing, and starts over with a damaged index', async (t) => {
  const site = await serveSite(t, { 'a.html': page('a'), 'b.html': page('b') });
  const store = join(site.outside, 'compressed');
  await precompressSite({ folder: site.folder, store });
  rmSync(join(store, `${hash(page('a'))}.gz`));
  t.is((await precompressSite({ folder: site.folder, store })).made, 1);
  for (const text of [
    '',
    '{',
    'null',
    '[]',
    '{"settings":"br7 gzip8"}',
    '{"settings":"br7 gzip8","hashes":[1],"sizes":7}',
  ]) {
    writeFileSync(join(store, 'index.json'), text);
    t.is((await precompressSite({ folder: site.folder, store })).made, 4, text);
  }
});

test('precompressSite() removes what a dead process left, and no file that is not its own', async (t) => {
  const site = await serveSite(t, { 'a.html': page('a') });
  const store = join(site.outside, 'compressed');
  await precompressSite({ folder: site.folder, store });
  writeFileSync(join(store, 'old.br.0123.tmp'), 'x');
  utimesSync(join(store, 'old.br.0123.tmp'), 1_600_000_000, 1_600_000_000);
  writeFileSync(join(store, 'new.br.0123.tmp'), 'x');
  writeFileSync(join(store, 'README'), 'x');
  await precompressSite({ folder: site.folder, store });
  t.deepEqual(
    readdirSync(store)
      .filter((name) => !/^[0-9a-f]{64}/.test(name))
      .sort(),
    ['README', 'index.json', 'new.br.0123.tmp'],
  );
});

test('precompressSite() stops when it is told to', async (t) => {
  const site = await serveSite(t, { 'a.html': page('a') });
  const store = join(site.outside, 'compressed');
  const reason = new Error('Enough');
  const work = precompressSite({ folder: site.folder, store, signal: AbortSignal.abort(reason) });
  t.is(await t.throwsAsync(work), reason);
  t.is((await precompressSite({ folder: site.folder, store })).made, 2);
});

test('precompressSite() finds nothing where nothing is published', async (t) => {
  const site = await serveSite(t);
  const store = join(site.outside, 'compressed');
  t.is((await precompressSite({ folder: join(site.outside, 'none'), store })).contents, 0);
});

test('createSiteServer() sends what was compressed ahead, also of files too large to be compressed at once', async (t) => {
  const text = page('large').repeat(100);
  const site = await serveSite(t, { 'a.html': text });
  const store = join(site.outside, 'compressed');
  const served = await serveSite(t, {}, { site: { files: openFolderSite(site.folder, store) } });
  const headers = { 'accept-encoding': 'br' };
  t.is((await served.ask('/a.html', { headers })).headers['content-encoding'], undefined, 'nothing is there yet');
  await precompressSite({ folder: site.folder, store });
  const answer = await served.ask('/a.html', { headers });
  t.is(answer.headers['content-encoding'], 'br');
  t.is(brotliDecompressSync(answer.body).toString(), text);
  t.true(answer.body.equals(readFileSync(join(store, `${hash(text)}.br`))));
});

test('createSiteServer() never sends a damaged compressed body', async (t) => {
  const text = page('a');
  for (const damage of [
    () => Buffer.alloc(0),
    (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1),
    () => Buffer.from('nonsense'),
    (_: Buffer, other: Buffer) => other,
  ]) {
    const site = await serveSite(t, { 'a.html': text, 'b.html': page('b') });
    const store = join(site.outside, 'compressed');
    const served = await serveSite(t, {}, { site: { files: openFolderSite(site.folder, store) } });
    await precompressSite({ folder: site.folder, store });
    for (const [suffix, decompress] of [
      ['br', brotliDecompressSync],
      ['gz', gunzipSync],
    ] as const) {
      const path = join(store, `${hash(text)}.${suffix}`);
      writeFileSync(path, damage(readFileSync(path), readFileSync(join(store, `${hash(page('b'))}.${suffix}`))));
      const answer = await served.ask('/a.html', { headers: { 'accept-encoding': suffix === 'gz' ? 'gzip' : 'br' } });
      t.is((answer.headers['content-encoding'] ? decompress(answer.body) : answer.body).toString(), text);
    }
  }
});

test('createSiteServer() sends the plain body rather than let a reader wait', async (t) => {
  const site = await serveSite(t, { 'a.html': page('a'), 'b.html': page('b') }, { maxWaitMs: 0 });
  const encodings = new Set<string | undefined>();
  // What was begun is there later.
  while (!encodings.has('br')) {
    const answer = await site.ask('/a.html', { headers: { 'accept-encoding': 'br' } });
    const encoding = answer.headers['content-encoding'];
    encodings.add(encoding);
    t.is((encoding ? brotliDecompressSync(answer.body) : answer.body).toString(), page('a'));
  }
});
