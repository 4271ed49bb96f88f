import { linkSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { serveSite } from '../../helpers/serve-site.ts';

const page = (text: string): string => `<!doctype html>\n<html><body>${text}</body></html>\n`;

test('createSiteServer() serves files with their media types', async (t) => {
  const site = await serveSite(t, {
    'a.html': page('a'),
    'a.css': 'a{}',
    'a.ts': 'let a',
    'a.bin': '\0',
    LICENSE: 'é',
    DATA: '\0',
  });
  const type = async (path: string) => (await site.ask(path)).headers['content-type'];
  t.is(await type('/a.html'), 'text/html; charset=utf-8');
  t.is(await type('/a.css'), 'text/css; charset=utf-8');
  t.is(await type('/a.ts'), 'text/plain; charset=utf-8');
  t.is(await type('/a.bin'), 'application/octet-stream');
  t.is(await type('/LICENSE'), 'text/plain; charset=utf-8');
  t.is(await type('/DATA'), 'application/octet-stream');
});

test('createSiteServer() gives equal files of different names their own media types', async (t) => {
  const site = await serveSite(t, { 'a.html': 'same' });
  linkSync(join(site.folder, 'a.html'), join(site.folder, 'a.txt'));
  t.is((await site.ask('/a.html')).headers['content-type'], 'text/html; charset=utf-8');
  t.is((await site.ask('/a.txt')).headers['content-type'], 'text/plain; charset=utf-8');
});

test('createSiteServer() serves a page without its .html, and folders by their index.html', async (t) => {
  const site = await serveSite(t, {
    'guide.html': page('page'),
    'guide/index.html': page('folder'),
    'index.html': page('root'),
  });
  t.is((await site.ask('/guide')).text, page('page'));
  t.is((await site.ask('/guide.html')).text, page('page'));
  t.is((await site.ask('/guide/')).text, page('folder'));
  t.is((await site.ask('/guide/index.html')).text, page('folder'));
  t.is((await site.ask('/')).text, page('root'));
});

test('createSiteServer() leads from a folder without its slash to the folder, with the query', async (t) => {
  const site = await serveSite(t, { 'a/b c/index.html': page('b') });
  const answer = await site.ask('/a/b%20c?x=1&y=%2f');
  t.is(answer.status, 301);
  t.is(answer.headers.location, '/a/b%20c/?x=1&y=%2f');
  t.is(answer.headers['cache-control'], 'no-cache');
  t.is((await site.ask('/docs/guide/a/b%20c')).headers.location, '/docs/guide/a/b%20c/');
  t.is((await site.ask('/docs/guide?q')).headers.location, '/docs/guide/?q');
});

test('createSiteServer() never leads to another host', async (t) => {
  const site = await serveSite(t, { 'evil/index.html': page('e'), 'index.html': page('root') });
  for (const path of ['//evil', '//evil/', '/%2fevil', '/docs/guide//evil', '///evil/..', '/\\evil']) {
    const { status, headers } = await site.ask(path);
    t.true(status === 404 || status === 400, `${path}: ${status}`);
    t.is(headers.location, undefined, path);
  }
});

test('createSiteServer() lists no folders', async (t) => {
  const site = await serveSite(t, { 'a/secret.txt': 'x' });
  t.is((await site.ask('/a/')).status, 404);
  t.is((await site.ask('/a')).status, 404);
});

test('createSiteServer() has no page below a page', async (t) => {
  const site = await serveSite(t, { 'a.html': page('a') });
  t.is((await site.ask('/a.html/')).status, 404);
  t.is((await site.ask('/a.html/b')).status, 404);
});

test('createSiteServer() never serves names that begin with a dot, save .well-known', async (t) => {
  const site = await serveSite(t, {
    '.docbuild.json': '{}',
    'a/.hidden/b.html': 'b',
    '.well-known/security.txt': 'yes',
    'a/.well-known/x.txt': 'no',
    '.well-known/.x': 'no',
  });
  t.is((await site.ask('/.docbuild.json')).status, 404);
  t.is((await site.ask('/%2edocbuild.json')).status, 404);
  t.is((await site.ask('/a/.hidden/b.html')).status, 404);
  t.is((await site.ask('/a/.well-known/x.txt')).status, 404);
  t.is((await site.ask('/.well-known/.x')).status, 404);
  t.is((await site.ask('/.well-known/security.txt')).text, 'yes');
});

test("createSiteServer() answers what is not there with the language's page, else the site's, else a line", async (t) => {
  const site = await serveSite(t, { '404.html': 'root', 'zh_CN/404.html': 'chinese', 'guide/404.html': 'a page' });
  const chinese = await site.ask('/zh_CN/v1/nothing');
  t.deepEqual([chinese.status, chinese.text, chinese.headers['cache-control']], [404, 'chinese', 'no-cache']);
  t.is(chinese.headers.etag, undefined);
  t.is((await site.ask('/en/nothing.html')).text, 'root');
  t.is((await site.ask('/guide/nothing')).text, 'root', 'only languages have pages of their own');
  t.is((await site.ask('/guide/404.html')).status, 200);
  t.is((await site.ask('/zh_CN/nothing', { method: 'HEAD' })).headers['content-length'], '7');
  const bare = await serveSite(t);
  const answer = await bare.ask('/');
  t.deepEqual(
    [answer.status, answer.text, answer.headers['content-type']],
    [404, 'Not found\n', 'text/plain; charset=utf-8'],
  );
});

test('createSiteServer() lets browsers keep the files of the theme, and nothing else', async (t) => {
  const files = [
    '_docbuild/site.f69a7850.css',
    '_docbuild/diagrams/chunk.VCKSZVWW.js',
    '_docbuild/other/chunk.VCKSZVWW.js',
    '_docbuild/site.css',
    'en/_docbuild/a.f69a7850.css',
    'a.f69a7850.css',
    'a.html',
  ];
  const site = await serveSite(t, Object.fromEntries(files.map((file) => [file, 'x'])));
  const [first, second, ...others] = await Promise.all(files.map((file) => site.ask(`/${file}`)));
  for (const kept of [first, second]) t.is(kept!.headers['cache-control'], 'public, max-age=31536000, immutable');
  t.deepEqual(
    others.map(({ headers }) => headers['cache-control']),
    others.map(() => 'no-cache'),
  );
});

test('createSiteServer() lets a browser show what it requests ahead without asking again, but not a CDN', async (t) => {
  const files = { 'a.html': page('a'), '_docbuild/site.f69a7850.css': 'x' };
  const headers = { 'Sec-Purpose': 'prefetch' };
  const site = await serveSite(t, files);
  const { etag = '', ...ahead } = (await site.ask('/a.html', { headers })).headers;
  t.is(ahead['cache-control'], 'private, max-age=30');
  const again = await site.ask('/a.html', { headers: { ...headers, 'If-None-Match': etag } });
  t.deepEqual([again.status, again.headers['cache-control']], [304, 'private, max-age=30']);
  const opened = await site.ask('/a.html', { headers: { 'If-None-Match': etag } });
  t.deepEqual([opened.status, opened.headers['cache-control']], [304, 'no-cache']);
  t.is((await site.ask('/none.html', { headers })).headers['cache-control'], 'no-cache');
  t.regex((await site.ask('/_docbuild/site.f69a7850.css', { headers })).headers['cache-control']!, /immutable/);
  const behindCdn = await serveSite(t, files, {
    site: { cdn: { tag: { name: 'Cache-Tag', value: 'guide' }, age: ['CDN-Cache-Control', 'max-age=60'] } },
  });
  t.is((await behindCdn.ask('/a.html', { headers })).headers['cache-control'], 'no-cache');
});

test('createSiteServer() answers HEAD as GET without the body', async (t) => {
  const site = await serveSite(t, { 'a.html': page('a'.repeat(5_000)) });
  for (const encoding of ['identity', 'br', 'gzip']) {
    const options = { headers: { 'accept-encoding': encoding } };
    const get = await site.ask('/a.html', options);
    const head = await site.ask('/a.html', { ...options, method: 'HEAD' });
    t.is(head.body.length, 0);
    t.is(head.headers['content-length'], String(get.body.length));
    t.is(head.headers.etag, get.headers.etag);
  }
});

test('createSiteServer() refuses other methods, and says which there are', async (t) => {
  const site = await serveSite(t, { 'a.html': 'a' });
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND']) {
    const answer = await site.ask('/a.html', { method });
    t.deepEqual([answer.status, answer.headers.allow], [405, 'GET, HEAD, OPTIONS'], method);
  }
  const options = await site.ask('/a.html', { method: 'OPTIONS' });
  t.deepEqual([options.status, options.headers.allow, options.text], [204, 'GET, HEAD, OPTIONS', '']);
});

