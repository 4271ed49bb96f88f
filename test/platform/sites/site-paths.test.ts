import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { encodePath } from '../../../lib/url-text.ts';
import { openFolderSite } from '../../../platform/sites/folder-sites.ts';
import { parseSitePath } from '../../../platform/sites/site-paths.ts';
import fc from '../../helpers/fast-check.ts';
import { serveSite } from '../../helpers/serve-site.ts';

test('parseSitePath() decodes names once', (t) => {
  t.deepEqual(parseSitePath('/a%20b/%e4%b8%ad.html'), { path: '/a b/中.html', isFolder: false });
  t.deepEqual(parseSitePath('/100%2525/'), { path: '/100%25/', isFolder: true });
  t.deepEqual(parseSitePath('/'), { path: '/', isFolder: true });
  t.deepEqual(parseSitePath('/a..b/c.'), { path: '/a..b/c.', isFolder: false });
});

test('parseSitePath() takes bytes above ASCII that came in as they are', (t) => {
  t.deepEqual(parseSitePath(Buffer.from('/中.html').toString('latin1')), { path: '/中.html', isFolder: false });
  t.is(parseSitePath('/\xff.html'), 400);
});

test('parseSitePath() refuses what is malformed', (t) => {
  const paths = [
    '',
    'a',
    '/%',
    '/%2',
    '/%zz',
    '/%ff',
    '/%c0%ae%c0%ae/',
    '/%ed%a0%80',
    '/%00',
    '/a%00.html',
    '/a\\b',
    '/%5c',
    '/%2f',
    '/a%2fb',
    '/..',
    '/../a',
    '/a/..',
    '/a/../b',
    '/%2e%2e/a',
    '/.%2e',
    '/a/.',
    '/./a',
    '/%0a',
    '/%7f',
    '/..%2f..%2fetc',
    '/..%5c',
  ];
  for (const path of paths) t.is(parseSitePath(path), 400, path);
});

test('parseSitePath() finds nothing at empty and hidden names', (t) => {
  for (const path of ['//', '//a', '/a//b', '/a//', '/.git/config', '/a/.b', '/...', '/%2egit', '/a/.well-known/b'])
    t.is(parseSitePath(path), 404, path);
  t.deepEqual(parseSitePath('/.well-known/a'), { path: '/.well-known/a', isFolder: false });
});

test('parseSitePath() refuses long paths', (t) => {
  t.is(parseSitePath(`/${'a'.repeat(5_000)}`), 414);
  t.is(parseSitePath(`/${'%'.repeat(5_000)}`), 414);
});

test('encodePath() gives a path that is read as the same', (t) => {
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (names) => {
      const path = `/${names.join('/')}`;
      fc.pre(!/\p{Cc}|\\|\/\.|\/\//u.test(path) && !path.endsWith('/'));
      t.deepEqual(parseSitePath(encodePath(path)), { path, isFolder: false });
    }),
  );
});

const part = fc.oneof(
  fc.constantFrom(
    '..',
    '.',
    '%2e%2e',
    '.%2e',
    '%2f',
    '/',
    '//',
    '\\',
    '%5c',
    '%00',
    '%252e%252e%252f',
    'in',
    'out',
    'loop',
    'deep',
    'a.html',
    'secret.txt',
    'site',
    'etc',
    'passwd',
    '%c0%ae',
    '%',
    'pipe',
    '…',
  ),
  fc.string({ maxLength: 8 }),
);

test('createSiteServer() never leaves the folder', async (t) => {
  const site = await serveSite(t, { 'a.html': 'inside', 'deep/a.html': 'inside', 'index.html': 'inside' });
  mkdirSync(join(site.outside, 'secrets'));
  writeFileSync(join(site.outside, 'secret.txt'), 'SECRET');
  writeFileSync(join(site.outside, 'secrets', 'index.html'), 'SECRET');
  writeFileSync(join(site.outside, 'secrets', 'secret.txt'), 'SECRET');
  symlinkSync('../secret.txt', join(site.folder, 'secret.txt'));
  symlinkSync('../secrets', join(site.folder, 'out'));
  symlinkSync('..', join(site.folder, 'deep', 'out'));
  symlinkSync('loop', join(site.folder, 'loop'));
  symlinkSync('a.html', join(site.folder, 'in'));
  execFileSync('mkfifo', [join(site.folder, 'pipe')]);
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 8 }), fc.boolean(), async (parts, isShared) => {
      const raw = `${isShared ? '/docs/guide' : ''}/${parts.join('/')}`.replace(/[\r\n ]/g, '');
      const text = await site.send(`GET ${raw} HTTP/1.1\r\nHost: docs.test\r\nConnection: close\r\n\r\n`);
      t.regex(text, /^HTTP\/1\.1 (?:200|301|400|404|414) /, raw);
      t.false(text.includes('SECRET'), raw);
      if (text.startsWith('HTTP/1.1 200')) t.true(text.endsWith('inside'), raw);
      if (text.startsWith('HTTP/1.1 301')) t.regex(text, /\r\nLocation: \/[^/\\]/, raw);
    }),
    { numRuns: 130 },
  );
  for (const path of [
    '/secret.txt',
    '/out/secret.txt',
    '/out/',
    '/out',
    '/deep/out/secret.txt',
    '/loop',
    '/pipe',
    '/in',
  ]) {
    for (const base of ['', '/docs/guide']) {
      const answer = await site.ask(base + path);
      t.deepEqual([answer.status, answer.text], [404, 'Not found\n'], path);
    }
  }
  t.deepEqual(site.errors, []);
});

test('createSiteServer() follows no symbolic link, not even one that was a folder a moment ago', async (t) => {
  const site = await serveSite(t, { 'deep/a.html': 'inside' });
  mkdirSync(join(site.outside, 'secrets'));
  writeFileSync(join(site.outside, 'secrets', 'a.html'), 'SECRET');
  t.is((await site.ask('/deep/a.html')).text, 'inside');
  execFileSync('mv', [join(site.folder, 'deep'), join(site.outside, 'moved')]);
  symlinkSync('../secrets', join(site.folder, 'deep'));
  t.is((await site.ask('/deep/a.html')).status, 404);
  t.is((await site.ask('/deep/')).status, 404);
});

test('createSiteServer() serves a site whose folder is reached by a symbolic link', async (t) => {
  const site = await serveSite(t, {}, {});
  const other = await serveSite(t, {}, { site: { files: openFolderSite(join(site.outside, 'link')) } });
  site.write('a.html', 'inside');
  symlinkSync(site.folder, join(site.outside, 'link'));
  t.is((await other.ask('/a.html')).text, 'inside');
});
