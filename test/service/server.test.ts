import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readConfig } from '../../platform/config/read-config.ts';
import { createFolder, createRepository } from '../helpers/create-repository.ts';
import { createServer, type TestServer } from '../helpers/create-server.ts';
import { serveGit } from '../helpers/serve-git.ts';
import { waitUntil } from '../helpers/wait-until.ts';
import { commitFiles } from '../helpers/write-pages.ts';

const secret = 'hush and not a word';

/** A server with a project whose repository is served over HTTP and built. */
async function createBuilt(t: ExecutionContext, files: Record<string, string> = { 'docs/index.md': '# One\n' }) {
  const repository = createRepository(t);
  commitFiles(repository, files);
  const git = await serveGit(t, repository.folder);
  const server = await createServer(t);
  await server.operations.createProject({ name: 'guide', settings: { url: git.url, secret } });
  const build = await buildAll(server);
  t.is(build.status, 'passing', build.reason);
  return { repository, server, git };
}

async function buildAll(server: TestServer) {
  const { id } = await server.operations.build({ name: 'guide', all: true });
  return server.operations.waitForBuild({ id });
}

/** Posts a push as GitHub does. */
function push(server: TestServer, values: object, delivery: string = crypto.randomUUID()): Promise<Response> {
  const body = JSON.stringify({ deleted: false, repository: {}, ...values });
  return server.post('/docbuild/webhook/guide', body, {
    'Content-Type': 'application/json',
    'X-GitHub-Event': 'push',
    'X-GitHub-Delivery': delivery,
    'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  });
}

test.serial('server: a project is built and served, described and badged', async (t) => {
  const { server } = await createBuilt(t);
  const page = await server.get('/docs/guide/en/main/');
  t.is(page.status, 200);
  t.regex(await page.text(), />One /);
  const desc = await server.get('/docbuild/guide/desc');
  t.is(desc.headers.get('access-control-allow-origin'), '*');
  const { success, data } = (await desc.json()) as { success: boolean; data: Record<string, unknown> };
  t.true(success);
  t.deepEqual(data['versions'], { en: ['latest', 'main'] });
  t.deepEqual([data['latest'], data['gsp'], data['dn'], data['public']], ['main', 'Git', false, true]);
  const badge = await server.get('/docbuild/badge/guide');
  t.regex(await badge.text(), /docs: passing/);
  const again = await server.get('/docbuild/badge/guide', { 'If-None-Match': badge.headers.get('etag')! });
  t.is(again.status, 304);
});

test.serial('server: a pushed commit is live after its webhook, and so is what nobody announced', async (t) => {
  const { repository, server } = await createBuilt(t);
  repository.git('tag', 'v1');
  commitFiles(repository, { 'docs/index.md': '# Two\n' });
  const after = repository.git('rev-parse', 'HEAD');
  const answer = await push(server, { ref: 'refs/heads/main', after });
  t.is(answer.status, 201);
  const { branch, build } = (await answer.json()) as { branch: string; build: { id: string } };
  t.is(branch, 'main');
  const ended = await server.operations.waitForBuild({ id: build.id });
  t.deepEqual([ended.status, ended.commit, ended.cause], ['passing', after, 'webhook']);
  t.regex(await (await server.get('/docs/guide/en/latest/')).text(), />Two /);
  t.is((await server.get('/docs/guide/en/v1/')).status, 200, 'a tag that nobody announced');
});

test.serial('server: the same delivery and the same commit build once', async (t) => {
  const { repository, server } = await createBuilt(t);
  commitFiles(repository, { 'docs/index.md': '# Two\n' });
  const event = { ref: 'refs/heads/main', after: repository.git('rev-parse', 'HEAD') };
  const answers = await Promise.all([
    push(server, event, 'same-1'),
    push(server, event, 'same-1'),
    push(server, event),
  ]);
  const ids = await Promise.all(
    answers.map(async (answer) => ((await answer.json()) as { build: { id: string } }).build.id),
  );
  t.is(new Set(ids).size, 1);
});

test.serial('server: a version goes with its branch', async (t) => {
  const { repository, server } = await createBuilt(t);
  repository.git('branch', 'release/2.x');
  const after = repository.git('rev-parse', 'HEAD');
  const made = (await (await push(server, { ref: 'refs/heads/release/2.x', after })).json()) as {
    build: { id: string };
  };
  t.is((await server.operations.waitForBuild({ id: made.build.id })).status, 'passing');
  t.is((await server.get('/docs/guide/en/release-2.x/')).status, 200);
  repository.git('branch', '-D', 'release/2.x');
  const gone = await push(server, { ref: 'refs/heads/release/2.x', after: '0'.repeat(40), deleted: true });
  t.is(gone.status, 200);
  const [build] = await listBuilds(server);
  await server.operations.waitForBuild({ id: build! });
  t.is((await server.get('/docs/guide/en/release-2.x/')).status, 404);
  const { data } = (await (await server.get('/docbuild/desc/guide')).json()) as { data: { versions: unknown } };
  t.deepEqual(data.versions, { en: ['latest', 'main'] });
});

async function listBuilds(server: TestServer): Promise<readonly string[]> {
  const page = await (await server.get('/docbuild/projects/guide')).text();
  return [...page.matchAll(/<td><a href="\/docbuild\/builds\/([0-9a-z]{20})"/g)].map(([, id]) => id!);
}

test.serial('server: the operator sees webhook calls and why nothing was built, and does one again', async (t) => {
  const { repository, server } = await createBuilt(t);
  const after = repository.git('rev-parse', 'HEAD');
  await push(server, { ref: 'refs/heads/main', after }, 'known-commit');
  await server.post('/docbuild/webhook/guide', '{}', { 'X-GitHub-Event': 'push', 'X-GitHub-Delivery': 'unsigned' });
  const deliveries = await server.operations.listDeliveries({ name: 'guide' });
  const known = deliveries.find(({ id }) => id === 'known-commit');
  t.deepEqual([known?.service, known?.event, known?.status], ['github', 'push', 201]);
  t.true(deliveries.some(({ status }) => status === 403));
  const before = await listBuilds(server);
  await server.operations.replayDelivery({ name: 'guide', id: 'known-commit' });
  const [newest, ...rest] = await listBuilds(server);
  t.deepEqual(rest, before);
  t.like(await server.operations.waitForBuild({ id: newest! }), { status: 'passing', cause: 'command' });
  await t.throwsAsync(server.operations.replayDelivery({ name: 'guide', id: 'none' }), { name: 'DataError' });
});

test.serial('server: a wrong signature is refused, and nothing is built or removed', async (t) => {
  const { server } = await createBuilt(t);
  const body = JSON.stringify({ ref: 'refs/heads/main', after: '0'.repeat(40), deleted: true });
  const headers = { 'Content-Type': 'application/json', 'X-GitHub-Event': 'push', 'X-Hub-Signature-256': 'sha256=00' };
  const answer = await server.post('/docbuild/guide/webhook', body, headers);
  t.is(answer.status, 403);
  t.false(((await answer.json()) as { success: boolean }).success);
  t.is((await server.get('/docs/guide/en/main/')).status, 200);
});

test.serial('server: a build is asked for with the sign of the secret', async (t) => {
  const { server } = await createBuilt(t);
  const sign = createHash('md5').update(secret).digest('hex');
  t.is((await server.post('/docbuild/build/guide?branch=main')).status, 403);
  const accepted = await server.post('/docbuild/build/guide?branch=main', '', { 'X-Docbuild-Sign': sign });
  t.is(accepted.status, 201);
  const { build, branch } = (await accepted.json()) as { branch: string; build: { id: string; status: string } };
  t.is(branch, 'main');
  t.is(accepted.headers.get('location'), `${server.origin}/docbuild/builds/${build.id}`);
  const form = { 'X-Docbuild-Sign': sign, 'Content-Type': 'application/x-www-form-urlencoded' };
  const missing = await server.post('/docbuild/guide/build', 'branch=nope', form);
  const { build: failing } = (await missing.json()) as { build: { id: string } };
  const ended = await server.operations.waitForBuild({ id: failing.id });
  t.is(ended.status, 'failing');
  t.regex(ended.reason, /Branch or tag "nope" does not exist/);
  t.regex(await (await server.get('/docbuild/badge/guide?branch=nope')).text(), /docs: failing/);
  t.regex(await (await server.get('/docbuild/badge/guide?branch=main')).text(), /docs: passing/);
});

test.serial('server: excluded refs are not built, whoever asks', async (t) => {
  const { repository, server } = await createBuilt(t);
  await server.operations.updateProject({ name: 'guide', changes: 'meta:excluded_branch=test|wip/**' });
  repository.git('branch', 'wip/a/b');
  const after = repository.git('rev-parse', 'HEAD');
  const expected = { success: false, message: 'excluded branch', branch: 'wip/a/b' };
  const hooked = await push(server, { ref: 'refs/heads/wip/a/b', after });
  t.deepEqual([hooked.status, await hooked.json()], [200, expected]);
  const sign = createHash('md5').update(secret).digest('hex');
  const asked = await server.post('/docbuild/build/guide?branch=wip/a/b', '', { 'X-Docbuild-Sign': sign });
  t.deepEqual([asked.status, await asked.json()], [200, expected]);
  await t.throwsAsync(server.operations.build({ name: 'guide', ref: 'wip/a/b' }), { message: /is excluded/ });
  await buildAll(server);
  t.is((await server.get('/docs/guide/en/wip-a-b/')).status, 404);
});

test.serial('server: a failing build leaves the site up and says file and line', async (t) => {
  const { repository, server } = await createBuilt(t);
  commitFiles(repository, { '.docbuild.yml': 'title: [\n' });
  const { id } = await server.operations.build({ name: 'guide', ref: 'main' });
  const build = await server.operations.waitForBuild({ id });
  t.is(build.status, 'failing');
  t.regex(build.reason, /ref "main", \.docbuild\.yml:\d+: /);
  t.regex(await (await server.get('/docs/guide/en/latest/')).text(), />One /);
  t.regex(await (await server.get('/docbuild/badge/guide')).text(), /docs: failing/);
  const page = await server.get(`/docbuild/builds/${id}`, { Accept: 'text/html' });
  t.regex(await page.text(), /class="status failing"/);
  t.regex(await (await server.get(`/docbuild/builds/${id}/log`)).text(), /^Opening the repository\n.*Failing: /s);
});

test.serial('server: its templates take the place of those of docbuild, and each build reads them again', async (t) => {
  const folder = createFolder(t);
  const template = join(folder, 'own/page.njk');
  const write = (text: string) =>
    writeFileSync(template, `{% extends "docbuild/page.njk" %}{% block content_end %}${text}{% endblock %}`);
  mkdirSync(join(folder, 'own'));
  write('<p>Ask the forum</p>');
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  const server = await createServer(t, 'builds: {templates: ./own}\n', folder);
  await server.operations.createProject({ name: 'guide', settings: { url: repository.folder, secret } });
  const read = async () => (await server.get('/docs/guide/en/main/')).text();
  t.is((await buildAll(server)).status, 'passing');
  t.regex(await read(), /<p>Ask the forum<\/p>/);
  write('<p>Ask the chat</p>');
  t.is((await buildAll(server)).status, 'passing');
  t.regex(await read(), /<p>Ask the chat<\/p>/, 'nothing else has changed');
  rmSync(template);
  const { status, reason } = await buildAll(server);
  t.is(status, 'failing');
  t.regex(reason, /^Cannot use the templates of the server \(builds\.templates\): The folder has none of page\.njk/);
  rmSync(join(folder, 'own'), { recursive: true });
  const gone = await buildAll(server);
  t.regex(gone.reason, /It must be a folder of templates: .*…\/templates/);
  t.false(gone.reason.includes(folder));
  t.regex(await read(), /<p>Ask the chat<\/p>/);
});

test.serial(
  'server: the extensions of its operator are run for all sites, in processes that are warm, and none of a repository',
  async (t) => {
    const folder = createFolder(t);
    const script = join(folder, 'extensions.mjs');
    const write = (text: string) => writeFileSync(script, text);
    const component = (name: string) =>
      `export default { extensions: [{ name: 'own', components: { Who: () => '<b>${name}</b>' } }] };\n`;
    write(component('operator'));
    const repository = createRepository(t);
    commitFiles(repository, { 'docs/index.md': '# One\n\n<Who />\n', 'docbuild.config.mjs': component('author') });
    const server = await createServer(t, 'builds: {extensions: ./extensions.mjs}\n', folder);
    await server.operations.createProject({ name: 'guide', settings: { url: repository.folder, secret } });
    const read = async () => (await server.get('/docs/guide/en/main/')).text();
    t.is((await buildAll(server)).status, 'passing');
    t.regex(await read(), /<b>operator<\/b>/);
    write(component('another'));
    t.is((await buildAll(server)).status, 'passing');
    t.regex(await read(), /<b>another<\/b>/, 'nothing else has changed');
    write('export default { extensions: 3 };\n');
    const { status, reason } = await buildAll(server);
    t.is(status, 'failing');
    t.regex(reason, /"…\/extensions\.mjs": it must export \{ extensions: \[ … \] \} as its default/);
    rmSync(script);
    const gone = await buildAll(server);
    t.regex(gone.reason, /^Cannot use the extensions of the server \(builds\.extensions\): Cannot read "…\/extensions/);
    t.false(gone.reason.includes(folder));
    t.regex(await read(), /<b>another<\/b>/);
  },
);

test.serial('server: a log is followed to its end', async (t) => {
  const { server } = await createBuilt(t);
  const { id } = await server.operations.build({ name: 'guide' });
  const stream = await server.get(`/docbuild/builds/${id}/log`, { Accept: 'text/event-stream' });
  t.is(stream.headers.get('content-type'), 'text/event-stream');
  t.regex(await stream.text(), /data: Passing\n\nid: end\nevent: end\ndata: passing\n\n$/);
});

test.serial('server: what does not exist is 404 as JSON, the badge is unknown', async (t) => {
  const server = await createServer(t);
  for (const path of [
    '/docbuild/desc/none',
    '/docbuild/builds/x',
    '/docbuild/nothing/at/all',
    '/docs/none/',
    '/none',
  ]) {
    const answer = await server.get(path);
    t.is(answer.status, 404, path);
    t.false(((await answer.json()) as { success: boolean }).success);
  }
  t.is((await server.post('/docbuild/build/none')).status, 404);
  t.is((await server.post('/docbuild/webhook/none')).status, 404);
  const badge = await server.get('/docbuild/badge/none');
  t.is(badge.status, 200);
  t.regex(await badge.text(), /docs: unknown/);
  t.is((await server.post('/docbuild/desc/none')).status, 405);
});

test.serial(
  'server: a reload that has begun ends before the server has closed, and none begins after that',
  async (t) => {
    const server = await createServer(t);
    const loaded = readConfig(join(server.folder, 'docbuild.yml'), server.folder);
    const read: string[] = [];
    const reload = (name: string): void =>
      server.reload(() => {
        read.push(name);
        return loaded;
      });
    reload('before');
    await Promise.resolve();
    t.deepEqual(read, ['before']);
    const closing = server.close();
    reload('meanwhile');
    await closing;
    reload('afterwards');
    await new Promise((resolve) => setImmediate(resolve));
    t.deepEqual(read, ['before']);
    t.is(server.logged().filter((line) => line.includes('configuration reloaded')).length, 1);
  },
);

test.serial('server: connections of proxies wait longer for their next request than those of others', async (t) => {
  const server = await createServer(t);
  const keptS = async (): Promise<string | undefined> => {
    const agent = new Agent({ keepAlive: true });
    const [answer] = (await once(get(`${server.origin}/healthz`, { agent }), 'response')) as [IncomingMessage];
    answer.resume();
    await once(answer, 'end');
    agent.destroy();
    return /timeout=(\d+)/.exec(String(answer.headers['keep-alive']))?.[1];
  };
  t.is(await keptS(), '5');
  const file = join(server.folder, 'docbuild.yml');
  writeFileSync(file, 'base_dir: ./base\napi: {port: 0, trusted_proxies: 1}\n');
  server.reload(() => readConfig(file, server.folder));
  await waitUntil(async () => (await keptS()) === '125');
  t.is(await keptS(), '125');
});

test.serial('server: a start that fails leaves nothing open', async (t) => {
  const folder = createFolder(t);
  // The socket of commands cannot be made.
  const place = join(folder, 'base', 'docbuild.sock');
  mkdirSync(place, { recursive: true });
  await t.throwsAsync(createServer(t, '', folder));
  rmSync(place, { recursive: true });
  const server = await createServer(t, '', folder);
  t.is((await server.get('/healthz')).status, 200);
});

test.serial('server: bodies have limits and credentials never show', async (t) => {
  const { server, git } = await createBuilt(t);
  const large = await server.post('/docbuild/webhook/guide', 'x'.repeat(25 * 1024 * 1024 + 1), {
    'X-GitHub-Event': 'push',
    'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}`,
  });
  t.is(large.status, 413);
  const url = git.url.replace('://', '://user:pa55word@');
  await server.operations.createProject({
    name: 'private',
    settings: { url, secret: 's3cret of sixteen' },
    isPublic: true,
  });
  const texts = await Promise.all(
    ['/docbuild/desc/private', '/docbuild/projects/private'].map(async (path) => (await server.get(path)).text()),
  );
  t.notRegex(texts.join(''), /pa55word|s3cret/);
  t.regex(texts[0]!, /"public":false/);
  t.notRegex(server.logged().join(''), /pa55word|s3cret|hush and/);
});

test.serial('server: what was queued and what was running is built after a restart', async (t) => {
  const repository = createRepository(t);
  commitFiles(repository, { 'docs/index.md': '# One\n' });
  repository.git('branch', 'next');
  const first = await createServer(t, 'builds: {concurrency: 1}\n');
  await first.operations.createProject({ name: 'guide', settings: { url: repository.folder, before: 'sleep 30' } });
  const running = await first.operations.build({ name: 'guide', ref: 'main' });
  const waiting = await first.operations.build({ name: 'guide', ref: 'next' });
  await first.close();
  const second = await createServer(t, 'builds: {concurrency: 1}\n', first.folder);
  t.is((await second.operations.waitForBuild({ id: running.id })).status, 'interrupted');
  await second.operations.updateProject({ name: 'guide', changes: 'before:' });
  const queued = await second.operations.waitForBuild({ id: waiting.id });
  t.is(queued.status, 'passing');
  t.is((await second.get('/docs/guide/en/next/')).status, 200);
});

test.serial(
  'server: its root leads people to the console, where it has an address of its own, and to the API',
  async (t) => {
    const server = await createServer(t);
    const links = async (one: { get(path: string): Promise<Response> }) => {
      const answer = await one.get('/');
      t.is(answer.headers.get('content-type'), 'text/html; charset=utf-8');
      return [...(await answer.text()).matchAll(/<li>.*?href="([^"]+)"/gs)].map(([, url]) => url);
    };
    const found = await links(server);
    t.deepEqual(found, ['/control/', '/docbuild/api']);
    t.is((await server.get('/docbuild/api')).status, 200);
    t.is((await server.get('/control/')).status, 303);
    const apart = await createServer(t, 'api: {port: 0, auth_url: "https://auth.example.org"}\n');
    t.is((await links(apart))[0], 'https://auth.example.org/control/');
  },
);