test('createSiteServer() answers 304 where the client has the body', async (t) => {
  const site = await serveSite(t, { 'a.html': 'a' });
  const { etag } = (await site.ask('/a.html')).headers;
  t.regex(etag!, /^"[0-9a-f]{32}"$/);
  const status = async (field: string, name = 'if-none-match') =>
    (await site.ask('/a.html', { headers: { [name]: field } })).status;
  t.is(await status(etag!), 304);
  t.is(await status(`W/${etag}`), 304);
  t.is(await status(`"x", W/"y,z" , ${etag}`), 304);
  t.is(await status('*'), 304);
  t.is(await status('"x"'), 200);
  t.is(await status(etag!.replaceAll('"', '')), 200);
  t.is(await status(etag!, 'if-match'), 200);
  t.is(await status(`W/${etag}`, 'if-match'), 412);
  t.is(await status('"x"', 'if-match'), 412);
  const unchanged = await site.ask('/a.html', { headers: { 'if-none-match': etag! } });
  t.deepEqual([unchanged.text, unchanged.headers.etag, unchanged.headers.vary], ['', etag, 'Accept-Encoding']);
});

test('createSiteServer() gives each coding a tag of its own', async (t) => {
  const site = await serveSite(t, { 'a.html': page('a'.repeat(5_000)) });
  const tags = await Promise.all(
    ['identity', 'gzip', 'br'].map(
      async (coding) => (await site.ask('/a.html', { headers: { 'accept-encoding': coding } })).headers.etag,
    ),
  );
  t.is(new Set(tags).size, 3);
});

