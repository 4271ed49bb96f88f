import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createFolder, createRepository } from '../helpers/create-repository.ts';
import { createSite } from '../helpers/create-site.ts';
import { runDocbuild } from '../helpers/run-docbuild.ts';
import { sendRaw } from '../helpers/send-raw.ts';
import { sendToHost } from '../helpers/send-to-host.ts';
import { type SpawnedServer, spawnListening } from '../helpers/spawn-server.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const WORDS = 'Words that repeat are compressed well. '.repeat(100);

/** Publishes a small documentation in two languages. */
async function publish(t: ExecutionContext, baseUrl?: string) {
  const repository = createRepository(t);
  commitFiles(repository, {
    'docs/en/index.md': '# Home\n',
    'docs/en/guide/start.md': `# Start\n\n${WORDS}\n`,
    'docs/en/guide/index.md': '# Guide\n',
    'docs/zh_CN/index.md': '# 首页\n',
  });
  const site = createSite(t);
  await site.build(repository.folder, baseUrl === undefined ? {} : { baseUrl });
  return { ...site, repository };
}

function serve(t: ExecutionContext, folder: string, ...args: string[]): Promise<SpawnedServer> {
  return spawnListening(t, {
    cwd: createFolder(t),
    args: ['serve', folder, '--port', '0', ...args],
    ready: / at (http:\/\/[^/]+)\//,
  });
}

test.serial('docbuild serve shows a site as readers get it, and ends with Ctrl-C', async (t) => {
  const { out } = await publish(t);
  const server = await serve(t, out);
  t.true(server.output().includes(`${out} at ${server.origin}/ (Ctrl-C ends it)\n`));
  const ask = (path: string, headers: Record<string, string> = {}) =>
    sendToHost(server.origin, { host: 'localhost', path, headers });

  const home = await ask('/');
  t.deepEqual([home.status, home.headers.location], [302, '/en/latest/']);
  t.is((await ask('/', { 'Accept-Language': 'zh' })).headers.location, '/zh_CN/latest/');
  const folder = await ask('/en/latest/guide');
  t.deepEqual([folder.status, folder.headers.location], [301, '/en/latest/guide/']);
  t.regex((await ask('/en/latest/guide/')).text, /<h1[^>]*>Guide/);

  const plain = await ask('/en/latest/guide/start.html');
  t.is(plain.headers['content-type'], 'text/html; charset=utf-8');
  t.is(plain.headers['content-encoding'], undefined);
  const small = await ask('/en/latest/guide/start', { 'Accept-Encoding': 'br' });
  t.is(small.headers['content-encoding'], 'br');
  t.true(Number(small.headers['content-length']) < plain.text.length / 3, small.headers['content-length']);
  const unchanged = await ask('/en/latest/guide/start.html', { 'If-None-Match': plain.headers.etag! });
  t.is(unchanged.status, 304);

  const [, script] = /<script src="[./]*(_docbuild\/[^"]+)"/.exec(plain.text)!;
  t.is((await ask(`/${script}`)).headers['content-type'], 'text/javascript; charset=utf-8');
  t.is((await ask('/versions.json')).headers['content-type'], 'application/json; charset=utf-8');
  t.is((await ask('/en/latest/guide/start.md')).headers['content-type'], 'text/markdown; charset=utf-8');

  const missing = await ask('/en/latest/none.html');
  t.is(missing.status, 404);
  t.regex(missing.text, /Page not found/);
  t.regex((await ask('/zh_CN/latest/none.html')).text, /lang="zh-CN"/);
  t.is((await sendToHost(server.origin, { host: 'localhost', path: '/', method: 'PUT' })).status, 405);
  t.is(await server.stop('SIGINT'), 0);
});

test.serial('docbuild serve has nothing from outside the site, and answers this machine only', async (t) => {
  const { out, folder } = await publish(t);
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  symlinkSync(join(folder, 'secret.txt'), join(out, 'link.txt'));
  mkdirSync(join(out, '.git'));
  writeFileSync(join(out, '.git/config'), 'secret');
  const { origin } = await serve(t, out);
  for (const path of [
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/en/..%5c..%5csecret.txt',
    '//secret.txt',
    '/link.txt',
    '/.git/config',
    '/.docbuild.json',
  ]) {
    const { status, text } = await sendRaw(origin, `GET ${path} HTTP/1.1`, 'Host: localhost');
    t.true(status === 400 || status === 404, `${path}: ${status}`);
    t.false(text.includes('secret\n') || /\r\n\r\nsecret/.test(text), path);
  }
  t.is((await sendToHost(origin, { host: 'evil.example', path: '/' })).status, 403);
  t.is(new URL(origin).hostname, '127.0.0.1');
});

test.serial('docbuild serve puts a site where it was built for, with its 404 page', async (t) => {
  const { out } = await publish(t, 'https://example.com/docs/guide/');
  const server = await serve(t, out);
  t.true(server.output().includes(`${server.origin}/docs/guide/ (Ctrl-C`), server.output());
  const ask = (path: string) => sendToHost(server.origin, { host: 'localhost', path });
  t.is((await ask('/')).headers.location, '/docs/guide/');
  t.is((await ask('/docs/guide')).headers.location, '/docs/guide/');
  t.is((await ask('/docs/guide/')).headers.location, '/docs/guide/en/latest/');
  const missing = await ask('/docs/guide/en/latest/a/b/none.html');
  t.is(missing.status, 404);
  const [, style] = /<link rel="stylesheet" href="([^"]+)"/.exec(missing.text)!;
  t.is((await ask(style!)).headers['content-type'], 'text/css; charset=utf-8');
  const outside = await ask('/docs/guidebook/');
  t.deepEqual([outside.status, outside.text], [404, 'The site is below /docs/guide/\n']);
});

test.serial('docbuild serve shows what the next build publishes', async (t) => {
  const { out, repository, build } = await publish(t);
  const { origin } = await serve(t, out);
  const read = async (path: string) => (await fetch(origin + path)).text();
  t.regex(await read('/en/latest/'), /<h1[^>]*>Home/);
  commitFiles(repository, { 'docs/en/index.md': '# New home\n', 'docs/fr/index.md': '# Accueil\n' });
  await build(repository.folder);
  t.regex(await read('/en/latest/'), /<h1[^>]*>New home/);
  t.regex(await read('/fr/latest/none.html'), /lang="fr"/);
});

test.serial('docbuild serve says what is wrong with a folder, and takes another port than one in use', async (t) => {
  const { out } = await publish(t);
  const empty = createFolder(t);
  const none = await runDocbuild(['serve', empty]);
  t.is(none.code, 1);
  t.true(
    none.stderr.startsWith(`Error: Folder "${empty}" has no "versions.json"; name the root of a site`),
    none.stderr,
  );
  t.regex((await runDocbuild(['serve', join(empty, 'none')])).stderr, /^Error: Folder ".*none" does not exist; /);
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.teardown(() => other.close());
  const { port } = other.address() as AddressInfo;
  const taken = await runDocbuild(['serve', out, '--port', `${port}`]);
  t.is(taken.code, 2);
  t.is(taken.stderr, `Error: Cannot listen on 127.0.0.1, port ${port}: it is in use; choose another one with --port\n`);
});
