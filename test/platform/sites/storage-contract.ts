import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { ExecutionContext } from 'ava';
import { hashBytes } from '../../../platform/sites/s3/edition.ts';
import { closeFile, readSiteFile } from '../../../platform/sites/site-files.ts';
import { type PublishedSite, type SiteStorage, siteFolder } from '../../../platform/sites/site-storage.ts';
import { publishFiles, takeDownFiles } from '../../helpers/publish-files.ts';
import type { ConditionalTest } from '../../helpers/test-if.ts';

const PROJECT = 'guide';
const ORDER = { project: PROJECT, build: 'b1', timeoutMs: 60_000 };
const WORDS = 'Words about documentation. '.repeat(200);

/** Returns the text of the file at a path; how it is found otherwise. */
export async function readText(site: PublishedSite, path: string): Promise<string> {
  const isFolder = path.endsWith('/');
  const found = await site.find({ path, isFolder });
  if (found.kind !== 'file') return found.kind;
  const file = await site.open(found.path);
  if (!file) return 'gone';
  try {
    const content = await readSiteFile(file, Number.POSITIVE_INFINITY);
    return content?.body?.toString() ?? 'changed';
  } finally {
    closeFile(file);
  }
}

/** Tests what every storage of sites promises; the project `guide` exists. */
export function testStorage(
  name: string,
  test: ConditionalTest,
  open: (t: ExecutionContext) => Promise<SiteStorage>,
): void {
  const publish = async (storage: SiteStorage, files: Parameters<typeof publishFiles>[1], build = 'b1') => {
    await publishFiles(siteFolder(storage.folder, PROJECT), files);
    return storage.publish({ ...ORDER, build, signal: new AbortController().signal });
  };

  test(`${name}: readers find what a build has left, and nothing before`, async (t) => {
    const storage = await open(t);
    t.is(await readText(await storage.find(PROJECT), '/index.html'), 'missing');
    t.false(await storage.isWhole(PROJECT));
    await publish(storage, {
      'index.html': 'home',
      'en/v1/guide/index.html': WORDS,
      'en/v1/guide/start.html': 'start',
      'en/v1/both.html': 'page',
      'en/v1/both/index.html': 'folder',
      'en/latest/guide/index.html': WORDS,
      'image.png': Buffer.from([1, 2, 3]),
    });
    t.true(await storage.isWhole(PROJECT));
    const site = await storage.find(PROJECT);
    const read = (path: string) => readText(site, path);
    t.is(await read('/'), 'home');
    t.is(await read('/en/v1/guide/'), WORDS);
    t.is(await read('/en/v1/guide'), 'folder');
    t.is(await read('/en/v1/guide/start'), 'start');
    t.is(await read('/en/v1/guide/start.html'), 'start');
    t.is(await read('/en/v1/guide/start/'), 'page');
    t.is(await read('/en/v1/both'), 'page');
    t.is(await read('/en/v1/both/'), 'folder');
    t.is(await read('/en/latest/guide/'), WORDS);
    t.is(await read('/image.png'), '\x01\x02\x03');
    for (const path of ['/en', '/en/', '/en/v1', '/en/v2/guide/', '/none', '/en/v1/guide/start.html/x', '/index.htm']) {
      t.is(await read(path), 'missing', path);
    }
    t.is(await readText(await storage.find('another'), '/'), 'missing');
  });

  test(`${name}: what readers get has a name, which is another one when any file is, and none where there is nothing`, async (t) => {
    const storage = await open(t);
    t.is(await storage.identify(PROJECT), '');
    await publish(storage, { 'a.html': WORDS, 'b.html': 'b' });
    const first = await storage.identify(PROJECT);
    await publish(storage, { 'a.html': WORDS, 'b.html': 'b' }, 'b2');
    t.is(await storage.identify(PROJECT), first);
    await publish(storage, { 'a.html': WORDS, 'b.html': 'c' }, 'b3');
    const second = await storage.identify(PROJECT);
    t.is(new Set(['', first, second]).size, 3);
    takeDownFiles(siteFolder(storage.folder, PROJECT));
    await storage.publish({ ...ORDER, build: 'b4', signal: new AbortController().signal });
    t.is(await storage.identify(PROJECT), '');
    t.is(await storage.identify('another'), '');
  });

  test(`${name}: a build replaces the site as a whole, and a build without versions takes it down`, async (t) => {
    const storage = await open(t);
    await publish(storage, { 'a.html': WORDS, 'b.html': 'b', 'en/v1/c.html': 'c' });
    const before = await storage.find(PROJECT);
    await before.find({ path: '/a.html', isFolder: false });
    await publish(storage, { 'a.html': WORDS, 'b.html': 'new', 'en/v2/c.html': 'c' }, 'b2');
    const site = await storage.find(PROJECT);
    t.is(await readText(site, '/a.html'), WORDS);
    t.is(await readText(site, '/b.html'), 'new');
    t.is(await readText(site, '/en/v1/c.html'), 'missing');
    t.is(await readText(site, '/en/v2/c.html'), 'c');
    takeDownFiles(siteFolder(storage.folder, PROJECT));
    await storage.publish({ ...ORDER, build: 'b3', signal: new AbortController().signal });
    t.is(await readText(await storage.find(PROJECT), '/a.html'), 'missing');
    t.false(await storage.isWhole(PROJECT));
  });

  test(`${name}: files of the theme that a build has replaced stay until it changes again`, async (t) => {
    const storage = await open(t);
    const publishStyle = (hash: string, text = hash) =>
      publish(storage, { 'index.html': text, [`_docbuild/site.${hash}.css`]: hash }, `b-${hash}-${text}`);
    const listStyles = async () => {
      const site = await storage.find(PROJECT);
      const found: string[] = [];
      for (const hash of ['11111111', '22222222', '33333333']) {
        if ((await readText(site, `/_docbuild/site.${hash}.css`)) === hash) found.push(hash);
      }
      return found;
    };
    await publishStyle('11111111');
    t.deepEqual(await listStyles(), ['11111111']);
    await publishStyle('22222222');
    t.deepEqual(await listStyles(), ['11111111', '22222222']);
    await publishStyle('22222222', 'another text');
    t.deepEqual(await listStyles(), ['11111111', '22222222']);
    await publishStyle('33333333');
    t.deepEqual(await listStyles(), ['22222222', '33333333']);
    await publishStyle('22222222');
    t.deepEqual(await listStyles(), ['22222222', '33333333']);
  });

  test(`${name}: equal bytes have one stamp, others another one`, async (t) => {
    const storage = await open(t);
    await publish(storage, { 'a.html': WORDS, 'en/v1/a.html': WORDS, 'b.html': `${WORDS}.` });
    const site = await storage.find(PROJECT);
    const stampOf = async (path: string) => {
      const found = await site.find({ path, isFolder: false });
      return found.kind === 'file' ? `${found.stamp.dev} ${found.stamp.ino}` : found.kind;
    };
    t.is(await stampOf('/a.html'), await stampOf('/en/v1/a.html'));
    t.not(await stampOf('/a.html'), await stampOf('/b.html'));
  });

  test(`${name}: compressed bodies are made in advance, and stand for the right bytes`, async (t) => {
    const storage = await open(t);
    await publish(storage, { 'a.html': WORDS, 'noise.txt': randomBytes(5_000), 'small.html': 'small' });
    const site = await storage.find(PROJECT);
    const read = async (path: string, text: string, compression: 'br' | 'gzip') => {
      await site.find({ path, isFolder: false });
      const content = { size: text.length, hash: hashBytes(Buffer.from(text)), body: Buffer.from(text) };
      return site.readCompressed(path, { content, compression, maxBytes: 1_000_000 });
    };
    for (const compression of ['br', 'gzip'] as const) {
      // Folders are compressed in the background.
      let body = await read('/a.html', WORDS, compression);
      while (!body) body = await read('/a.html', WORDS, compression);
      t.true(body.length < WORDS.length / 4);
      t.is(await read('/small.html', 'small', compression), undefined);
    }
  });

  test(`${name}: files of any size are read whole`, async (t) => {
    const storage = await open(t);
    const large = randomBytes(9_000_000);
    await publish(storage, { 'large.bin': large, 'empty.txt': '', 'text.txt': WORDS.repeat(2_000) });
    const site = await storage.find(PROJECT);
    await site.find({ path: '/large.bin', isFolder: false });
    const file = (await site.open('/large.bin'))!;
    const content = await readSiteFile(file, 10_000_000);
    closeFile(file);
    t.true(content?.body?.equals(large));
    t.is(content?.hash, hashBytes(large));
    t.is(await readText(site, '/empty.txt'), '');
    t.is(await readText(site, '/text.txt'), WORDS.repeat(2_000));
  });

  test(`${name}: nothing is left of a project that is removed`, async (t) => {
    const storage = await open(t);
    await publish(storage, { 'a.html': WORDS });
    await storage.remove(PROJECT);
    t.false(existsSync(siteFolder(storage.folder, PROJECT)));
  });
}
