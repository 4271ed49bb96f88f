import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { listKeys } from '../../../../platform/sites/s3/s3-bucket.ts';
import type { FaultyS3Setup } from '../../../helpers/create-s3-setup.ts';
import type { OpenedS3Sites } from '../../../helpers/open-s3-sites.ts';
import type { S3Fault } from '../../../helpers/serve-s3.ts';
import type { ConditionalTest } from '../../../helpers/test-if.ts';
import { waitUntil } from '../../../helpers/wait-until.ts';
import { readText } from '../storage-contract.ts';

const WORDS = 'Words about documentation. '.repeat(200);
const FILES = {
  'index.html': WORDS,
  'en/v1/a.html': `${WORDS} a`,
  'en/v1/b.html': 'b',
  'image.png': randomBytes(3_000),
};
const PATIENCE = { retryMs: 10_000 };

/** Returns the keys of all objects. */
async function listObjects({ bucket }: Pick<OpenedS3Sites, 'bucket'>): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const key of listKeys(bucket, '', PATIENCE)) keys.push(key);
  return keys;
}

/** Tests what sites in S3 promise while requests go wrong. */
export function testS3Faults(
  name: string,
  test: ConditionalTest,
  createSetup: (t: ExecutionContext) => Promise<FaultyS3Setup>,
): void {
  test(`${name}: an upload goes on where requests fail once`, async (t) => {
    for (const fault of [500, 503, 'cut', 'never', 'middle', 'half', 'half-sent'] as const) {
      const { s3, open, publish } = await createSetup(t);
      const failed = new Set<string>();
      s3.fault = (method, path) => {
        if (failed.has(method + path)) return undefined;
        failed.add(method + path);
        return fault;
      };
      const opened = open({ timeoutMs: fault === 'never' ? 200 : 20_000 });
      await publish(opened, FILES);
      s3.fault = undefined;
      t.is(await readText(await opened.sites.find('guide'), '/en/v1/b.html'), 'b', String(fault));
      t.true(failed.size > 5);
    }
  });

  test(`${name}: an upload that cannot be done fails in its time, says why, and leaves readers what they had`, async (t) => {
    const { s3, open, publish, projects } = await createSetup(t);
    const opened = open({ retryMs: 300, timeoutMs: 2_000 });
    await publish(open({ folder: join(opened.cacheFolder, '..') }), FILES);
    const before = await listObjects(opened);
    const cases: readonly (readonly [S3Fault, RegExp])[] = [
      [500, /^Bucket "[\w-]+" at 127\.0\.0\.1:\d+ answered 500 \(InternalError\) to PUT of "/],
      [503, /answered 503 \(SlowDown\) to PUT/],
      [403, /answered 403 \(InternalError\) to PUT/],
      ['cut', /Bucket "[\w-]+" at \S+ cannot be used: Cannot reach/],
      ['never', /cannot be used: "127\.0\.0\.1:\d+" did not answer within 2 s/],
    ];
    for (const [fault, message] of cases) {
      s3.fault = (method) => (method === 'PUT' ? fault : undefined);
      const error = await t.throwsAsync(publish(opened, { ...FILES, 'en/v1/b.html': 'new' }, { build: 'b2' }));
      t.is(error.message, "Cannot upload the site: its storage cannot be used; the server's log says why");
      t.regex((error.cause as Error).message, message);
      t.is(await readText(await opened.sites.find('guide'), '/en/v1/b.html'), 'b');
      t.is((await projects.find('guide'))?.site?.staged, undefined, 'garbage is not kept for it');
    }
    t.deepEqual(await listObjects(opened), before);
    s3.fault = undefined;
    await publish(opened, { ...FILES, 'en/v1/b.html': 'new' }, { build: 'b3' });
    t.is(await readText(await opened.sites.find('guide'), '/en/v1/b.html'), 'new');
  });

  test(`${name}: a reader waits no longer than is bearable, and then for what another one has asked for`, async (t) => {
    const { s3, open, publish } = await createSetup(t);
    await publish(open(), FILES);
    const { sites, warnings } = open({ waitMs: 1_000 });
    // A server on a busy machine may take longer.
    await waitUntil(async () => (await readText(await sites.find('guide'), '/en/v1/b.html').catch(() => '')) === 'b');
    for (const fault of ['never', 'cut', 500, 503, 'middle', 'half'] as const) {
      s3.fault = () => fault;
      const site = await sites.find('guide');
      const start = performance.now();
      await t.throwsAsync(readText(site, '/en/v1/a.html'), { code: 'busy' } as never, String(fault));
      t.true(performance.now() - start < 5_000);
      // Whether there is a page is known.
      t.is(await readText(site, '/en/v1/none.html'), 'missing');
      t.is(await readText(site, '/en/v1/b.html'), 'b');
    }
    t.true(
      warnings.some((line) =>
        /^A reader was answered 503: Bucket "[\w-]+" at \S+ did not answer within 1000 ms/.test(line),
      ),
    );
  });

  test(`${name}: answers that arrive in part are asked for again, and never taken for the whole`, async (t) => {
    for (const fault of ['middle', 'half'] as const) {
      const { s3, open, publish } = await createSetup(t);
      const pages = Array.from({ length: 30 }, (_, i) => [`en/v1/${i}.html`, `${WORDS} ${i}`] as const);
      const files = { ...FILES, ...Object.fromEntries(pages), 'large.bin': randomBytes(9_000_000) };
      const failed = new Set<string>();
      s3.fault = (method, path) => {
        if (method !== 'GET' || failed.has(path)) return undefined;
        failed.add(path);
        return fault;
      };
      await publish(open(), files);
      t.true(failed.size > 0, 'the listing of what an upload before has left');
      const { sites } = open();
      for (const [path, text] of [...pages, ['index.html', WORDS] as const]) {
        t.is(await readText(await sites.find('guide'), `/${path}`), text, String(fault));
      }
      t.true(failed.size > pages.length);
      s3.fault = (method) => (method === 'GET' ? fault : undefined);
      const { sites: late, bucket } = open({ waitMs: 3_000 });
      await t.throwsAsync(readText(await late.find('guide'), '/large.bin'), { code: 'busy' } as never);
      await t.throwsAsync(bucket.list('', { retryMs: 0 }), { message: /sent a part of its answer|cannot be used/ });
    }
  });

  test(`${name}: a page that takes many slow answers of S3 waits no longer than for one`, async (t) => {
    const { s3, open, publish } = await createSetup(t);
    await publish(open(), FILES);
    const { sites } = open({ waitMs: 5_000 });
    // Root, lists, and the page, one after the other.
    s3.fault = (method) => (method === 'GET' ? { lateMs: 3_500 } : undefined);
    const startMs = performance.now();
    await t.throwsAsync(async () => readText(await sites.find('guide'), '/en/v1/a.html'), { code: 'busy' } as never);
    const tookMs = performance.now() - startMs;
    t.true(tookMs < 8_500, String(tookMs));
    // What has arrived meanwhile is kept, so that the next ones get further.
    await waitUntil(async () => (await readText(await sites.find('guide'), '/en/v1/b.html').catch(() => '')) === 'b');
  });

  test(`${name}: a node that cannot load what is new goes on with what it has`, async (t) => {
    const { s3, open, publish } = await createSetup(t);
    const writer = open();
    await publish(writer, FILES);
    const { sites } = open();
    for (const path of ['/index.html', '/en/v1/a.html']) await readText(await sites.find('guide'), path);
    await publish(writer, { ...FILES, 'index.html': 'new' }, { build: 'b2' });
    s3.fault = () => 500;
    const old = await sites.find('guide');
    t.is(await readText(old, '/index.html'), WORDS);
    t.true(old.isOutdated, 'no CDN should keep it');
    s3.fault = undefined;
    let text = WORDS;
    while (text === WORDS) text = await readText(await sites.find('guide'), '/index.html');
    t.is(text, 'new');
    t.falsy((await sites.find('guide')).isOutdated);
  });

  test(`${name}: an edition that S3 has lost is uploaded whole by the next build`, async (t) => {
    const { open, publish } = await createSetup(t);
    const first = open();
    await publish(first, FILES);
    for (const key of await listObjects(first)) await first.bucket.remove(key, PATIENCE);
    // Another machine has none of it.
    const { sites, ...second } = open();
    t.false(await sites.isWhole('guide'));
    await publish({ sites, ...second }, FILES, { build: 'b2' });
    t.is(second.errors.length, 1);
    const third = open();
    t.is(await readText(await third.sites.find('guide'), '/index.html'), WORDS);
  });

  test(`${name}: what is damaged in S3 is never sent`, async (t) => {
    const { open, publish } = await createSetup(t);
    const { bucket, ...writer } = open();
    await publish({ bucket, ...writer }, FILES);
    for (const key of await listObjects({ bucket })) {
      await bucket.put(key, Buffer.from((await bucket.get(key, PATIENCE))!.toReversed()), PATIENCE);
    }
    const { sites, warnings } = open();
    await t.throwsAsync(readText(await sites.find('guide'), '/index.html'), { code: 'busy' } as never);
    t.regex(
      warnings.join('\n'),
      /has other bytes as ".*" than were published; if something on the way cuts answers, .* and build all versions/,
    );
  });
}