test('createSiteServer() sends what is there now, also when size and name stay', async (t) => {
  const site = await serveSite(t, { 'a.html': 'old' });
  const first = await site.ask('/a.html');
  t.is(first.text, 'old');
  writeFileSync(join(site.outside, 'next'), 'new');
  renameSync(join(site.outside, 'next'), join(site.folder, 'a.html'));
  const second = await site.ask('/a.html', { headers: { 'if-none-match': first.headers.etag! } });
  t.deepEqual([second.status, second.text], [200, 'new']);
});

test('createSiteServer() notices files written in place', async (t) => {
  const site = await serveSite(t, { 'a.html': 'one' });
  for (const text of ['two', 'six', 'ten']) {
    t.not((await site.ask('/a.html')).text, text);
    site.write('a.html', text);
    t.is((await site.ask('/a.html')).text, text);
  }
});

test('createSiteServer() notices two contents within one tick of the clock', async (t) => {
  const site = await serveSite(t);
  const write = (text: string, time: Date): void => {
    site.write('a.html', text);
    utimesSync(join(site.folder, 'a.html'), time, time);
  };
  let wasFast = false;
  for (let attempt = 0; attempt < 2_000 && !wasFast; attempt++) {
    const now = new Date();
    write('one', now);
    const { text } = await site.ask('/a.html');
    // Only an answer within the tick can be taken in; a slow machine needs some tries.
    wasFast = Date.now() - now.getTime() < 15;
    write('two', now);
    if (wasFast) t.deepEqual([text, (await site.ask('/a.html')).text], ['one', 'two']);
  }
  t.true(wasFast);
});

test('createSiteServer() answers 404 for a file that was removed, and 200 when it is back', async (t) => {
  const site = await serveSite(t, { 'a.html': 'a' });
  t.is((await site.ask('/a.html')).status, 200);
  renameSync(join(site.folder, 'a.html'), join(site.folder, 'b.html'));
  t.is((await site.ask('/a.html')).status, 404);
  renameSync(join(site.folder, 'b.html'), join(site.folder, 'a.html'));
  t.is((await site.ask('/a.html')).status, 200);
});

test('createSiteServer() keeps equal files of all versions in memory once', async (t) => {
  const site = await serveSite(t, { 'v0.html': 'x'.repeat(100_000) });
  utimesSync(join(site.folder, 'v0.html'), 1_600_000_000, 1_600_000_000);
  for (let i = 1; i < 20; i++) linkSync(join(site.folder, 'v0.html'), join(site.folder, `v${i}.html`));
  for (let i = 0; i < 20; i++) t.is((await site.ask(`/v${i}.html`)).body.length, 100_000);
  t.true(site.server.cacheBytes > 100_000 && site.server.cacheBytes < 150_000, String(site.server.cacheBytes));
});

