import { randomBytes } from 'node:crypto';
import test from 'ava';
import { decompressBody } from '../../../../lib/body-compression.ts';
import {
  type Content,
  divideBytes,
  divideFiles,
  findPart,
  hashBytes,
  type ListParts,
} from '../../../../platform/sites/s3/edition.ts';
import { readSiteFile } from '../../../../platform/sites/site-files.ts';
import type { PublishedSite } from '../../../../platform/sites/site-storage.ts';
import { createRealS3Setup, createS3Setup } from '../../../helpers/create-s3-setup.ts';
import fc from '../../../helpers/fast-check.ts';
import { s3Test } from '../../../helpers/share-s3.ts';
import { readText } from '../storage-contract.ts';

/** Returns a site of so many pages with a text that grows with it, as the search index does. */
function createFiles(count: number, changes: Readonly<Record<number, string>> = {}): Record<string, string> {
  const pages = Array.from({ length: count }, (_, at) => `Page ${at} is about ${hashBytes(Buffer.from(`${at}`))}`);
  const texts = pages.map((text, at) => changes[at] ?? text);
  return {
    'index.html': 'home',
    '_docbuild/search.json': JSON.stringify(texts),
    ...Object.fromEntries(texts.map((text, at) => [`en/v1/part${at % 7}/page${at}.html`, text])),
  };
}

async function readCompressed(site: PublishedSite, path: string, compression: 'br' | 'gzip'): Promise<string> {
  const content = (await readSiteFile((await site.open(path))!, Number.POSITIVE_INFINITY))!;
  const stored = await site.readCompressed(path, { content, compression, maxBytes: 1_000_000 });
  return stored ? (await decompressBody(stored, compression, 10_000_000)).toString() : 'none';
}

test.serial('large sites in S3: what a push uploads follows what it changes, not the size of the site', async (t) => {
  for (const count of [3_000, 6_000]) {
    const { open, publish } = await createS3Setup(t);
    const opened = open();
    const first = await publish(opened, createFiles(count));
    const one = await publish(opened, createFiles(count, { 77: 'Another text' }), { build: 'b2' });
    t.true(one!.bytes < 100_000, `${one!.bytes} bytes of ${first!.bytes} for a change among ${count}`);
    t.true(one!.objects <= 10, String(one!.objects));
    const added = await publish(opened, createFiles(count + 1, { 77: 'Another text' }), { build: 'b3' });
    t.true(added!.bytes < 100_000, `${added!.bytes} bytes for a new page among ${count}`);
    t.is((await publish(opened, createFiles(count + 1, { 77: 'Another text' }), { build: 'b4' }))!.objects, 0);
  }
});

for (const [title, declare, createSetup, count] of [
  ['a fake', test.serial, createS3Setup, 2_000],
  ['a real server', s3Test, createRealS3Setup, 400],
] as const) {
  declare(
    `large sites in S3: readers at other nodes get every page, and texts compressed, from ${title}`,
    async (t) => {
      const { open, publish } = await createSetup(t);
      const builder = open();
      await publish(builder, createFiles(count));
      // Long enough for pieces however many pages there are.
      const files = createFiles(count, { 3: 'third '.repeat(30_000), [count - 1]: 'last' });
      await publish(builder, files, { build: 'b2' });
      const { sites, errors } = open();
      const site = await sites.find('guide');
      for (const [path, text] of Object.entries(files)) t.is(await readText(site, `/${path}`), text, path);
      t.is(await readText(site, '/en/v1/part0/page0'), files['en/v1/part0/page0.html']!);
      for (const path of ['/0', '/zzz', '/en/v1/part0/page0.htm', '/en/v1/', '/en/v1/part9/']) {
        t.is(await readText(site, path), 'missing', path);
      }
      for (const compression of ['br', 'gzip', 'br'] as const) {
        t.is(await readCompressed(site, '/_docbuild/search.json', compression), files['_docbuild/search.json']!);
      }
      t.deepEqual(errors, []);
    },
  );
}

