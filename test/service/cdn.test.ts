import { existsSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createConsole } from '../helpers/create-console.ts';
import { createFolder, createRepository } from '../helpers/create-repository.ts';
import { createServer, type TestServer } from '../helpers/create-server.ts';
import { runCommand } from '../helpers/run-command.ts';
import { runGit } from '../helpers/run-git.ts';
import { type Receiver, serveReceiver } from '../helpers/serve-receiver.ts';
import { postgresTest, shareCluster } from '../helpers/share-postgres.ts';
import { spawnServer } from '../helpers/spawn-server.ts';
import { waitUntil } from '../helpers/wait-until.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const configure = (receiver: Receiver, more = ''): string =>
  `cdn: {url: "${receiver.url}", allowed: ["127.0.0.1"]${more}}\n`;
const tagsOf = ({ received }: Receiver) => received.map(({ content: { data } }) => String(data['tags']));

test.serial(
  'a CDN is told after the new edition is there, once more later, and of nothing where nothing changed',
  async (t) => {
    const receiver = await serveReceiver(t);
    const server = await createServer(t, configure(receiver, ', again_s: 1, keep_s: 600'));
    const { operations } = server;
    const repository = createRepository(t);
    commitFiles(repository, { 'docs/index.md': '# One\n', 'docs/a.md': '# A\n' });
    await operations.createProject({ name: 'guide', settings: { url: repository.folder, lang: ['en'] } });
    const build = async () =>
      operations.waitForBuild({ id: (await operations.build({ name: 'guide', ref: 'main' })).id });
    const read = async () => (await server.get('/docs/guide/en/main/index.html')).text();
    const seen: string[] = [];
    receiver.answer = async (response) => {
      seen.push(/One|Two/.exec(await read())![0]);
      response.writeHead(204).end();
    };
    t.is((await build()).status, 'passing');
    await waitUntil(() => seen.length === 2);
    t.deepEqual(receiver.received[0]!.content.data, {
      tags: ['docbuild-guide'],
      sites: [{ project: 'guide', tag: 'docbuild-guide', urls: [`${server.origin}/docs/guide/`] }],
    });
    await operations.build({ name: 'guide', all: true });
    await build();
    commitFiles(repository, { 'docs/index.md': '# Two\n' });
    await build();
    await waitUntil(() => seen.length === 4);
    t.deepEqual(seen, ['One', 'One', 'Two', 'Two']);

    const page = await server.get('/docs/guide/en/main/a.html');
    t.is(page.headers.get('cache-tag'), 'docbuild-guide');
    t.is(page.headers.get('cdn-cache-control'), 'max-age=600');
    t.is(page.headers.get('cache-control'), 'no-cache');
    const etag = page.headers.get('etag')!;
    const known = await server.get('/docs/guide/en/main/a.html', { 'If-None-Match': etag });
    t.is(known.status, 304);
    t.is(known.headers.get('cdn-cache-control'), 'max-age=600');
    const folder = await server.get('/docs/guide/en/main');
    t.is(folder.status, 301);
    t.is(folder.headers.get('cdn-cache-control'), 'max-age=600');
    const style = /_docbuild\/[\w.-]+\.css/.exec(await page.text())![0];
    const theme = await server.get(`/docs/guide/${style}`);
    t.is(theme.headers.get('cdn-cache-control'), null);
    t.regex(theme.headers.get('cache-control')!, /immutable/);
    for (const path of ['/docs/guide/en/main/none.html', '/docs/guide/%zz']) {
      const missing = await server.get(path);
      t.true(missing.status >= 400);
      t.is(missing.headers.get('cdn-cache-control'), null, path);
      t.is(missing.headers.get('cache-tag'), 'docbuild-guide', path);
    }
    t.is((await server.get('/docbuild/desc/guide')).headers.get('cache-tag'), null);
    const readMetrics = async () => (await server.get('/metrics')).text();
    // An answer is counted once what it was about is stored.
    await waitUntil(async () => /^docbuild_cdn_purges_total\{outcome="delivered"\} 4$/m.test(await readMetrics()));
  },
);