test('createSiteServer() keeps no more in memory than it may, and serves everything all the same', async (t) => {
  const site = await serveSite(t, {}, { maxCacheBytes: 1_000_000 });
  for (let i = 0; i < 60; i++) {
    site.write(`${i}.html`, page(String(i).repeat(15_000)));
    utimesSync(join(site.folder, `${i}.html`), 1_600_000_000, 1_600_000_000);
  }
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 60; i++) {
      const answer = await site.ask(`/${i}.html`, { headers: { 'accept-encoding': round === 1 ? 'br' : 'identity' } });
      if (round !== 1) t.is(answer.text, page(String(i).repeat(15_000)));
      t.true(site.server.cacheBytes <= 1_000_000);
    }
  }
});

test('createSiteServer() sends large files from the disk', async (t) => {
  const body = Buffer.alloc(9_000_000, 'abcdefg');
  const site = await serveSite(t, { 'large.bin': body });
  const answer = await site.ask('/large.bin');
  t.true(answer.body.equals(body));
  t.is((await site.ask('/large.bin', { headers: { 'if-none-match': answer.headers.etag! } })).status, 304);
  const part = await site.ask('/large.bin', { headers: { range: 'bytes=8999990-' } });
  t.is(part.status, 206);
  t.true(part.body.equals(body.subarray(8_999_990)));
  t.is((await site.ask('/large.bin', { method: 'HEAD' })).headers['content-length'], '9000000');
  t.true(site.server.cacheBytes < 100_000);
});

test('createSiteServer() gives pages that share a host an origin of their own, and lets no other origin read a site', async (t) => {
  const site = await serveSite(t, { 'a.html': 'a', '404.html': 'no' });
  for (const path of ['/docs/guide/a.html', '/docs/guide/none', '/docs/guide']) {
    const { headers } = await site.ask(path);
    t.regex(String(headers['content-security-policy']), /^sandbox (?!.*allow-same-origin)/, path);
    t.is(headers['access-control-allow-origin'], undefined, path);
  }
  const { headers } = await site.ask('/a.html');
  t.is(headers['content-security-policy'], undefined);
  t.is(headers['access-control-allow-origin'], undefined);
});

test('createSiteServer() says on every answer that types are not to be guessed', async (t) => {
  const site = await serveSite(t, { 'a.html': 'a' });
  for (const [path, method] of [
    ['/a.html', 'GET'],
    ['/none', 'GET'],
    ['/%00', 'GET'],
    ['/a.html', 'POST'],
  ] as const) {
    const { headers } = await site.ask(path, { method });
    t.is(headers['x-content-type-options'], 'nosniff', path);
    t.is(headers['referrer-policy'], 'strict-origin-when-cross-origin', path);
  }
});

test('createSiteServer() passes on what is no site', async (t) => {
  const site = await serveSite(t, { 'a.html': 'a' });
  t.is((await site.ask('/a.html', { headers: { host: 'other.test' } })).text, 'passed on');
  t.is((await site.ask('/a.html', { headers: { host: 'OTHER.test:8080' } })).text, 'passed on');
  t.is((await site.ask('http://other.test/a.html')).text, 'passed on');
  t.is((await site.ask('http://docs.test/a.html')).text, 'a');
  t.is((await site.ask('*', { method: 'OPTIONS' })).text, 'passed on');
});

test('createSiteServer() sends nothing but errors of the file system to the one who handles errors', async (t) => {
  const site = await serveSite(t, { 'a.html': 'a' });
  await site.ask('/a.html');
  await site.ask('/none');
  await site.ask('/%ff');
  t.deepEqual(site.errors, []);
  t.is(statSync(site.folder).isDirectory(), true);
});

test('createSiteServer() leads from a page with a slash to the page, with the query', async (t) => {
  const site = await serveSite(t, { 'guide/a b.html': 'page', 'both.html': 'page', 'both/index.html': 'folder' });
  const answer = await site.ask('/docs/guide/guide/a%20b/?x=1');
  t.deepEqual([answer.status, answer.headers.location], [301, '/docs/guide/guide/a%20b?x=1']);
  t.is((await site.ask('/both/')).text, 'folder');
  t.is((await site.ask('/guide/a%20b.html/')).status, 404);
  t.is((await site.ask('/none/')).status, 404);
});
