import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { openFolderSite } from '../../../platform/sites/folder-sites.ts';
import { precompressSite } from '../../../platform/sites/precompressor.ts';
import { createFolder } from '../../helpers/create-repository.ts';
import { markText, readWhilePublishing } from '../../helpers/read-while-publishing.ts';
import { runDocbuild } from '../../helpers/run-docbuild.ts';
import { serveSite } from '../../helpers/serve-site.ts';

const openFiles = (): number => readdirSync('/proc/self/fd').length;

test.serial('createSiteServer() sends whole and current pages while builds and compressions go on', async (t) => {
  const folder = createFolder(t);
  const [source, out, compressed] = [join(folder, 'source'), join(folder, 'out'), join(folder, 'compressed')];
  mkdirSync(join(source, 'docs'), { recursive: true });
  const site = await serveSite(t, {}, { site: { files: openFolderSite(out, compressed), languages: [] } });
  const compressing: Promise<unknown>[] = [];
  const publish = async (mark: number): Promise<void> => {
    for (let i = 0; i < 8; i++) {
      writeFileSync(
        join(source, 'docs', `page-${i}.md`),
        `# Page ${i}\n\n${`Words. ${markText(mark)}\n\n`.repeat(1 + i * 12)}`,
      );
    }
    const { code, stderr } = await runDocbuild([
      'site',
      source,
      '--out',
      out,
      '--cache',
      join(folder, 'cache'),
      '--single',
    ]);
    if (code !== 0) throw new Error(stderr);
    await compressing.at(-1);
    compressing.push(precompressSite({ folder: out, store: compressed }));
  };
  const urls = Array.from({ length: 8 }, (_, i) => [`page-${i}`, `page-${i}.html`, `docs/guide/page-${i}.html`])
    .flat()
    .map((path) => `${site.url}/${path}`);
  const seen = await readWhilePublishing({ urls, publish, publishes: 6, readers: 6 });
  await Promise.all(compressing);
  t.deepEqual(seen.errors, []);
  t.true(seen.marks >= 5 && seen.notModified > 0 && seen.answers > 100, JSON.stringify(seen));
  t.deepEqual(site.errors, []);
});

test.serial('createSiteServer() closes its files when readers go away', async (t) => {
  const site = await serveSite(t, { 'large.bin': Buffer.alloc(30_000_000, 'a') });
  await site.ask('/large.bin');
  const before = openFiles();
  for (let i = 0; i < 20; i++) {
    await new Promise<void>((resolve) => {
      get(`${site.url}/large.bin`, (response) => {
        response.once('data', () => {
          response.destroy();
          resolve();
        });
      });
    });
  }
  while (openFiles() > before + 2) await sleep(20);
  t.true(openFiles() <= before + 2);
  // Koa itself tells of every connection that breaks.
  const isBroken = (error: NodeJS.ErrnoException) => error.code === 'ECONNRESET' || error.code === 'EPIPE';
  t.deepEqual(
    site.errors.filter((error) => !isBroken(error)),
    [],
  );
});

test.serial('createSiteServer() keeps no file open that it has sent, or not found', async (t) => {
  const site = await serveSite(t, { 'a.html': 'a', 'large.bin': Buffer.alloc(5_000_000, 'a'), 'd/index.html': 'x' });
  await site.ask('/a.html');
  const before = openFiles();
  for (let i = 0; i < 10; i++) {
    site.write(`b${i}.html`, `b${i}`);
    for (const path of [`/b${i}`, '/large.bin', '/none', '/d', '/d/', '/%00']) {
      await site.ask(path);
      await site.ask(path, { method: 'HEAD' });
    }
  }
  while (openFiles() > before + 2) await sleep(20);
  t.true(openFiles() <= before + 2);
});

test.serial('createSiteServer() survives readers who send nonsense', async (t) => {
  const site = await serveSite(t, { 'a.html': 'a' });
  for (const text of [
    'GET\r\n\r\n',
    'GET /a.html HTTP/1.1\r\n\r\n',
    'GET /a.html\x00 HTTP/1.1\r\nHost: a\r\n\r\n',
    `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
    'GET /a.html HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n',
    'GET a.html HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    'GET http:///a.html HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    'GET /a.html HTTP/1.1\r\nHost: [::1\r\nConnection: close\r\n\r\n',
    'GET /a.html HTTP/1.0\r\n\r\n',
    'GET /a.html#x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    'GET /a.html HTTP/1.1\r\nHost: a\r\nAccept-Encoding: \xff\xfe;q=\xff\r\nRange: bytes=\xff\r\nIf-None-Match: \xff"\r\nConnection: close\r\n\r\n',
  ]) {
    t.regex(await site.send(text), /^HTTP\/1\.1 (?:200|400|404|414|431) /, JSON.stringify(text.slice(0, 60)));
  }
  t.deepEqual(site.errors, []);
  t.is((await site.ask('/a.html')).status, 200);
});