test.serial('a CDN is told of a removed version, another domain and a removed project', async (t) => {
  const receiver = await serveReceiver(t);
  const server = await createServer(t, configure(receiver, ', again_s: 0'));
  const { operations } = server;
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  runGit(repository.folder, 'tag', 'v1.0.0');
  await operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  const wait = async (id: string) => t.is((await operations.waitForBuild({ id })).status, 'passing');
  await wait((await operations.build({ name: 'guide', all: true })).id);
  await receiver.waitFor(1);
  runGit(repository.folder, 'tag', '-d', 'v1.0.0');
  await wait((await operations.build({ name: 'guide', all: true })).id);
  await receiver.waitFor(2);
  const { rebuild } = await operations.updateProject({ name: 'guide', settings: { domain: 'guide.example' } });
  await wait(rebuild!);
  await receiver.waitFor(3);
  const [site] = receiver.received.at(-1)!.content.data['sites'] as readonly { readonly urls: readonly string[] }[];
  t.deepEqual([...site!.urls].sort(), [`${server.origin}/docs/guide/`, 'http://guide.example/'].sort());
  const before = receiver.received.length;
  await operations.removeProject({ name: 'guide' });
  await waitUntil(() => receiver.received.length > before);
  t.deepEqual([...new Set(tagsOf(receiver))], ['docbuild-guide']);
  t.is((await server.get('/docs/guide/')).status, 404);
});

test.serial('a CDN that refuses holds up no build, and is seen in console, metrics and log', async (t) => {
  const receiver = await serveReceiver(t);
  const { server, operator, logIn } = await createConsole(
    t,
    configure(receiver, ', headers: {authorization: "Bearer hidden-token"}'),
  );
  receiver.answer = (response) => void response.writeHead(403).end();
  const { operations } = server;
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  await operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  const { id } = await operations.build({ name: 'guide', ref: 'main' });
  t.is((await operations.waitForBuild({ id })).status, 'passing');
  await receiver.waitFor(1);
  t.is(receiver.received[0]!.headers.authorization, 'Bearer hidden-token');
  const client = await logIn(operator);
  const readPage = async () => (await client.get('/control/projects/guide')).html;
  await waitUntil(async () => /not told<\/span>.*answered 403.*the next one at/s.test(await readPage()));
  t.regex(await (await server.get('/metrics')).text(), /^docbuild_cdn_purges_total\{outcome="delayed"\} [1-9]$/m);
  t.regex(server.logged().join(''), /Cannot tell the CDN to forget pages of project \\"guide\\": .*answered 403/);
  const purge = () => runCommand(['purge', 'guide'], { cwd: server.folder });
  const refused = await purge();
  t.deepEqual(
    [refused.code, refused.stdout.trim()],
    [1, `The CDN was not told: "${new URL(receiver.url).host}" answered 403`],
  );
  t.regex((await client.submit('/control/projects/guide/purge')).html, /The CDN was not told: .*answered 403/);
  receiver.answer = (response) => void response.writeHead(204).end();
  t.deepEqual({ ...(await purge()), stderr: '' }, { code: 0, stdout: 'The CDN was told\n', stderr: '' });
  t.regex((await client.submit('/control/projects/guide/purge')).html, /The CDN was told to forget the pages/);
  t.regex(await readPage(), /<dt>CDN<\/dt><dd>told of changes at/);
  const cfg = await runCommand(['cfg'], { cwd: server.folder });
  t.is(cfg.code, 0);
  t.notRegex(cfg.stdout + server.logged().join('') + (await readPage()), /hidden-token/);
});