test.serial('large sites in S3: a reader of one page asks for the lists on the way to it only', async (t) => {
  const { s3, open, publish } = await createS3Setup(t);
  await publish(open(), createFiles(1_500));
  const { sites } = open();
  s3.requests.length = 0;
  t.regex(await readText(await sites.find('guide'), '/en/v1/part5/page40.html'), /^Page 40 /);
  const gets = s3.requests.filter((request) => request.startsWith('GET'));
  t.true(gets.length <= 7, `${gets.length} requests`);
});

test.serial('large sites in S3: garbage is collected, and nothing of the live edition is', async (t) => {
  const { open, publish, objects } = await createS3Setup(t);
  const clock = { ms: Date.UTC(2026, 0, 1) };
  const day = 86_400_000;
  const builder = open({ now: () => new Date(clock.ms) });
  const files = [createFiles(1_000), createFiles(1_000, { 5: 'five' }), createFiles(1_000, { 5: 'five', 6: 'six' })];
  for (const [at, one] of files.entries()) {
    await publish(builder, one, { build: `b${at}` });
    clock.ms += day;
  }
  clock.ms += 3 * day;
  const before = objects().size;
  const { found } = await builder.sites.collect();
  clock.ms += 2 * day;
  t.is((await builder.sites.collect()).removed, found);
  t.true(found >= 6 && found < 40, `${found} of ${before}`);
  const site = await open().sites.find('guide');
  for (const [path, text] of Object.entries(files.at(-1)!)) t.is(await readText(site, `/${path}`), text, path);
});

test.serial('large sites in S3: pieces and parts that S3 has lost are uploaded again', async (t) => {
  const { open, publish, objects } = await createS3Setup(t);
  const files = createFiles(600, { 3: 'x'.repeat(200) });
  const builder = open();
  await publish(builder, files);
  const whole = [...objects().keys()];
  // Every tenth, and the youngest: lists and the root.
  const lost = whole.filter((_, at) => at % 10 === 0 || at > whole.length - 15);
  for (const key of lost) (objects() as Map<string, Buffer>).delete(key);
  await publish(builder, files, { build: 'b2', isThorough: true });
  t.deepEqual([...objects().keys()].sort(), whole.sort());
});

test('divideBytes(): pieces are the whole, of bounded size, and a change leaves most of them as they were', (t) => {
  const hashes = (bytes: Buffer) => divideBytes(bytes).map(hashBytes);
  const bytes = randomBytes(3_000_000);
  const pieces = divideBytes(bytes);
  t.true(Buffer.concat(pieces).equals(bytes));
  t.true(pieces.length > 40 && pieces.length < 150, String(pieces.length));
  t.true(pieces.every(({ length }) => length <= 131_072));
  const known = new Set(hashes(bytes));
  for (const at of [0, 1_000_000, 2_999_999]) {
    const changed = Buffer.concat([bytes.subarray(0, at), Buffer.from('inserted'), bytes.subarray(at)]);
    t.true(hashes(changed).filter((hash) => !known.has(hash)).length <= 3, String(at));
  }
  // Nothing to cut at.
  t.true(divideBytes(Buffer.alloc(1_000_000)).every(({ length }) => length <= 131_072));
  t.deepEqual(divideBytes(Buffer.alloc(0)), []);
});

test('divideFiles(): every path is found in its part, and in no other', (t) => {
  const path = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.nat(2_000).map((n) => `part${n % 5}/page${n}.html`),
  );
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 600 }), fc.string(), (paths, other) => {
        const divided = divideFiles(paths.map((one) => [one, one] as const));
        const parts: ListParts = divided.map((files, at) => [
          at === 0 ? '' : files[0]![0],
          { hash: `${at}` } as Content,
        ]);
        for (const [at, files] of divided.entries()) {
          for (const [one] of files) if (findPart(parts, one)!.hash !== `${at}`) throw new Error(`"${one}" is lost`);
        }
        if (divided.flat().length !== paths.length || !findPart(parts, other)) throw new Error('Something is lost');
      }),
    ),
  );
});