test.serial(
  'a server killed between a publish and its purge leaves a purge to the next one, also if nothing changes then',
  async (t) => {
    const receiver = await serveReceiver(t);
    const folder = createFolder(t);
    writeFileSync(join(folder, 'docbuild.yml'), `base_dir: ./base\n${configure(receiver, ', again_s: 0')}`);
    const repository = createRepository(t);
    const [blocks, published] = [join(folder, 'blocks'), join(folder, 'published')];
    commitFiles(repository, { 'docs/index.md': '# One\n' });
    const run = (...args: string[]) => runCommand(args, { cwd: folder });
    const after = `if [ -e ${blocks} ]; then touch ${published}; sleep 300; fi`;
    await run('project', 'create', '-u', repository.folder, '--after', after, 'guide');
    const first = await spawnServer(t, folder);
    t.is((await run('build', 'guide', '-b', 'main')).code, 0);
    await receiver.waitFor(1);

    writeFileSync(blocks, '');
    const read = async () => (await fetch(`${first.origin}/docs/guide/en/main/`)).text();
    commitFiles(repository, { 'docs/index.md': '# Two\n' });
    const build = run('build', 'guide', '-b', 'main');
    await waitUntil(() => existsSync(published));
    t.regex(await read(), /Two/);
    t.is(receiver.received.length, 1);
    await first.stop('SIGKILL');
    await build;
    // What is published next is what the CDN was told of, and not what it may have kept since.
    runGit(repository.folder, 'reset', '--hard', 'HEAD~1');
    unlinkSync(blocks);
    const second = await spawnServer(t, folder);
    await receiver.waitFor(2);
    t.regex(await (await fetch(`${second.origin}/docs/guide/en/main/`)).text(), /One/);
  },
);

test.serial('a server killed while a CDN is told leaves that to the next one', async (t) => {
  const receiver = await serveReceiver(t);
  const folder = createFolder(t);
  writeFileSync(join(folder, 'docbuild.yml'), `base_dir: ./base\n${configure(receiver, ', again_s: 0')}`);
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  const run = (...args: string[]) => runCommand(args, { cwd: folder });
  await run('project', 'create', '-u', repository.folder, 'guide');
  const first = await spawnServer(t, folder);
  // It is never answered.
  receiver.answer = () => {};
  t.is((await run('build', 'guide', '-b', 'main')).code, 0);
  await receiver.waitFor(1);
  await first.stop('SIGKILL');
  receiver.answer = (response) => void response.writeHead(204).end();
  const second = await spawnServer(t, folder);
  await receiver.waitFor(2);
  await second.stop('SIGTERM');
  t.deepEqual(tagsOf(receiver), ['docbuild-guide', 'docbuild-guide']);
});

const cluster = shareCluster();

postgresTest('of three nodes one tells the CDN, whichever builds, and another one when that is gone', async (t) => {
  const receiver = await serveReceiver(t);
  const own = await cluster();
  const database = await own.createMigrated();
  const yaml = `store: ${own.url(database)}\n${configure(receiver, ', again_s: 0')}`;
  const servers: TestServer[] = [];
  for (let i = 0; i < 3; i++) servers.push(await createServer(t, yaml));
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# 0\n' });
  await servers[0]!.operations.createProject({ name: 'guide', settings: { url: repository.folder } });
  const build = async ({ operations }: TestServer, text: string): Promise<void> => {
    commitFiles(repository, { 'docs/index.md': `# ${text}\n` });
    const { id } = await operations.build({ name: 'guide', ref: 'main' });
    t.is((await operations.waitForBuild({ id })).status, 'passing');
  };
  for (const [i, server] of servers.entries()) {
    await build(server, `text ${i}`);
    await receiver.waitFor(i + 1);
  }
  // A process that ends before it has noted the answer leaves the purge to another one.
  const delivered = async () => {
    const texts = await Promise.all(servers.map(async (server) => (await server.get('/metrics')).text()));
    return texts.reduce(
      (sum, text) => sum + Number(/purges_total\{outcome="delivered"\} (\d+)/.exec(text)?.[1] ?? 0),
      0,
    );
  };
  await waitUntil(async () => (await delivered()) === 3);
  await servers[0]!.close();
  await build(servers[1]!, 'last');
  await receiver.waitFor(4);
  // What others would have sent has had its time: each of them has looked since.
  await build(servers[2]!, 'very last');
  await receiver.waitFor(5);
  t.is(receiver.received.length, 5);
});
